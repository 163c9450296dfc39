/** The handler of each kind of job, and the deletions of housekeeping. */
import { type EndAccessDeps, endAccess } from '../access/end-access.ts';
import { deleteOldActivity } from '../activity/activity.ts';
import type { ActivityStore } from '../activity/activity-store.ts';
import { deleteOldEntries, type OldEntriesDeps } from '../audit/old-entries.ts';
import type { ConnectionCounts } from '../calendars/connection-counts.ts';
import { HEALTH_EVENTS_KEPT_MS } from '../calendars/health-history.ts';
import { REQUEST_LIFETIME_MS } from '../connect/flow/connect-flow.ts';
import type { JobHandler, JobHandlers, WorkerDeps } from '../jobs/worker.ts';
import { PUSHED_REQUEST_KEPT_MS } from '../oauth/pushed-requests.ts';
import { deleteEndedSessions } from '../people/sessions.ts';
import { deleteEndedTestUsers, type EndedTestUsersDeps } from '../playground/ended-test-users.ts';
import { type SyncJobsDeps, syncJobs } from '../sync/sync-jobs.ts';
import { keepSizeOfDay } from '../system/database-growth.ts';
import { finishSplits } from '../writing/finish-splits.ts';
import { deleteOldAnswers, type IdempotencyDeps } from '../writing/idempotency.ts';
import type { WriteDeps } from '../writing/write-deps.ts';
import type { Stores } from './open-storage.ts';

export type JobHandlerDeps = SyncJobsDeps &
  WriteDeps &
  EndAccessDeps &
  HousekeepingDeps &
  IdempotencyDeps &
  OldEntriesDeps &
  EndedTestUsersDeps &
  Pick<
    Stores,
    | 'requests'
    | 'codes'
    | 'families'
    | 'users'
    | 'changes'
    | 'people'
    | 'requestLog'
    | 'accounts'
    | 'healthHistory'
    | 'pushedRequests'
    | 'usedJtis'
    | 'requestLimits'
    | 'attemptCounts'
    | 'webhookKeys'
    | 'messages'
    | 'endpoints'
    | 'system'
    | 'adminRequests'
  > & {
    readonly requestLogDays: number;
    readonly requestLogRows: number;
    readonly activity: ActivityStore;
    readonly connectionCounts: Pick<ConnectionCounts, 'keepTotals'>;
  };

const DAY_MS = 24 * 3_600_000;
const HOUSEKEEPING_EVERY_MS = 10 * 60_000;
/** Far longer than the code's ten minutes, so that a late exchange is reported as expired (docs/wire.md O7). */
const CODES_KEPT_MS = DAY_MS;
const IDLE_USERS_KEPT_MS = 30 * DAY_MS;
/** Afterwards a client must read everything again; docs/reading.md promises it. */
const CHANGES_KEPT_MS = 30 * DAY_MS;
const MESSAGES_KEPT_MS = 30 * DAY_MS;

/** By then a redemption at the last moment has finished. */
const UNFINISHED_GRACE_MS = 60_000;

export function jobHandlers(deps: JobHandlerDeps): JobHandlers {
  const deletions = {
    requests: () => deps.requests.deleteExpiredRequests(deps.now() - REQUEST_LIFETIME_MS),
    unfinished: () => deps.accounts.dropUnfinished(deps.now() - UNFINISHED_GRACE_MS, deps.now()),
    pushedRequests: () => deps.pushedRequests.deleteExpired(deps.now() - PUSHED_REQUEST_KEPT_MS),
    usedJtis: () => deps.usedJtis.deleteExpired(deps.now()),
    codes: () => deps.codes.deleteExpiredCodes(deps.now() - CODES_KEPT_MS),
    grants: () => deps.families.deleteEndedGrants(deps.now() - DAY_MS),
    users: () => deps.users.deleteIdleUsers(deps.now() - IDLE_USERS_KEPT_MS),
    limits: () => deps.requestLimits.deleteUnusedLimits(deps.now()),
    attempts: () => deps.attemptCounts.deleteEndedAttempts(deps.now()),
    answers: () => deleteOldAnswers(deps),
    adminAnswers: () => deleteOldAnswers({ ...deps, idempotency: deps.adminRequests }),
    changes: () => deps.changes.forgetChanges(deps.now() - CHANGES_KEPT_MS),
    webhookKeys: () => deps.webhookKeys.deleteRetiredWebhookKeys(deps.now()),
    messages: () => deps.messages.deleteOldMessages(deps.now() - MESSAGES_KEPT_MS),
    requestLog: () => deps.requestLog.deleteOldRequests(deps.now() - deps.requestLogDays * DAY_MS),
    healthEvents: () => deps.healthHistory.deleteOldHealthEvents(deps.now() - HEALTH_EVENTS_KEPT_MS),
    auditEntries: () => deleteOldEntries(deps),
    people: () => deleteEndedSessions(deps),
    testUsers: () => deleteEndedTestUsers(deps),
    activity: () => deleteOldActivity(deps),
    listeners: () => deps.endpoints.removeEndedListeners(deps.now()),
    excessRequests: () => deps.requestLog.deleteExcessRequests(deps.requestLogRows),
  };
  const housekeeping = deleteExpired(deletions, deps);
  return {
    ...syncJobs(deps),
    'finish-splits': (calendarKey) => finishSplits(calendarKey, deps),
    'end-access': (accountKey) => endAccess(accountKey, deps),
    async housekeeping(key, signal) {
      await deps.connectionCounts.keepTotals(deps.now());
      await keepSizeOfDay(deps.system, deps.now());
      return housekeeping(key, signal);
    },
  };
}

/** The deletions of expired data by name. Each returns how many rows it deleted. */
type Deletions = Readonly<Record<string, () => Promise<number>>>;

type HousekeepingDeps = Pick<WorkerDeps, 'jobs' | 'log' | 'now'>;

/** Returns the job that runs all deletions, one after the other, and then schedules itself again. */
function deleteExpired(deletions: Deletions, { jobs, log, now }: HousekeepingDeps): JobHandler {
  return async (_key, signal) => {
    const deleted: Record<string, number> = {};
    for (const [name, deleteOld] of Object.entries(deletions)) {
      if (signal.aborted) return undefined;
      deleted[name] = await deleteOld();
    }
    log.debug({ event: 'housekeeping_done', deleted }, 'Expired rows were deleted');
    await jobs.schedule('housekeeping', '', now() + HOUSEKEEPING_EVERY_MS);
    return undefined;
  };
}
