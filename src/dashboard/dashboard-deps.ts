/** What the dashboard works with. */

import type { AppRegistration } from '../access/app-registration.ts';
import type { AppKind, ProviderApps } from '../access/provider-apps.ts';
import type { Caller } from '../audit/audit-entry.ts';
import type { LogoDrawing } from '../branding/logo-drawing.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { AttemptLimit } from '../http/attempt-limit.ts';
import type { Egress } from '../lib/egress/egress.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import type { SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import type { Log } from '../lib/log.ts';
import type { SignInLimits, SignInOutcome, SignInWay } from '../people/sign-in.ts';
import type { SingleSignOn } from '../people/single-sign-on.ts';
import type { PlaygroundDeps } from '../playground/connect-test-user.ts';
import type { TestUserStore } from '../playground/test-user-store.ts';
import type { AuditedStores as AuditedOperatorStores, OperatorStores } from '../system/operator-stores.ts';
import type { RunningProgram } from '../system/running-program.ts';
import type { SendDeps } from '../webhooks/send-message.ts';
import type { WebhookSigner } from '../webhooks/webhook-signer.ts';
import type { OverviewDeps } from './overview.ts';

/** Stores with changes that are audited. */
export type AuditedStores = AuditedOperatorStores & { readonly testUsers: TestUserStore };

/** What test users connect with. */
type PlaygroundParts = Pick<PlaygroundDeps, 'activityNotes' | 'codes' | 'signer' | 'pushedRequests'> & {
  readonly successorKey: Buffer;
  /** Those that users can connect here. */
  readonly offeredProviders: readonly ProviderKind[];
  readonly apps: ProviderApps;
};
type DashboardStores = Omit<OperatorStores, 'auditedFor'> & AuditedStores & PlaygroundParts & OverviewDeps;

export type DashboardDeps = Omit<DashboardStores, 'signingKeys'> & {
  readonly program: RunningProgram;
  /** Seals ids of users for who may not read them. */
  readonly userReferenceKey: Buffer;
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
  /** For how many days requests are kept; 0: they are not. */
  readonly requestLogDays: number;
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
