/** The worker: takes due jobs under a lease, runs a few at a time, tries failed ones again later. */
import { randomUUID } from 'node:crypto';
import { type EndAccessDeps, endAccess } from '../access/end-access.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { Log } from '../lib/log.ts';
import type { CalendarSync } from '../reading/calendar-sync.ts';
import type { MirrorStore } from '../sync/mirror-store.ts';
import { retryAt } from '../sync/plan-sync.ts';
import { inParallel } from '../sync/run-sync.ts';
import { finishSplits } from '../writing/finish-splits.ts';
import type { WriteDeps } from '../writing/write-deps.ts';
import { type HousekeepingDeps, keepHouse } from './housekeeping.ts';
import type { Job, JobStore } from './job-store.ts';
import type { WakeUp } from './wake-up.ts';

export type JobDeps = HousekeepingDeps &
  EndAccessDeps &
  WriteDeps & {
    readonly jobs: JobStore;
    readonly sync: CalendarSync;
    readonly mirror: MirrorStore;
    /** Rung by the stores that make jobs in this process. */
    readonly wakeUp: WakeUp;
    readonly log: Log;
  };

/** `stop` takes no more jobs and waits for those under way. */
export type Worker = { stop(): Promise<void> };

const JOBS_AT_ONCE = 8;
/** A job that takes longer may be taken by another; its sync's own lease keeps the two apart. */
const LEASE_MS = 120_000;
/** How soon a job is seen that another instance made. */
const LOOK_EVERY_MS = 1_000;
const AFTER_FAULT_MS = 5_000;
const HOUSEKEEPING_EVERY_MS = 10 * 60_000;
/** Every account is looked at this often, whether anybody reads it or not. */
const SYNC_EVERY_MS = 15 * 60_000;

/** Starts working jobs until stopped. */
export function startJobs(deps: JobDeps): Worker {
  const running = new Set<Promise<void>>();
  let stopped = false;

  const start = (job: Job, holder: string) => {
    const run = runJob(job, holder, deps).finally(() => {
      running.delete(run);
      deps.wakeUp.ring();
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
      deps.wakeUp.ring();
      return ended;
    },
  };
}

/** Starts what is due; answers for how many milliseconds there is nothing to do unless the bell rings. */
async function takeJobs(
  free: number,
  start: (job: Job, holder: string) => void,
  { jobs, now }: JobDeps,
): Promise<number> {
  const next = await jobs.nextRunAt();
  if (free <= 0 || next === undefined) return LOOK_EVERY_MS;
  if (next > now()) return Math.min(next - now(), LOOK_EVERY_MS);
  const holder = randomUUID();
  for (const job of await jobs.take(holder, free, now(), now() + LEASE_MS)) start(job, holder);
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

async function runJob(job: Job, holder: string, deps: JobDeps): Promise<void> {
  await orLog(
    (async () => {
      const failure = await work(job, deps).catch((err): SyncFailure => {
        deps.log.error({ err, kind: job.kind, key: job.key }, 'A job met a fault of our own');
        return { kind: 'unavailable', message: 'A fault on our side' };
      });
      if (failure === undefined) await deps.jobs.finish(job, holder);
      else await deps.jobs.putOff(job, holder, retryAt(failure, job.attempts, deps.now(), Math.random()));
    })(),
    deps.log,
  );
}

async function work(job: Job, deps: JobDeps): Promise<SyncFailure | undefined> {
  switch (job.kind) {
    case 'sync-account':
      return syncAccount(job.key, deps);
    case 'sync-calendar':
      return deps.sync.syncCalendar(job.key, deps.now());
    case 'finish-splits':
      return finishSplits(job.key, deps);
    case 'end-access':
      return endAccess(job.key, deps);
    case 'housekeeping': {
      const deleted = await keepHouse(deps);
      deps.log.debug(deleted, 'What outlived its use was deleted');
      await deps.jobs.schedule('housekeeping', '', deps.now() + HOUSEKEEPING_EVERY_MS);
      return undefined;
    }
  }
}

/** The list and all its calendars, then the same again after a while, for as long as the account is linked. */
async function syncAccount(accountKey: string, deps: JobDeps): Promise<SyncFailure | undefined> {
  const { sync, mirror, jobs, now } = deps;
  const startedAt = now();
  const failure = await sync.syncList(accountKey, startedAt);
  if (failure !== undefined) return failure;
  const calendars = await mirror.listCalendars(accountKey);
  await inParallel(calendars, async ({ calendarKey }) => {
    const failed = await sync.syncCalendar(calendarKey, startedAt);
    if (failed) await jobs.schedule('sync-calendar', calendarKey, retryAt(failed, 0, now(), Math.random()));
  });
  if ((await mirror.findList(accountKey)) === undefined) return undefined;
  const spread = Math.round(SYNC_EVERY_MS * (0.8 + 0.4 * Math.random()));
  await jobs.schedule('sync-account', accountKey, startedAt + spread);
  return undefined;
}
