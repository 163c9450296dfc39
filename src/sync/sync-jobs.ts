/** The jobs that sync an account with all its calendars, or a single calendar. */
import { retryAt } from '../jobs/retry-at.ts';
import type { JobHandler, JobHandlers } from '../jobs/worker.ts';
import type { CalendarSync } from '../reading/calendar-sync.ts';
import { keepWatches, type WatchesDeps } from '../watches/keep-watches.ts';
import { readSince, type Watch, watchedExtent } from '../watches/watch.ts';
import type { MirroredCalendar, MirrorStore } from './mirror-store.ts';
import { type FollowedAccounts, syncIntervalMs } from './sync-interval.ts';

export type SyncJobsDeps = WatchesDeps & {
  readonly sync: CalendarSync;
  readonly mirror: Pick<MirrorStore, 'listCalendars' | 'findList'>;
  readonly followed: FollowedAccounts;
};

const CALENDARS_AT_ONCE = 2;
/** After this time no further calendar is begun, because other jobs wait for the slot. */
const ACCOUNT_TURN_MS = 60_000;
const SPREAD_MS = 5_000;

export const syncJobs = (deps: SyncJobsDeps): Pick<JobHandlers, 'sync-account' | 'sync-calendar'> => ({
  'sync-account': syncAccount(deps),
  'sync-calendar': (calendarKey) => deps.sync.syncCalendar(calendarKey, deps.now()),
});

/**
 * Syncs the list and its calendars, then schedules the next sync while the account is connected. Remaining calendars
 * get separate jobs. With push notifications, the interval is some hours.
 */
function syncAccount(deps: SyncJobsDeps): JobHandler {
  const { sync, mirror, followed, watches, jobs, now } = deps;
  return async (accountKey, signal) => {
    const startedAt = now();
    const watched = await watches.listWatches(accountKey);
    const list = { calendarKey: undefined, failure: (await mirror.findList(accountKey))?.failure };
    const failure = await sync.syncList(accountKey, readSince(list, watched, startedAt));
    if (failure !== undefined) return failure;
    const turn = { ...deps, startedAt, signal, watched };
    const left = await syncInTurn(await mirror.listCalendars(accountKey), turn);
    for (const [index, { calendarKey }] of left.entries())
      await jobs.schedule('sync-calendar', calendarKey, now() + index * SPREAD_MS);
    const facts = await followed.syncFacts(accountKey);
    if (facts === undefined) return undefined;
    const calendars = await mirror.listCalendars(accountKey);
    const watching = await keepWatches({ ...facts, accountKey, calendars }, deps, signal);
    const extent = watchedExtent(
      calendars.map(({ calendarKey }) => calendarKey),
      watching,
      now(),
    );
    const renewAt = Math.min(...watching.map((watch) => watch.renewAt));
    const interval = syncIntervalMs({ ...facts, watched: extent, renewAt }, startedAt);
    await jobs.schedule(
      'sync-account',
      accountKey,
      startedAt + Math.round(interval * (0.8 + 0.4 * Math.random())),
    );
    return undefined;
  };
}

type AccountTurn = SyncJobsDeps & {
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly watched: readonly Watch[];
};

/** Syncs calendars, the longest unsynced first, and returns those without time left. Skips current ones. */
async function syncInTurn(
  calendars: readonly MirroredCalendar[],
  { sync, jobs, now, startedAt, signal, watched }: AccountTurn,
): Promise<readonly MirroredCalendar[]> {
  const notBefore = (calendar: MirroredCalendar) => readSince(calendar, watched, startedAt);
  const waiting = calendars
    .filter((one) => one.failure !== undefined || (one.syncedAt ?? -1) < notBefore(one))
    .toSorted((one, other) => (one.syncedAt ?? 0) - (other.syncedAt ?? 0));
  const isOver = () => signal.aborted || now() >= startedAt + ACCOUNT_TURN_MS;
  const work = async () => {
    while (!isOver()) {
      const calendar = waiting.shift();
      if (calendar === undefined) return;
      const { calendarKey } = calendar;
      const failed = await sync.syncCalendar(calendarKey, notBefore(calendar));
      if (failed)
        await jobs.schedule('sync-calendar', calendarKey, retryAt(failed, { attempts: 0, now: now() }));
    }
  };
  await Promise.all(Array.from({ length: CALENDARS_AT_ONCE }, work));
  return waiting;
}
