/** The worker: claims due jobs under a lease, runs a few at a time, and retries failed ones later. */
import { randomUUID } from 'node:crypto';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import type { Log } from '../lib/log.ts';
import { LATE, within } from '../lib/within.ts';
import { JOB_DEADLINES, type JobClass, jobClasses } from './job-kinds.ts';
import type { Job, JobKind, JobName, JobStore } from './job-store.ts';
import { retryAt } from './retry-at.ts';
import type { WakeUp } from './wake-up.ts';

/** Runs a job. Returns the failure if it must be retried. After the deadline (`signal`), the result is ignored. */
export type JobHandler = (key: string, signal: AbortSignal) => Promise<SyncFailure | undefined>;

export type JobHandlers = Readonly<Record<JobKind, JobHandler>>;

type JobWork = () => Promise<SyncFailure | undefined>;
type JobInTrace = (job: Job, work: JobWork) => Promise<SyncFailure | undefined>;

export type WorkerDeps = {
  readonly jobs: JobStore;
  readonly handlers: JobHandlers;
  /** Notified by the stores that create jobs in this process. */
  readonly wakeUp: WakeUp;
  readonly log: Log;
  readonly slots?: SlotListener;
  /** Concurrent syncs. */
  readonly syncSlots: number;
  /** Receives the duration of each call of `JobStore.take`. */
  readonly jobsTaken?: ((seconds: number) => void) | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Runs the work as part of the job's trace. */
  readonly jobInTrace?: JobInTrace | undefined;
  /** Replaces the deadlines of job-kinds.ts. */
  readonly deadlines?: Readonly<Record<JobKind, number>>;
};

/** `stop` claims no more jobs and waits for running ones, which do not count as failed if the process ends first. */
export type Worker = { stop(): Promise<void> };

/** A run that lasts longer renews its lease. The lease of a process that died expires. */
const LEASE_MS = 120_000;
const RENEW_EVERY_MS = 40_000;
/** How often this instance looks for jobs that another instance created. */
const LOOK_EVERY_MS = 1_000;
const AFTER_FAULT_MS = 5_000;
/** After concurrent calls prevented one: at least this long, and at most the spread longer. */
const AFTER_CONTENTION_MS = 20;
const CONTENTION_SPREAD_MS = 30;
/** Freed slots are filled together: as soon as there are this many, or this long after the first. */
const FREED_AT_ONCE = 8;
const FREED_WAIT_MS = 25;
/** The delay before a job whose abandoned run still continues is tried again. */
const STILL_RUNNING_MS = 60_000;

const UNTRACED: JobInTrace = (_job, work) => work();

export const startJobs = (deps: WorkerDeps): Worker => new JobWorker(deps);

type Run = { readonly job: Job; readonly holder: string };

class JobWorker implements Worker {
  readonly #deps: WorkerDeps;
  /** Runs that have a slot, and the promises of their ends. */
  readonly #running = new Map<Run, Promise<void>>();
  /** Runs that passed their deadline and still continue. */
  readonly #abandoned = new Set<Run>();
  readonly #ended: Promise<void>;
  readonly #classes: readonly JobClass[];
  #isStopped = false;
  /** Slots freed since the worker was notified of freed slots. */
  #freed = 0;
  #freedTimer: NodeJS.Timeout | undefined;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#classes = jobClasses(deps.syncSlots);
    for (const jobClass of this.#classes) {
      // Only the database knows how many jobs are due.
      const load = () => ({ held: this.#runningOf(jobClass).length, waiting: 0 });
      if (jobClass.work !== undefined) deps.slots?.opened(jobClass.work, load);
    }
    this.#ended = this.#work();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#deps.wakeUp.notify();
    return this.#ended;
  }

  async #work(): Promise<void> {
    const { jobs, wakeUp, now } = this.#deps;
    const renewal = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
    await this.#orLog(jobs.schedule('housekeeping', '', now()));
    while (!this.#isStopped) {
      const wait = await this.#orLog(this.#takeJobs());
      if (!this.#isStopped) await wakeUp.wait(wait ?? AFTER_FAULT_MS);
    }
    if (this.#running.size > 0) await this.#orLog(jobs.excuse(this.#holders()));
    await Promise.all(this.#running.values());
    clearInterval(renewal);
    clearTimeout(this.#freedTimer);
  }

  async #renew(): Promise<void> {
    const holders = this.#holders();
    if (holders.length > 0) await this.#orLog(this.#deps.jobs.renew(holders, this.#deps.now() + LEASE_MS));
  }

  #holders(): string[] {
    return [...new Set([...this.#running.keys()].map(({ holder }) => holder))];
  }

  /** Starts due jobs. Returns how many milliseconds to wait unless notified. */
  async #takeJobs(): Promise<number> {
    const { jobs, now } = this.#deps;
    const next = await jobs.nextRunAt();
    if (next === undefined) return LOOK_EVERY_MS;
    if (next > now()) return Math.min(next - now(), LOOK_EVERY_MS);
    let wait = LOOK_EVERY_MS;
    for (const jobClass of this.#classes) wait = Math.min(wait, await this.#takeOf(jobClass));
    return wait;
  }

  /** Claims jobs for the free slots of the class. Returns how many milliseconds to wait unless notified. */
  async #takeOf(jobClass: JobClass): Promise<number> {
    const { jobs, now } = this.#deps;
    const { kinds, most } = jobClass;
    const running = this.#runningOf(jobClass);
    const abandoned = [...this.#abandoned].map(({ job }) => job).filter(({ kind }) => kinds.includes(kind));
    const limit = most.slots - running.length;
    if (limit <= 0) return LOOK_EVERY_MS;
    const holder = randomUUID();
    const begun = performance.now();
    const claimed = await jobs.take({
      holder,
      kinds,
      limit,
      now: now(),
      leaseUntil: now() + LEASE_MS,
      most,
      running: [...running, ...abandoned],
      abandoned,
    });
    this.#deps.jobsTaken?.((performance.now() - begun) / 1000);
    for (const name of claimed.setAside) this.#tellSetAside(name);
    for (const job of claimed.jobs) this.#start({ job, holder });
    this.#noteExhausted(claimed.passedOver, jobClass);
    if (claimed.isCut) return 0;
    if (claimed.isContended) return AFTER_CONTENTION_MS + CONTENTION_SPREAD_MS * Math.random();
    // Remaining jobs are claimed when runs end. Another instance may have claimed some.
    return LOOK_EVERY_MS;
  }

  #runningOf({ kinds }: JobClass): Job[] {
    return [...this.#running.keys()].map(({ job }) => job).filter(({ kind }) => kinds.includes(kind));
  }

  #noteExhausted(passedOver: readonly string[], jobClass: JobClass): void {
    const { work } = jobClass;
    if (work === undefined) return;
    const running = this.#runningOf(jobClass);
    for (const clientId of new Set(passedOver)) {
      const held = running.filter((job) => job.clientId === clientId).length;
      const waiting = passedOver.filter((name) => name === clientId).length;
      this.#deps.slots?.exhausted({ work, clientId, held, waiting });
    }
  }

  #start(run: Run): void {
    const ended = this.#runJob(run).finally(() => {
      this.#running.delete(run);
      this.#slotFreed();
    });
    this.#running.set(run, ended);
  }

  #slotFreed(): void {
    this.#freed += 1;
    if (this.#freed >= FREED_AT_ONCE) this.#fillFreed();
    else this.#freedTimer ??= setTimeout(() => this.#fillFreed(), FREED_WAIT_MS);
  }

  #fillFreed(): void {
    clearTimeout(this.#freedTimer);
    this.#freedTimer = undefined;
    this.#freed = 0;
    this.#deps.wakeUp.notify();
  }

  async #runJob({ job, holder }: Run): Promise<void> {
    const { jobs, now } = this.#deps;
    const { kind, key, attempts } = job;
    const isSame = (other: Run) => other.job.kind === kind && other.job.key === key;
    if ([...this.#abandoned].some(isSame)) {
      await this.#orLog(jobs.putOff(job, holder, now() + STILL_RUNNING_MS));
      return;
    }
    const outcome = await this.#outcomeOf({ job, holder });
    if (outcome === LATE) await this.#giveUp({ job, holder });
    else if (outcome === undefined) await this.#orLog(jobs.finish(job, holder));
    else await this.#orLog(jobs.putOff(job, holder, retryAt(outcome, { attempts, now: now() })));
  }

  async #outcomeOf(run: Run): Promise<SyncFailure | undefined | typeof LATE> {
    const { handlers, log, deadlines = JOB_DEADLINES, jobInTrace = UNTRACED } = this.#deps;
    const { kind, key } = run.job;
    const end = new AbortController();
    const work = jobInTrace(run.job, async () => handlers[kind](key, end.signal)).catch(
      (err): SyncFailure => {
        log.error({ event: 'job_fault', err, kind, key }, 'A job failed with an internal error');
        return { kind: 'unavailable', message: 'An error on our side' };
      },
    );
    const outcome = await within(deadlines[kind], work);
    if (outcome === LATE) {
      this.#abandoned.add(run);
      void work.finally(() => {
        this.#abandoned.delete(run);
        this.#slotFreed();
      });
      end.abort();
    }
    return outcome;
  }

  async #giveUp({ job, holder }: Run): Promise<void> {
    const { jobs, log, now } = this.#deps;
    const { kind, key, attempts } = job;
    log.warn({ event: 'job_late', kind, key }, 'A job did not finish in time');
    const failure = { kind: 'unavailable', message: 'The work did not finish in time' } as const;
    const times = { now: now(), retryAt: retryAt(failure, { attempts, now: now() }) };
    if (await this.#orLog(jobs.giveUp(job, holder, times))) this.#tellSetAside(job);
  }

  #tellSetAside({ kind, key }: JobName): void {
    const message = 'A job did not finish in three attempts and is tried once a day';
    this.#deps.log.error({ event: 'job_set_aside', kind, key }, message);
  }

  /** An error of the database must not end the worker: it is logged, and the work is tried again. */
  async #orLog<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (err) {
      this.#deps.log.error({ event: 'jobs_unreachable', err }, 'The worker could not read its jobs');
      return undefined;
    }
  }
}
