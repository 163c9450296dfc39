/** Waiting for what other processes bring about. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { WakeUp } from '../../src/jobs/wake-up.ts';

const LIMIT_MS = 30_000;
const PAUSE_MS = 20;

/** Calls `isTrue` until it returns true. Fails with `expected`, a sentence, after 30 seconds. `pause` runs between two calls. */
export async function until(
  expected: string,
  isTrue: () => boolean | Promise<boolean>,
  pause: () => Promise<unknown> = () => sleep(PAUSE_MS),
): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`Not true within 30 seconds: ${expected}`);
    await pause();
  }
}

/** Notifies the worker until `isTrue`, in tests whose clock does not advance. Fails after 30 seconds. */
export const untilWorked = (
  { wakeUp }: { readonly wakeUp: Pick<WakeUp, 'notify'> },
  isTrue: () => boolean | Promise<boolean>,
): Promise<void> =>
  until('the worker has done its work', isTrue, async () => {
    wakeUp.notify();
    await sleep(10);
  });
