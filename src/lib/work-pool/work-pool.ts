/**
 * Runs work on untrusted input off the main thread, in a few worker threads that start on demand and end when idle.
 * Memory per thread and processor time per part are limited. Owners take turns. A caller that has parts holds no
 * thread, so it may start a second task for each of them, even with one thread.
 */
import { Worker } from 'node:worker_threads';
import { errorCode } from '../error-code.ts';
import { SlotCounts } from '../fair-slots/slot-counts.ts';
import { placeOfOwner } from '../fair-slots/slot-owner.ts';
import { type Waiter, WaitingTurns } from '../fair-slots/waiting-turns.ts';
import type { FromThread, ThreadAnswer, ToThread } from './messages.ts';
import { WorkFailed, WorkStopped } from './work-stopped.ts';

export type WorkTask = {
  /** The name of a task that the script offers (`offerTasks`). */
  readonly name: string;
  /** Cloned as `structuredClone` does, except for `transfer`, which is moved. */
  readonly input: unknown;
  /** The owner of the work (slot-owner.ts): applications take turns, and so do their owners. */
  readonly owner: string;
  /** Milliseconds of processor time that each part may take. */
  readonly partMs: number;
  readonly transfer?: readonly ArrayBuffer[];
};

type WorkResult<Part> = {
  readonly parts: readonly Part[];
  /** Why the task did not yield all of its parts; undefined if it did. */
  readonly stopped: WorkStopped | undefined;
};

export interface WorkPool {
  /** Returns all parts, together in memory: a task must limit them. Fails with WorkFailed if the task threw. */
  run<Part>(task: WorkTask): Promise<WorkResult<Part>>;
  load(): { readonly threads: number; readonly running: number; readonly waiting: number };
  /** Ends all threads. Running and waiting tasks are stopped as `closed`, and so are later ones. */
  close(): Promise<void>;
}

type WorkPoolOptions = {
  readonly script: string | URL;
  readonly mostThreads: number;
  /** Megabytes that the objects of one thread may take. */
  readonly mostMemory: number;
  /** A thread ends after this many milliseconds without work. */
  readonly idleMs: number;
  /** A task that has waited for a thread for this many milliseconds is stopped as `busy`. */
  readonly waitMs: number;
  readonly listener?: {
    /** A task waited for a thread for this many milliseconds, whether or not it got one. */
    waited(milliseconds: number): void;
    refused(): void;
    /** Threads that were silent for too long were replaced: their `running` tasks were stopped. */
    replaced(load: { readonly running: number; readonly waiting: number }): void;
    /** A thread ended before it was ready for a task. */
    notStarted(reason: unknown): void;
  };
};

/** Megabytes that a thread may allocate between two garbage collections; more is little faster and stays resident. */
const YOUNG_MEGABYTES = 12;
const MEASURE_EVERY_MS = 50;
/**
 * The watchdog replaces a running thread that was silent for a minute: a blocked one uses no processor time. It counts
 * looks, not time, because a pause of the whole process is one look.
 */
const LOOK_EVERY_MS = 10_000;
const MOST_SILENT_LOOKS = 6;
/** No further thread is started for this long after one that did not become ready. */
const START_REST_MS = 10_000;

/** Creates a pool, at first without threads. */
export const workPool = (options: WorkPoolOptions): WorkPool => new ThreadPool(options);

class Thread extends Worker {
  isFree = true;
  isReady = false;
  idle: NodeJS.Timeout | undefined;
  error: unknown;
  stopped: WorkStopped | undefined;
  /** The message that has no response yet. */
  request: PromiseWithResolvers<ThreadAnswer> | undefined;
  /** Looks of the watchdog since that message was sent. */
  silentLooks = 0;
}

class ThreadPool implements WorkPool {
  readonly #options: WorkPoolOptions;
  /** The threads that have not ended. Each is free or runs a task. */
  readonly #threads = new Set<Thread>();
  readonly #waiting = new WaitingTasks<Thread>();
  #watch: NodeJS.Timeout | undefined;
  /** Why the last thread that was started did not become ready, and until when none is started. */
  #failedStart: { readonly reason: unknown; readonly until: number } | undefined;
  #isClosed = false;

  constructor(options: WorkPoolOptions) {
    this.#options = options;
  }

  async run<Part>(task: WorkTask): Promise<WorkResult<Part>> {
    const parts: Part[] = [];
    try {
      await this.#collect(await this.#enter(task.owner), task, parts);
      return { parts, stopped: undefined };
    } catch (reason) {
      if (!(reason instanceof WorkStopped)) throw reason;
      return { parts, stopped: reason };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#waiting.failAll(new WorkStopped('closed'));
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, new WorkStopped('closed'))));
  }

  load() {
    return { threads: this.#threads.size, running: this.#waiting.running, waiting: this.#waiting.count };
  }

  /** Waits for a thread. Fails as `closed`, `busy` or `unstarted`. */
  async #enter(owner: string): Promise<Thread> {
    if (this.#isClosed) throw new WorkStopped('closed');
    const { waitMs, listener } = this.#options;
    const since = performance.now();
    const thread = this.#waiting.add(owner, waitMs, listener?.refused);
    this.#serve();
    return thread.finally(() => listener?.waited(performance.now() - since));
  }

  /** Adds the parts of the task to `parts` and frees the thread, or ends it if it may still be at the task. */
  async #collect(
    thread: Thread,
    { name, input, owner, ...limits }: WorkTask,
    parts: unknown[],
  ): Promise<void> {
    let message: ToThread = { type: 'start', name, input };
    try {
      for (;;) {
        const answer = await this.#request(thread, message, limits);
        if (answer.type === 'failed') throw new WorkFailed(answer.message);
        if (answer.type === 'done') break;
        parts.push(answer.part);
        message = { type: 'next' };
      }
    } catch (reason) {
      if (!(reason instanceof WorkFailed)) void this.#end(thread, new WorkStopped('crash', reason));
      throw reason;
    } finally {
      this.#waiting.ended(owner);
      this.#free(thread);
    }
  }

  /** Sends a message and waits for the response. Fails with WorkStopped if the thread ends or uses too much. */
  async #request(
    thread: Thread,
    message: ToThread,
    { partMs, transfer = [] }: Pick<WorkTask, 'partMs' | 'transfer'>,
  ): Promise<ThreadAnswer> {
    // It can have ended between two parts.
    if (thread.stopped !== undefined) throw thread.stopped;
    const request = Promise.withResolvers<ThreadAnswer>();
    thread.request = request;
    thread.silentLooks = 0;
    // A thread that is just starting has used nothing.
    const usedBefore = thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    const measuring = setInterval(() => {
      usedSince(thread, usedBefore).then(
        (used) => used > partMs && request.reject(new WorkStopped('deadline')),
        () => {}, // It has ended, which has its own event.
      );
    }, MEASURE_EVERY_MS);
    try {
      thread.postMessage(message, message.type === 'start' ? transfer : []);
      return await request.promise;
    } finally {
      clearInterval(measuring);
      thread.request = undefined;
    }
  }

  /** Gives waiting tasks the threads that are free or may be started, and stops them if no thread can be started. */
  #serve(): void {
    while (this.#waiting.count > 0) {
      const thread = this.#threads.values().find(({ isFree }) => isFree) ?? this.#newThread();
      if (thread === undefined) break;
      clearTimeout(thread.idle);
      thread.ref();
      thread.isFree = false;
      this.#watch ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
      this.#waiting.startNext(thread);
    }
    if (this.#threads.size === 0)
      this.#waiting.failAll(new WorkStopped('unstarted', this.#failedStart?.reason));
  }

  #newThread(): Thread | undefined {
    const { script, mostThreads, mostMemory } = this.#options;
    const isResting = this.#failedStart !== undefined && performance.now() < this.#failedStart.until;
    if (this.#threads.size >= mostThreads || isResting) return undefined;
    let thread: Thread;
    try {
      thread = new Thread(script, {
        resourceLimits: { maxOldGenerationSizeMb: mostMemory, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
      });
    } catch (reason) {
      this.#noteFailedStart(reason);
      return undefined;
    }
    this.#threads.add(thread);
    thread.on('message', (message: FromThread) => {
      thread.isReady = true;
      if (message.type !== 'ready') thread.request?.resolve(message);
    });
    thread.on('error', (error) => {
      thread.error = error;
    });
    // By now all its messages have arrived.
    thread.once('exit', (code) => this.#exited(thread, thread.error ?? new Error(`It exited with ${code}`)));
    return thread;
  }

  #noteFailedStart(reason: unknown): void {
    this.#failedStart = { reason, until: performance.now() + START_REST_MS };
    this.#options.listener?.notStarted(reason);
  }

  #exited(thread: Thread, error: unknown): void {
    if (thread.stopped !== undefined) return;
    if (!thread.isReady) this.#noteFailedStart(error);
    const ended = errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash';
    const reason = thread.isReady ? ended : 'unstarted';
    void this.#end(thread, new WorkStopped(reason, error));
  }

  /** Lets the next task have the thread, or another one if it has ended. */
  #free(thread: Thread): void {
    thread.isFree = true;
    this.#serve();
    if (!thread.isFree || thread.stopped !== undefined) return;
    thread.unref();
    const end = () => void this.#end(thread, new WorkStopped('closed'));
    thread.idle = setTimeout(end, this.#options.idleMs).unref();
  }

  /** Ends a thread. The task that it runs stops for this reason, and its end serves the tasks that wait. */
  async #end(thread: Thread, reason: WorkStopped): Promise<void> {
    thread.stopped ??= reason;
    thread.request?.reject(thread.stopped);
    this.#threads.delete(thread);
    clearTimeout(thread.idle);
    await thread.terminate();
  }

  #look(): void {
    const running = [...this.#threads].filter(({ isFree }) => !isFree);
    for (const thread of running) thread.silentLooks += 1;
    const silent = running.filter(({ silentLooks }) => silentLooks > MOST_SILENT_LOOKS);
    if (silent.length === 0) return;
    this.#options.listener?.replaced({ running: silent.length, waiting: this.#waiting.count });
    for (const thread of silent) void this.#end(thread, new WorkStopped('stalled'));
  }
}

/** Returns the milliseconds of processor time that the thread has used since `before`. */
async function usedSince(thread: Thread, before: Promise<NodeJS.CpuUsage>): Promise<number> {
  const [now, then] = [await thread.cpuUsage(), await before];
  return (now.user + now.system - then.user - then.system) / 1000;
}

type WaitingTask<Thread> = Waiter & { start(thread: Thread): void; refuse(reason?: WorkStopped): void };

/** Applications and their owners take turns, and no task waits for longer than its limit. */
class WaitingTasks<Thread> {
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
