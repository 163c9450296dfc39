/** The worker: takes due jobs under a lease, runs a few at a time, tries failed ones again later. */
import { randomUUID } from 'node:crypto';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { Log } from '../lib/log.ts';
import type { Job, JobKind, JobStore } from './job-store.ts';
import { retryAt } from './retry-at.ts';
import type { WakeUp } from './wake-up.ts';

/** Works the job of that key; answers why it is to be tried again later, or nothing when it is done. */
export type JobHandler = (key: string) => Promise<SyncFailure | undefined>;

export type JobHandlers = Readonly<Record<JobKind, JobHandler>>;

export type WorkerDeps = {
  readonly jobs: JobStore;
  readonly handlers: JobHandlers;
  /** Notified by the stores that make jobs in this process. */
  readonly wakeUp: WakeUp;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** `stop` takes no more jobs and waits for those under way. */
export type Worker = { stop(): Promise<void> };

const JOBS_AT_ONCE = 8;
/** A job that takes longer may be taken by another; its sync's own lease keeps the two apart. */
const LEASE_MS = 120_000;
/** How soon a job is seen that another instance made. */
const LOOK_EVERY_MS = 1_000;
const AFTER_FAULT_MS = 5_000;

/** Starts working jobs until stopped. */
export function startJobs(deps: WorkerDeps): Worker {
  const running = new Set<Promise<void>>();
  let stopped = false;

  const start = (job: Job, holder: string) => {
    const run = runJob(job, holder, deps).finally(() => {
      running.delete(run);
      deps.wakeUp.notify();
    });
    running.add(run);
  };
  const loop = async () => {
    await orLog(deps.jobs.schedule('housekeeping', '', deps.now()), deps.log);
    while (!stopped) {
      const wait = await orLog(takeJobs(JOBS_AT_ONCE - running.size, start, deps), deps.log);
      if (!stopped) await deps.wakeUp.wait(wait ?? AFTER_FAULT_MS);
    }
    await Promise.all(running);
  };
  const ended = loop();
  return {
    stop() {
      stopped = true;
      deps.wakeUp.notify();
      return ended;
    },
  };
}

/** Starts what is due; answers for how many milliseconds there is nothing to do unless somebody notifies. */
async function takeJobs(
  free: number,
  start: (job: Job, holder: string) => void,
  { jobs, now }: WorkerDeps,
): Promise<number> {
  const next = await jobs.nextRunAt();
  if (free <= 0 || next === undefined) return LOOK_EVERY_MS;
  if (next > now()) return Math.min(next - now(), LOOK_EVERY_MS);
  const holder = randomUUID();
  const due = await jobs.take({ holder, limit: free, now: now(), leaseUntil: now() + LEASE_MS });
  for (const job of due) start(job, holder);
  // Those left over are taken when one of these ends; another instance may have been quicker.
  return LOOK_EVERY_MS;
}

/** A fault of the database must not end the worker: it is logged, and the work is looked for again. */
async function orLog<T>(work: Promise<T>, log: Log): Promise<T | undefined> {
  try {
    return await work;
  } catch (err) {
    log.error({ err }, 'The worker could not reach its jobs');
    return undefined;
  }
}

async function runJob(job: Job, holder: string, { jobs, handlers, log, now }: WorkerDeps): Promise<void> {
  const { kind, key, attempts } = job;
  const run = async () => handlers[kind](key);
  const failure = await run().catch((err): SyncFailure => {
    log.error({ err, kind, key }, 'A job met a fault of our own');
    return { kind: 'unavailable', message: 'A fault on our side' };
  });
  const ended =
    failure === undefined
      ? jobs.finish(job, holder)
      : jobs.putOff(job, holder, retryAt(failure, { attempts, now: now() }));
  await orLog(ended, log);
}
