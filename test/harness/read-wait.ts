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

/** Waits ten times as long as a server would, so that a read on a slow machine does not return old events. */
export const patientReadWait: ReadWait = (milliseconds, work) => within(10 * milliseconds, work);
