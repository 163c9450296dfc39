/** All stores of a database, under the names that features use. */
import type { StorageQuotas } from '../calendars/too-large-error.ts';
import type { Sealer } from '../lib/sealing.ts';
import { accountStore } from './accounts/account-store.ts';
import { accountsByHealth } from './accounts/accounts-by-health.ts';
import { connectionCounts } from './accounts/connection-counts.ts';
import { endedAccessStore } from './accounts/ended-access-store.ts';
import { healthHistory } from './accounts/health-history.ts';
import { tokenLeaseStore } from './accounts/token-lease-store.ts';
import { watchStore } from './accounts/watch-store.ts';
import { activityStore } from './activity-store.ts';
import { alertStore } from './alert-store.ts';
import { brandingStore } from './applications/branding-store.ts';
import { clientKeyStore } from './applications/client-key-store.ts';
import { clientStore } from './applications/client-store.ts';
import { providerAppStore } from './applications/provider-app-store.ts';
import { senderConstraints } from './applications/sender-constraints.ts';
import { verificationStore } from './applications/verification-store.ts';
import { attemptStore } from './attempt-store.ts';
import { auditLog } from './audit/audit-log.ts';
import { changeFeed } from './changes/change-feed.ts';
import type { Database } from './drivers/database.ts';
import { eventReader } from './events/event-reader.ts';
import { storedEvents } from './events/stored-events.ts';
import { adminRequestStore, idempotencyStore } from './idempotency-store.ts';
import { followedAccounts } from './jobs/followed-accounts.ts';
import { jobStore } from './jobs/job-store.ts';
import { masterKeyStore } from './keys/master-key-store.ts';
import { signingKeyStore } from './keys/signing-key-store.ts';
import { managedStore } from './managed-store.ts';
import { accountCalendars } from './mirror/account-calendars.ts';
import { calendarChoiceStore } from './mirror/calendar-choice-store.ts';
import { mirrorStore } from './mirror/mirror-store.ts';
import { splitJournal } from './mirror/split-journal.ts';
import { authorizationCodeStore } from './oauth/authorization-code-store.ts';
import { authorizationRequestStore } from './oauth/authorization-request-store.ts';
import { pushedRequestStore } from './oauth/pushed-request-store.ts';
import { signInStore } from './oauth/sign-in-store.ts';
import { tokenFamilyStore } from './oauth/token-family-store.ts';
import { usedJtiStore } from './oauth/used-jti-store.ts';
import { adminKeyStore } from './people/admin-key-store.ts';
import { personStore } from './people/person-store.ts';
import { requestLimitStore } from './request-limit-store.ts';
import { requestLog } from './request-log.ts';
import { systemStore } from './system-store.ts';
import { testUserStore } from './users/test-user-store.ts';
import { userDirectory } from './users/user-directory.ts';
import { userRecords } from './users/user-records.ts';
import { userStore } from './users/user-store.ts';
import { unhealthyEndpoints } from './webhooks/unhealthy-endpoints.ts';
import { endpointStore } from './webhooks/webhook-endpoint-store.ts';
import { webhookKeyStore } from './webhooks/webhook-key-store.ts';
import { messageLog } from './webhooks/webhook-message-log.ts';
import { streamStore } from './webhooks/webhook-stream-store.ts';
import { subscriptionStore } from './webhooks/webhook-subscription-store.ts';

/** `notify` is called after a job was created, `notifyDeliveries` after a delivery or a resend may have become due. */
export type StoresOptions = {
  readonly sealer: Sealer;
  readonly notify?: () => void;
  readonly notifyDeliveries?: () => void;
  readonly quotas?: StorageQuotas;
  readonly endpointsPerApplication?: number;
};

export type Stores = ReturnType<typeof openStores>;

/** Opens the stores on a migrated database. Only `db` has to be closed. */
export function openStores(db: Database, options: StoresOptions) {
  const { sealer, notify, notifyDeliveries, quotas, endpointsPerApplication: most } = options;
  return {
    clients: clientStore(db, most),
    clientKeys: clientKeyStore(db),
    people: personStore(db),
    adminKeys: adminKeyStore(db),
    branding: brandingStore(db),
    verification: verificationStore(db),
    users: userStore(db),
    userRecords: userRecords(db, sealer),
    families: tokenFamilyStore(db),
    usedJtis: usedJtiStore(db),
    senderConstraints: senderConstraints(db),
    signingKeys: signingKeyStore(db),
    providerApps: providerAppStore(db, sealer),
    accounts: accountStore(db, sealer, { jobScheduled: notify }),
    webhookKeys: webhookKeyStore(db),
    endpoints: endpointStore(db, sealer, most),
    messages: messageLog(db, sealer, notifyDeliveries),
    testUsers: testUserStore(db, sealer),
    system: systemStore(db),
    alerts: alertStore(db),
    masterKey: masterKeyStore(db, sealer),
    managed: managedStore(db),
    audit: auditLog(db),
    activity: activityStore(db),
    connectionCounts: connectionCounts(db),
    codes: authorizationCodeStore(db),
    requests: authorizationRequestStore(db, sealer),
    pushedRequests: pushedRequestStore(db),
    signIns: signInStore(db, sealer),
    tokens: tokenLeaseStore(db, sealer, notify),
    requestLimits: requestLimitStore(db),
    attemptCounts: attemptStore(db),
    requestLog: requestLog(db),
    endedAccess: endedAccessStore(db, sealer, notify),
    calendarChoices: calendarChoiceStore(db, notify),
    healthHistory: healthHistory(db),
    userDirectory: userDirectory(db),
    accountsByHealth: accountsByHealth(db),
    unhealthyEndpoints: unhealthyEndpoints(db),
    accountCalendars: accountCalendars(db),
    mirror: mirrorStore(db, quotas, notifyDeliveries),
    followed: followedAccounts(db),
    watches: watchStore(db),
    events: eventReader(db),
    changes: changeFeed(db),
    jobs: jobStore(db, notify),
    storedEvents: storedEvents(db),
    idempotency: idempotencyStore(db),
    adminRequests: adminRequestStore(db, sealer),
    splits: splitJournal(db, notify),
    streams: streamStore(db, sealer),
    subscriptions: subscriptionStore(db),
  };
}
