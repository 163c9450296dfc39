/** What the dashboard works with. */

import type { AppRegistration } from '../access/app-registration.ts';
import type { AppKind, ProviderAppStore, ProviderApps } from '../access/provider-apps.ts';
import type { Caller } from '../audit/audit-entry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { BrandingStore } from '../branding/branding-store.ts';
import type { LogoDrawing } from '../branding/logo-drawing.ts';
import type { AccountStore } from '../calendars/account-store.ts';
import type { HealthHistory } from '../calendars/health-history.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type { AttemptLimit } from '../http/attempt-limit.ts';
import type { Egress } from '../lib/egress/egress.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import type { SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import type { Log } from '../lib/log.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import type { SigningKeyStore } from '../oauth/signing-key-store.ts';
import type { TokenFamilyStore } from '../oauth/token-family-store.ts';
import type { UserStore } from '../oauth/user-store.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { SignInLimits, SignInOutcome, SignInWay } from '../people/sign-in.ts';
import type { SingleSignOn } from '../people/single-sign-on.ts';
import type { PlaygroundDeps } from '../playground/connect-test-user.ts';
import type { TestUserStore } from '../playground/test-user-store.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import type { MasterKeyStore } from '../system/master-key-store.ts';
import type { RunningProgram } from '../system/running-program.ts';
import type { SystemStore } from '../system/system-store.ts';
import type { AccountCalendars } from '../user-data/account-calendars.ts';
import type { AilingAccounts } from '../user-data/ailing-accounts.ts';
import type { UserDirectory } from '../user-data/user-directory.ts';
import type { UserRecords } from '../user-data/user-records.ts';
import type { VerificationStore } from '../verification/verification-store.ts';
import type { WatchStore } from '../watches/watch-store.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import type { MessageLog } from '../webhooks/message-log.ts';
import type { SendDeps } from '../webhooks/send-message.ts';
import type { StreamStore } from '../webhooks/stream-store.ts';
import type { WebhookKeyStore } from '../webhooks/webhook-key-store.ts';
import type { WebhookSigner } from '../webhooks/webhook-signer.ts';
import type { OverviewDeps } from './overview.ts';

/** Stores with changes that are audited. */
export type AuditedStores = {
  readonly people: PersonStore;
  readonly clients: ClientStore;
  readonly branding: BrandingStore;
  readonly endpoints: EndpointStore;
  readonly messages: MessageLog;
  readonly verification: VerificationStore;
  readonly providerApps: ProviderAppStore;
  readonly users: UserStore;
  readonly testUsers: TestUserStore;
  readonly userRecords: UserRecords;
  readonly families: TokenFamilyStore;
  readonly accounts: AccountStore;
  readonly signingKeys: SigningKeyStore;
  readonly webhookKeys: WebhookKeyStore;
  readonly system: SystemStore;
  readonly masterKey: Pick<MasterKeyStore, 'masterKeyState'>;
};

/** What test users connect with. */
type PlaygroundParts = Pick<PlaygroundDeps, 'activityNotes' | 'codes' | 'signer' | 'pushedRequests'> & {
  readonly successorKey: Buffer;
  readonly families: TokenFamilyStore;
  readonly accounts: Pick<AccountStore, 'listAccounts'>;
  /** Those that users can connect here. */
  readonly offeredProviders: readonly ProviderKind[];
  readonly apps: ProviderApps;
};
type DashboardStores = AuditedStores & PlaygroundParts & OverviewDeps;

export type DashboardDeps = Omit<DashboardStores, 'signingKeys'> & {
  readonly program: RunningProgram;
  /** Seals new keys. */
  readonly sealer: Sealer;
  readonly audit: AuditLog;
  readonly userDirectory: UserDirectory;
  readonly ailing: AilingAccounts;
  readonly healthHistory: HealthHistory;
  readonly accountCalendars: AccountCalendars;
  readonly watches: Pick<WatchStore, 'listUpdates'>;
  /** Takes what was deleted off the disk; false where that comes later. */
  readonly clearLog: () => Promise<boolean>;
  /** Seals ids of users for who may not read them. */
  readonly userReferenceKey: Buffer;
  /** The same stores, with what they change told in the audit log as the caller's doing. */
  readonly auditedFor: (caller: Caller) => AuditedStores;
  /** The origin that applications and their users know this instance by. */
  readonly publicUrl: string;
  /** Fetches what addresses that people name have. */
  readonly egress: Egress;
  readonly drawLogo: LogoDrawing;
  readonly appRegistrations: Readonly<Record<AppKind, AppRegistration>>;
  /** How often one application may have its apps at providers checked. */
  readonly appChecks: AttemptLimit;
  /** Who reviews applications, as their users read it; undefined where nobody is named. */
  readonly operatorName: string | undefined;
  readonly requestLog: RequestLog;
  /** For how many days requests are kept; 0: they are not. */
  readonly requestLogDays: number;
  readonly streams: Pick<StreamStore, 'toldCalendar' | 'shownOfAccount'>;
  /** How an event is named to who may see no more than when it is. */
  readonly busyId: (event: { readonly calendarKey: string; readonly id: string }) => string;
  readonly webhookSigner: WebhookSigner;
  readonly webhookEgress: SendDeps['webhookEgress'];
  /** What deliveries may reach. */
  readonly privateNetwork: PrivateNetwork;
  readonly signInLimits: SignInLimits;
  readonly passwordSlots: SlotQueue;
  /** Counts sign-ins for the metric. Undefined if metrics are off. */
  readonly signInEnded?: ((way: SignInWay, outcome: SignInOutcome) => void) | undefined;
  /** Undefined: there is none. */
  readonly singleSignOn: SingleSignOn | undefined;
  /** Marks browsers in which somebody signed in before. */
  readonly knownBrowserKey: Buffer;
  /** The origin that browsers know the dashboard by; undefined: there is none. */
  readonly dashboardUrl: string | undefined;
  /** Whether it is on an origin of its own, and nowhere else. */
  readonly hasOwnOrigin: boolean;
  /** Returns whether the dashboard can be reached from this network address. */
  readonly isDashboardNetwork: (address: string) => boolean;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Those of an instance that has one. */
export type OpenDashboard = DashboardDeps & { readonly dashboardUrl: string };
