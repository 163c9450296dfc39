/** Turns on the main thread: of all reads, one does its piece of work in each turn of the event loop. */
import { setImmediate as turn } from 'node:timers/promises';

let lastBegun = Promise.resolve();

/** Waits until this read may do a piece of work, of some milliseconds at the most. */
export function mainThreadTurn(): Promise<void> {
  lastBegun = lastBegun.then(() => turn());
  return lastBegun;
}
