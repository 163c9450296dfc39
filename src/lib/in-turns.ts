/** Long loops on the main thread that let other work run in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Limits the items of one turn: at a few microseconds each they take a few milliseconds. */
const ITEMS_OF_TURN = 1000;

/** Calls `work` for each item in order, and yields to the event loop after every thousand. */
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
