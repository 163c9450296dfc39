/** Every store on one database, under the names that features use for them. */
import type { Caller } from '../audit/audit-entry.ts';
import type { StorageQuotas } from '../calendars/too-large-error.ts';
import type { Sealer } from '../lib/sealing.ts';
import { accountCalendars } from './account-calendars.ts';
import { accountStore } from './account-store.ts';
import { activityStore } from './activity-store.ts';
import { ailingAccounts } from './ailing-accounts.ts';
import { auditLog } from './audit-log.ts';
import { authorizationCodeStore } from './authorization-code-store.ts';
import { authorizationRequestStore } from './authorization-request-store.ts';
import { brandingStore } from './branding-store.ts';
import { calendarChoiceStore } from './calendar-choice-store.ts';
import { changeFeed } from './change-feed.ts';
import { clientStore } from './client-store.ts';
import { connectionCounts } from './connection-counts.ts';
import type { Database } from './drivers/database.ts';
import { endedAccessStore } from './ended-access-store.ts';
import { eventReader } from './event-reader.ts';
import { followedAccounts } from './followed-accounts.ts';
import { healthHistory } from './health-history.ts';
import { idempotencyStore } from './idempotency-store.ts';
import { jobStore } from './job-store.ts';
import { masterKeyStore } from './master-key-store.ts';
import { mirrorStore } from './mirror-store.ts';
import { personStore } from './person-store.ts';
import { providerAppStore } from './provider-app-store.ts';
import { pushedRequestStore } from './pushed-request-store.ts';
import { requestLimitStore } from './request-limit-store.ts';
import { requestLog } from './request-log.ts';
import { signInStore } from './sign-in-store.ts';
import { signingKeyStore } from './signing-key-store.ts';
import { splitJournal } from './split-journal.ts';
import { storedEvents } from './stored-events.ts';
import { systemStore } from './system-store.ts';
import { testUserStore } from './test-user-store.ts';
import { tokenFamilyStore } from './token-family-store.ts';
import { tokenLeaseStore } from './token-lease-store.ts';
import { userDirectory } from './user-directory.ts';
import { userRecords } from './user-records.ts';
import { userStore } from './user-store.ts';
import { verificationStore } from './verification-store.ts';
import { watchStore } from './watch-store.ts';
import { endpointStore } from './webhook-endpoint-store.ts';
import { webhookKeyStore } from './webhook-key-store.ts';
import { messageLog } from './webhook-message-log.ts';
import { streamStore } from './webhook-stream-store.ts';
import { subscriptionStore } from './webhook-subscription-store.ts';

/**
 * `sealer` seals what is secret; `notify` is called when a store has made a job, `notifyDeliveries` when one may have made a
 * delivery or a resend due; `quotas`: what is kept of events.
 */
export type StoresOptions = {
  readonly sealer: Sealer;
  readonly notify?: () => void;
  readonly notifyDeliveries?: () => void;
  readonly quotas?: StorageQuotas;
  readonly endpointsPerApplication?: number;
};

export type Stores = ReturnType<typeof openStores>;

/** The stores on a migrated database. Nothing but `db` needs closing. */
export function openStores(db: Database, options: StoresOptions) {
  const { sealer, notify, notifyDeliveries, quotas, endpointsPerApplication: most } = options;
  /** Those with changes of operators: each entry is written in the transaction of its change. */
  const auditedStores = (caller?: Caller) => ({
    clients: clientStore(db, caller, most),
    people: personStore(db, caller),
    branding: brandingStore(db, caller),
    verification: verificationStore(db, caller),
    users: userStore(db, caller),
    userRecords: userRecords(db, sealer, caller),
    families: tokenFamilyStore(db, caller),
    signingKeys: signingKeyStore(db, caller),
    providerApps: providerAppStore(db, sealer, caller),
    accounts: accountStore(db, sealer, { jobScheduled: notify, caller }),
    webhookKeys: webhookKeyStore(db, caller),
    endpoints: endpointStore(db, sealer, { caller, most }),
    messages: messageLog(db, sealer, { resendRequested: notifyDeliveries, caller }),
    testUsers: testUserStore(db, sealer, caller),
    system: systemStore(db, caller),
    masterKey: masterKeyStore(db, sealer, caller),
  });
  return {
    ...auditedStores(),
    /** The same for an operator. Without one, what is done for applications and their users is not audited. */
    auditedFor: (caller: Caller) => auditedStores(caller),
    audit: auditLog(db),
    activity: activityStore(db),
    connectionCounts: connectionCounts(db),
    codes: authorizationCodeStore(db),
    requests: authorizationRequestStore(db, sealer),
    pushedRequests: pushedRequestStore(db),
    signIns: signInStore(db, sealer),
    tokens: tokenLeaseStore(db, sealer, notify),
    requestLimits: requestLimitStore(db),
    requestLog: requestLog(db),
    endedAccess: endedAccessStore(db, sealer, notify),
    calendarChoices: calendarChoiceStore(db, notify),
    healthHistory: healthHistory(db),
    userDirectory: userDirectory(db),
    ailing: ailingAccounts(db),
    accountCalendars: accountCalendars(db),
    mirror: mirrorStore(db, quotas, notifyDeliveries),
    followed: followedAccounts(db),
    watches: watchStore(db),
    events: eventReader(db),
    changes: changeFeed(db),
    jobs: jobStore(db, notify),
    storedEvents: storedEvents(db),
    idempotency: idempotencyStore(db),
    splits: splitJournal(db, notify),
    streams: streamStore(db, sealer),
    subscriptions: subscriptionStore(db),
  };
}
