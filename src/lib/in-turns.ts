/** Long loops on the main thread: others have their turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many items take a few milliseconds at most, where one takes microseconds. */
const ITEMS_OF_TURN = 1000;

/** Calls `work` for each item in order; after every thousand the event loop has a turn. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let left = ITEMS_OF_TURN;
  for (const item of items) {
    work(item);
    left -= 1;
    if (left > 0) continue;
    await nextTurn();
    left = ITEMS_OF_TURN;
  }
}
