/** Tasks that wait for a thread. Owners take turns, and no task waits for longer than its limit. */
import { WorkStopped } from './work-stopped.ts';

type Waiting<Thread> = {
  readonly start: (thread: Thread) => void;
  readonly fail: (reason: WorkStopped) => void;
};

export class WaitingTasks<Thread> {
  /** In the order of their turns. No owner's queue is empty. */
  readonly #byOwner = new Map<string, Waiting<Thread>[]>();

  get count(): number {
    return this.#byOwner.values().reduce((count, queue) => count + queue.length, 0);
  }

  /** Waits for a thread. Fails as `busy` after this many milliseconds, and with the reason of `failAll`. */
  async add(owner: string, milliseconds: number): Promise<Thread> {
    const { promise, resolve, reject } = Promise.withResolvers<Thread>();
    const waiting = { start: resolve, fail: reject };
    this.#setQueue(owner, [...(this.#byOwner.get(owner) ?? []), waiting]);
    const timer = setTimeout(() => {
      this.#setQueue(owner, this.#byOwner.get(owner)?.filter((one) => one !== waiting) ?? []);
      reject(new WorkStopped('busy'));
    }, milliseconds).unref();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Gives the thread to the first task of the next owner, whose other tasks then wait behind everybody else's. */
  startNext(thread: Thread): void {
    const [next] = this.#byOwner;
    if (next === undefined) return;
    const [owner, [first, ...others]] = next;
    this.#byOwner.delete(owner);
    this.#setQueue(owner, others);
    first?.start(thread);
  }

  failAll(reason: WorkStopped): void {
    for (const { fail } of [...this.#byOwner.values()].flat()) fail(reason);
    this.#byOwner.clear();
  }

  #setQueue(owner: string, queue: Waiting<Thread>[]): void {
    if (queue.length > 0) this.#byOwner.set(owner, queue);
    else this.#byOwner.delete(owner);
  }
}
