/**
 * Work on untrusted input, off the main thread: a few worker threads with a limit of memory, and for each part of their
 * work a limit of processor time. Threads start when they are needed and end when they are idle. Who waits is served in
 * turns by owner, so that nobody waits for another's many tasks.
 */
import { Worker } from 'node:worker_threads';

import type { FromThread, ToThread } from './messages.ts';
import { WorkFailed, WorkStopped } from './work-stopped.ts';

export type WorkTask = {
  /** One of those that the script offers (`offerTasks`). */
  readonly name: string;
  /** Cloned as `structuredClone` does, but for what `transfer` names, which is moved. */
  readonly input: unknown;
  /** Whose work it is: owners take turns. */
  readonly owner: string;
  /** Milliseconds of processor time that each part may take. */
  readonly partMs: number;
  readonly transfer?: readonly ArrayBuffer[];
};

export interface WorkPool {
  /**
   * Yields the parts that the task makes. A part is made only when it is asked for, and a thread is the task's until its
   * parts end or the caller leaves the loop: do no slow work between two parts. Fails with WorkStopped when a part was
   * over a limit, and with WorkFailed when the task threw.
   */
  run<Part>(task: WorkTask): AsyncGenerator<Part, void>;
  /** How many threads there are now, and how many tasks wait for one. */
  load(): { readonly threads: number; readonly waiting: number };
  /** Ends all threads; what is under way fails as `closed`. */
  close(): Promise<void>;
}

export type WorkPoolOptions = {
  /** The file that a thread runs. */
  readonly script: string | URL;
  readonly mostThreads: number;
  /** Megabytes that the objects of one thread may take. */
  readonly mostMemory: number;
  /** After how many milliseconds without work a thread ends. */
  readonly idleMs: number;
};

/** What a thread may have made since it last collected garbage, in megabytes: more is quicker by little and is kept. */
const YOUNG_MEGABYTES = 12;

/** How often a thread that is at work is asked for the processor time it took. */
const LOOK_EVERY_MS = 50;

/** A pool without threads yet. */
export function workPool(options: WorkPoolOptions): WorkPool {
  return new ThreadPool(options);
}

/** A thread that is ready for a task, or at one. */
type Thread = { readonly worker: Worker; idle: NodeJS.Timeout | undefined };
type Waiting = { readonly start: (thread: Thread) => void; readonly fail: (reason: Error) => void };

class ThreadPool implements WorkPool {
  readonly #options: WorkPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #free: Thread[] = [];
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #closed = false;

  constructor(options: WorkPoolOptions) {
    this.#options = options;
  }

  async *run<Part>({ name, input, owner, partMs, transfer = [] }: WorkTask): AsyncGenerator<Part, void> {
    const thread = await this.#enter(owner);
    const ask = (message: ToThread) => askThread(thread.worker, message, { partMs, transfer });
    let isWhole = false;
    try {
      for (let message: ToThread = { type: 'start', name, input }; ; message = { type: 'next' }) {
        // One that ended between two parts answers no more.
        if (!this.#threads.has(thread)) throw new WorkStopped(this.#closed ? 'closed' : 'crash');
        const answer = await ask(message);
        if (answer.type === 'failed') throw new WorkFailed(answer.message);
        isWhole = answer.type === 'done';
        if (answer.type === 'done') return;
        // The task's own module says what its parts are.
        yield answer.part as Part;
      }
    } catch (reason) {
      isWhole = reason instanceof WorkFailed;
      throw reason;
    } finally {
      this.#leave(thread, isWhole);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { fail } of [...this.#waiting.values()].flat()) fail(new WorkStopped('closed'));
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  load() {
    const waiting = this.#waiting.values().reduce((count, queue) => count + queue.length, 0);
    return { threads: this.#threads.size, waiting };
  }

  #enter(owner: string): Promise<Thread> {
    if (this.#closed) return Promise.reject(new WorkStopped('closed'));
    const thread = this.#free.pop() ?? this.#newThread();
    if (thread !== undefined) {
      clearTimeout(thread.idle);
      thread.worker.ref();
      return Promise.resolve(thread);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Thread>();
    const queue = this.#waiting.get(owner) ?? [];
    queue.push({ start: resolve, fail: reject });
    this.#waiting.set(owner, queue);
    return promise;
  }

  #newThread(): Thread | undefined {
    const { script, mostThreads, mostMemory } = this.#options;
    if (this.#threads.size >= mostThreads) return undefined;
    const worker = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: mostMemory, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    const thread: Thread = { worker, idle: undefined };
    this.#threads.add(thread);
    worker.once('exit', () => this.#forget(thread));
    // Who waits for an answer hears of it there; a thread that fails without one is of no use to the next.
    worker.on('error', () => this.#forget(thread));
    return thread;
  }

  #forget(thread: Thread): void {
    this.#threads.delete(thread);
    const index = this.#free.indexOf(thread);
    if (index >= 0) this.#free.splice(index, 1);
  }

  /** `isWhole` is false where the thread may still be at the task: it is ended then, and another takes its place. */
  #leave(thread: Thread, isWhole: boolean): void {
    if (!isWhole) void this.#end(thread);
    const usable = isWhole && this.#threads.has(thread) ? thread : undefined;
    // Where another was quicker with the new thread, who waits is served when that one leaves.
    const free = usable ?? (this.#waiting.size > 0 ? this.#newThread() : undefined);
    const next = free === undefined ? undefined : this.#nextWaiting();
    if (free !== undefined && next !== undefined) {
      next.start(free);
      return;
    }
    if (usable === undefined) return;
    usable.worker.unref();
    usable.idle = setTimeout(() => void this.#end(usable), this.#options.idleMs).unref();
    this.#free.push(usable);
  }

  /** The first of the owner whose turn it is; that owner's others go behind everybody else's. */
  #nextWaiting(): Waiting | undefined {
    for (const [owner, queue] of this.#waiting) {
      const next = queue.shift();
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  async #end(thread: Thread): Promise<void> {
    this.#forget(thread);
    clearTimeout(thread.idle);
    await thread.worker.terminate();
  }
}

type Limits = { readonly partMs: number; readonly transfer: readonly ArrayBuffer[] };

/** Sends a message and waits for its answer. Throws WorkStopped when there is none within the limits. */
async function askThread(
  worker: Worker,
  message: ToThread,
  { partMs, transfer }: Limits,
): Promise<FromThread> {
  const { promise, resolve, reject } = Promise.withResolvers<FromThread>();
  const onError = (error: Error & { code?: string }) =>
    reject(new WorkStopped(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash', error));
  const onExit = () => reject(new WorkStopped('closed'));
  // A thread that is just starting has taken nothing.
  const spentBefore = worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  const look = setInterval(() => {
    spentSince(worker, spentBefore).then(
      (spent) => spent > partMs && reject(new WorkStopped('deadline')),
      () => {}, // It has ended, and says so itself.
    );
  }, LOOK_EVERY_MS);
  worker.once('message', resolve).once('error', onError).once('exit', onExit);
  try {
    worker.postMessage(message, message.type === 'start' ? transfer : []);
    return await promise;
  } finally {
    clearInterval(look);
    worker.off('message', resolve).off('error', onError).off('exit', onExit);
  }
}

async function spentSince(worker: Worker, before: Promise<NodeJS.CpuUsage>): Promise<number> {
  const [now, then] = [await worker.cpuUsage(), await before];
  return (now.user + now.system - then.user - then.system) / 1000;
}
