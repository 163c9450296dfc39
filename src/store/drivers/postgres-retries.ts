/** Which failures of PostgreSQL pass by themselves, and how often what met one is tried again. */
import { setTimeout as sleep } from 'node:timers/promises';

import { errorCode } from '../../lib/error-code.ts';

const SERIALIZATION_RETRIES = 10;
/** serialization_failure and deadlock_detected: the transaction did nothing and may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/** Runs `work` again while it fails of what others did at the same moment. */
export async function retryingSerialization<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (reason) {
      if (!RETRYABLE.has(errorCode(reason) ?? '') || attempt > SERIALIZATION_RETRIES) throw reason;
    }
    // At different moments, so that the same ones do not meet again.
    await sleep(Math.random() * 2 ** Math.min(attempt, 6));
  }
}
