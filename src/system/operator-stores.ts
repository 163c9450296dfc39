/** The stores of the command line and the dashboard, under their names in `openStores`. */
import type { ProviderAppStore } from '../access/provider-apps.ts';
import type { Caller } from '../audit/audit-entry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { BrandingStore } from '../branding/branding-store.ts';
import type { AccountStore } from '../calendars/account-store.ts';
import type { HealthHistory } from '../calendars/health-history.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import type { SigningKeyStore } from '../oauth/signing-key-store.ts';
import type { TokenFamilyStore } from '../oauth/token-family-store.ts';
import type { UserStore } from '../oauth/user-store.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import type { AccountCalendars } from '../user-data/account-calendars.ts';
import type { UnhealthyAccounts } from '../user-data/ailing-accounts.ts';
import type { UserDirectory } from '../user-data/user-directory.ts';
import type { UserRecords } from '../user-data/user-records.ts';
import type { VerificationStore } from '../verification/verification-store.ts';
import type { WatchStore } from '../watches/watch-store.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import type { MessageLog } from '../webhooks/message-log.ts';
import type { StreamStore } from '../webhooks/stream-store.ts';
import type { WebhookKeyStore } from '../webhooks/webhook-key-store.ts';
import type { MasterKeyStore } from './master-key-store.ts';
import type { SystemStore } from './system-store.ts';

export type AuditedStores = {
  readonly clients: ClientStore;
  readonly people: PersonStore;
  readonly branding: BrandingStore;
  readonly verification: VerificationStore;
  readonly users: UserStore;
  readonly userRecords: UserRecords;
  readonly families: TokenFamilyStore;
  readonly accounts: AccountStore;
  readonly providerApps: ProviderAppStore;
  readonly signingKeys: SigningKeyStore;
  readonly webhookKeys: WebhookKeyStore;
  readonly endpoints: EndpointStore;
  readonly messages: MessageLog;
  readonly system: SystemStore;
  readonly masterKey: MasterKeyStore;
};

export type OperatorStores = AuditedStores & {
  /** Returns the same stores with `caller` as the actor of audited changes. */
  auditedFor(caller: Caller): AuditedStores;
  readonly audit: AuditLog;
  readonly requestLog: RequestLog;
  readonly userDirectory: UserDirectory;
  readonly healthHistory: HealthHistory;
  readonly accountCalendars: AccountCalendars;
  readonly ailing: UnhealthyAccounts;
  readonly watches: Pick<WatchStore, 'listUpdates'>;
  readonly streams: Pick<StreamStore, 'toldCalendar' | 'shownOfAccount'>;
  readonly sealer: Sealer;
  /** Removes deleted data from the disk. Returns false if that happens later. */
  clearLog(): Promise<boolean>;
};
