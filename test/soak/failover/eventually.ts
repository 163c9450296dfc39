/** Waiting for what a failover brings about. */
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 180_000;
const PAUSE_MS = 200;

/** Calls `isTrue` until it returns true. Fails with `expected` after three minutes: the machine may be slow. */
export async function eventually(expected: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`Not true within three minutes: ${expected}`);
    await sleep(PAUSE_MS);
  }
}
