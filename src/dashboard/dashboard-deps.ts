/** The dependencies of the dashboard. */

import type { AppRegistration } from '../access/app-registration.ts';
import type { AppKind, ProviderApps } from '../access/provider-apps.ts';
import type { LogoDrawing } from '../branding/logo-drawing.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { AttemptLimit, RefundableLimit } from '../http/attempt-limit.ts';
import type { DashboardOrigin } from '../http/dashboard-origin.ts';
import type { Egress } from '../lib/egress/egress.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';
import type { SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import type { Log } from '../lib/log.ts';
import type { Mailer } from '../lib/mail/mailer.ts';
import type { SigningKeyStore } from '../oauth/signing-key-store.ts';
import type { SignInLimits, SignInOutcome, SignInWay } from '../people/sign-in.ts';
import type { SingleSignOn } from '../people/single-sign-on.ts';
import type { PlaygroundDeps } from '../playground/connect-test-user.ts';
import type { TestUserStore } from '../playground/test-user-store.ts';
import type { AlertChannel } from '../system/alert-channels.ts';
import type { OperatorStores } from '../system/operator-stores.ts';
import type { RunningProgram } from '../system/running-program.ts';
import type { SendDeps } from '../webhooks/send-message.ts';
import type { WebhookSigner } from '../webhooks/webhook-signer.ts';
import type { OverviewDeps } from './overview.ts';

type PlaygroundParts = Pick<PlaygroundDeps, 'activityNotes' | 'codes' | 'signer' | 'pushedRequests'> & {
  readonly successorKey: Buffer;
  /** The providers that users can connect at this instance. */
  readonly offeredProviders: readonly ProviderKind[];
  readonly apps: ProviderApps;
};
type DashboardStores = Omit<OperatorStores, 'signingKeys'> & PlaygroundParts & OverviewDeps;

export type DashboardDeps = DashboardStores &
  DashboardOrigin & {
    readonly signingKeyStore: SigningKeyStore;
    readonly testUsers: TestUserStore;
    readonly program: RunningProgram;
    /** Seals user ids for members who may not read them. */
    readonly userReferenceKey: Buffer;
    /** The origin of the Connect pages and the API. */
    readonly publicUrl: string;
    /** Fetches URLs that members typed, and asks providers about apps. */
    readonly egress: Egress;
    readonly drawLogo: LogoDrawing;
    readonly appRegistrations: Readonly<Record<AppKind, AppRegistration>>;
    /** Limits how often an application's provider apps are checked. */
    readonly appChecks: AttemptLimit;
    /** The reviewer of applications, as users see it. Undefined if none is set. */
    readonly operatorName: string | undefined;
    /** The retention of the request log in days. 0: requests are not stored. */
    readonly requestLogDays: number;
    /** Derives the event id that readers with only free-busy access see. */
    readonly busyId: (event: { readonly calendarKey: string; readonly id: string }) => string;
    readonly webhookSigner: WebhookSigner;
    readonly webhookEgress: SendDeps['webhookEgress'];
    /** The private addresses that deliveries may reach. */
    readonly privateNetwork: PrivateNetwork;
    readonly alertChannels: readonly AlertChannel[];
    /** Mails one-time links. Undefined if no mail server is set. */
    readonly mailer: Mailer | undefined;
    /** Limits the mails that confirm an address, for each member. */
    readonly addressMails: RefundableLimit;
    /** Seals the links that confirm an address. */
    readonly addressKey: Buffer;
    readonly signInLimits: SignInLimits;
    readonly passwordSlots: SlotQueue;
    /** Counts sign-ins for the metric. Undefined if metrics are off. */
    readonly signInEnded?: ((way: SignInWay, outcome: SignInOutcome) => void) | undefined;
    /** Undefined if single sign-on is off. */
    readonly singleSignOn: SingleSignOn | undefined;
    /** Marks browsers in which a member signed in before. */
    readonly knownBrowserKey: Buffer;
    readonly log: Log;
    /** Epoch milliseconds. */
    readonly now: () => number;
  };

/** The dependencies of a dashboard that is on. */
export type OpenDashboard = DashboardDeps & { readonly dashboardUrl: string };
