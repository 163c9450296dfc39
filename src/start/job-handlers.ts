/** The handler of each kind of job, and the deletions of housekeeping. */
import { type EndAccessDeps, endAccess } from '../access/end-access.ts';
import { deleteOldActivity } from '../activity/activity.ts';
import type { ActivityStore } from '../activity/activity-store.ts';
import { deleteOldEntries, type OldEntriesDeps } from '../audit/old-entries.ts';
import type { ConnectionCounts } from '../calendars/connection-counts.ts';
import { HEALTH_EVENTS_KEPT_MS } from '../calendars/health-history.ts';
import { REQUEST_LIFETIME_MS } from '../connect/flow/connect-flow.ts';
import { deleteExpired, type HousekeepingDeps } from '../jobs/housekeeping.ts';
import type { JobHandlers } from '../jobs/worker.ts';
import { type ExpiredGrantsDeps, expiredGrants } from '../oauth/expired-grants.ts';
import { PUSHED_REQUEST_KEPT_MS } from '../oauth/pushed-requests.ts';
import { deleteEndedSessions } from '../people/sessions.ts';
import { deleteEndedTestUsers, type EndedTestUsersDeps } from '../playground/ended-test-users.ts';
import { deleteOldChanges, type OldChangesDeps } from '../reading/old-changes.ts';
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
  ExpiredGrantsDeps &
  IdempotencyDeps &
  OldChangesDeps &
  OldEntriesDeps &
  EndedTestUsersDeps &
  Pick<
    Stores,
    | 'requests'
    | 'people'
    | 'requestLog'
    | 'accounts'
    | 'healthHistory'
    | 'pushedRequests'
    | 'requestLimits'
    | 'webhookKeys'
    | 'messages'
    | 'endpoints'
    | 'system'
  > & {
    readonly requestLogDays: number;
    readonly requestLogRows: number;
    readonly activity: ActivityStore;
    readonly connectionCounts: Pick<ConnectionCounts, 'keepTotals'>;
  };

const DAY_MS = 24 * 3_600_000;
const MESSAGES_KEPT_MS = 30 * DAY_MS;

/** By then a redemption at the last moment has finished. */
const UNFINISHED_GRACE_MS = 60_000;

export function jobHandlers(deps: JobHandlerDeps): JobHandlers {
  const deletions = {
    requests: () => deps.requests.deleteExpiredRequests(deps.now() - REQUEST_LIFETIME_MS),
    unfinished: () => deps.accounts.dropUnfinished(deps.now() - UNFINISHED_GRACE_MS, deps.now()),
    pushedRequests: () => deps.pushedRequests.deleteExpired(deps.now() - PUSHED_REQUEST_KEPT_MS),
    ...expiredGrants(deps),
    limits: () => deps.requestLimits.deleteUnusedLimits(deps.now()),
    answers: () => deleteOldAnswers(deps),
    changes: () => deleteOldChanges(deps),
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
