/** Tasks that wait for a thread. Owners take turns, and no task waits for longer than its limit. */
import { WorkStopped } from './work-stopped.ts';

type Waiting<Thread> = { start(thread: Thread): void; fail(reason: WorkStopped): void };

export class WaitingTasks<Thread> {
  /** In the order of their turns. No owner's queue is empty. */
  readonly #byOwner = new Map<string, Set<Waiting<Thread>>>();

  get count(): number {
    return this.#byOwner.values().reduce((count, queue) => count + queue.size, 0);
  }

  /** Waits for a thread. Fails as `busy` after this many milliseconds, and with the reason of `failAll`. */
  add(owner: string, milliseconds: number): Promise<Thread> {
    const { promise, resolve: start, reject: fail } = Promise.withResolvers<Thread>();
    const waiting = { start, fail };
    const queue = this.#byOwner.get(owner) ?? new Set();
    this.#byOwner.set(owner, queue.add(waiting));
    const timer = setTimeout(() => {
      queue.delete(waiting);
      if (queue.size === 0) this.#byOwner.delete(owner);
      fail(new WorkStopped('busy'));
    }, milliseconds).unref();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Gives the thread to the first task of the next owner, whose other tasks then wait behind everybody else's. */
  startNext(thread: Thread): void {
    const [next] = this.#byOwner;
    if (next === undefined) return;
    const [owner, queue] = next;
    const [first] = queue;
    this.#byOwner.delete(owner);
    if (first !== undefined && queue.delete(first) && queue.size > 0) this.#byOwner.set(owner, queue);
    first?.start(thread);
  }

  failAll(reason: WorkStopped): void {
    for (const { fail } of [...this.#byOwner.values()].flatMap((queue) => [...queue])) fail(reason);
    this.#byOwner.clear();
  }
}
