/** The wait of reads for syncs, which a test ends when it wants; no time passes. */
import { LATE, within } from '../../src/lib/within.ts';

export type ReadWait = typeof within;

/** `bounds` has the longest time in milliseconds that each wait might have taken. After `end` every wait is over at once. */
export function controlledReadWait() {
  const { promise: ended, resolve } = Promise.withResolvers<typeof LATE>();
  const bounds: number[] = [];
  const readWait: ReadWait = (milliseconds, work) => {
    bounds.push(milliseconds);
    return Promise.race([work, ended]);
  };
  return { readWait, bounds, end: () => resolve(LATE) };
}

/** The wait of tests that are not about it: a slow machine must not make a read return what it had before. */
export const patientReadWait: ReadWait = (milliseconds, work) => within(10 * milliseconds, work);
