/** The jobs that sync: an account with all its calendars, or a single calendar. */
import type { JobStore } from '../jobs/job-store.ts';
import { retryAt } from '../jobs/retry-at.ts';
import type { JobHandler, JobHandlers } from '../jobs/worker.ts';
import type { CalendarSync } from '../reading/calendar-sync.ts';
import type { MirrorStore } from './mirror-store.ts';
import { inParallel } from './run-sync.ts';

export type SyncJobsDeps = {
  readonly sync: CalendarSync;
  readonly mirror: Pick<MirrorStore, 'listCalendars' | 'findList'>;
  readonly jobs: Pick<JobStore, 'schedule'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Every account is looked at this often, whether anybody reads it or not. */
const SYNC_EVERY_MS = 15 * 60_000;

export function syncJobs(deps: SyncJobsDeps): Pick<JobHandlers, 'sync-account' | 'sync-calendar'> {
  return {
    'sync-account': syncAccount(deps),
    'sync-calendar': (calendarKey) => deps.sync.syncCalendar(calendarKey, deps.now()),
  };
}

/** The list and all its calendars, then the same again after a while, for as long as the account is linked. */
function syncAccount({ sync, mirror, jobs, now }: SyncJobsDeps): JobHandler {
  return async (accountKey) => {
    const startedAt = now();
    const failure = await sync.syncList(accountKey, startedAt);
    if (failure !== undefined) return failure;
    const calendars = await mirror.listCalendars(accountKey);
    await inParallel(calendars, async ({ calendarKey }) => {
      const failed = await sync.syncCalendar(calendarKey, startedAt);
      if (failed)
        await jobs.schedule('sync-calendar', calendarKey, retryAt(failed, { attempts: 0, now: now() }));
    });
    if ((await mirror.findList(accountKey)) === undefined) return undefined;
    const spread = Math.round(SYNC_EVERY_MS * (0.8 + 0.4 * Math.random()));
    await jobs.schedule('sync-account', accountKey, startedAt + spread);
    return undefined;
  };
}
