/** Tasks that wait for a thread. Applications and their owners take turns, and no task waits for longer than its limit. */
import { SlotCounts } from '../fair-slots/slot-counts.ts';
import { placeOfOwner } from '../fair-slots/slot-owner.ts';
import { type Waiter, WaitingTurns } from '../fair-slots/waiting-turns.ts';
import { WorkStopped } from './work-stopped.ts';

type WaitingTask<Thread> = Waiter & { start(thread: Thread): void; refuse(reason?: WorkStopped): void };

export class WaitingTasks<Thread> {
  readonly #running = new SlotCounts({});
  readonly #turns = new WaitingTurns<WaitingTask<Thread>>(this.#running);

  get count(): number {
    return this.#turns.count;
  }

  get running(): number {
    return this.#running.heldBy({});
  }

  /** Waits for a thread. Fails as `busy` after this many milliseconds, and with the reason of `failAll`. */
  add(owner: string, milliseconds: number, refused = () => {}): Promise<Thread> {
    const { promise, resolve: start, reject } = Promise.withResolvers<Thread>();
    const refuse = (reason = new WorkStopped('busy')) => reject(reason);
    const task = { place: placeOfOwner(owner), start, refuse };
    this.#turns.add(task);
    const timer = setTimeout(() => {
      this.#turns.delete(task);
      refused();
      refuse();
    }, milliseconds).unref();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Gives the thread to the next task. The caller calls `ended` when that task has ended. */
  startNext(thread: Thread): void {
    const task = this.#turns.takeNext();
    if (task === undefined) return;
    this.#running.add(task.place);
    task.start(thread);
  }

  /** Notes that a task of this owner has ended. */
  ended(owner: string): void {
    this.#running.remove(placeOfOwner(owner));
  }

  failAll(reason: WorkStopped): void {
    for (let task = this.#turns.takeAny(); task !== undefined; task = this.#turns.takeAny())
      task.refuse(reason);
  }
}
