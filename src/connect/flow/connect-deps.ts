/** What the Connect pages work with; the program hands it in (see main.ts). */
import type { EndedAccessStore } from '../../access/ended-access-store.ts';
import type { ProviderApps } from '../../access/provider-apps.ts';
import type { ActivityNotes } from '../../activity/activity.ts';
import type { BrandingStore } from '../../branding/branding-store.ts';
import type { AccountLimits, AccountStore } from '../../calendars/account-store.ts';
import type { CalendarChoiceStore } from '../../calendars/calendar-choice-store.ts';
import type { CalendarProvider } from '../../calendars/calendar-provider.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { Caller } from '../../http/address-key.ts';
import type { AttemptLimit, RefundableLimit } from '../../http/attempt-limit.ts';
import type { Log } from '../../lib/log.ts';
import type { ClientStore } from '../../oauth/client-store.ts';
import type { PushedRequestStore } from '../../oauth/pushed-request-store.ts';
import type { UserStore } from '../../oauth/user-store.ts';
import type { VerificationStore } from '../../verification/verification-store.ts';
import type { AuthorizationRequestStore } from './authorization-request-store.ts';
import type { SignInStore } from './sign-in-store.ts';

export type ConnectDeps = {
  readonly clients: Pick<ClientStore, 'findClient'>;
  readonly users: Pick<UserStore, 'isUser' | 'loadOrCreateUser'>;
  readonly requests: AuthorizationRequestStore;
  /** What applications pushed to `POST /par`. */
  readonly pushedRequests: Pick<PushedRequestStore, 'spend'>;
  /** Browsers on their way to a provider and back. */
  readonly signIns: SignInStore;
  readonly accounts: Pick<
    AccountStore,
    'linkAccount' | 'findAccount' | 'loadingOf' | 'credentialsOf' | 'removeAccount'
  >;
  readonly accountLimits: AccountLimits;
  /** Which of an account's calendars its owner wants. */
  readonly calendarChoices: Pick<CalendarChoiceStore, 'chosenCalendars' | 'chooseCalendars'>;
  /** How applications look, and who helps their users. */
  readonly branding: Pick<BrandingStore, 'findLook'>;
  /** Which of that users may see. */
  readonly verification: Pick<VerificationStore, 'findVerification'>;
  /**
   * Who runs this instance, as the notice on applications that are not verified names them
   * (docs/wire.md 4.4); `undefined`: there is no such notice.
   */
  readonly operatorName: string | undefined;
  /** For access that was given too late to be linked. */
  readonly endedAccess: Pick<EndedAccessStore, 'addEndedAccess'>;
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  /** Those that users can connect here, in the order every list has. */
  readonly offeredProviders: readonly ProviderKind[];
  /** Over so many open requests of an application, the oldest in which nothing was done are forgotten. */
  readonly mostOpenRequests: number;
  /** Providers with pages of their own are set up for an application where it has an app there. */
  readonly apps: ProviderApps;
  /** Where those pages are: origins, which forms of ours may lead to. */
  readonly signInOrigins: readonly string[];
  /** The public origin, without a trailing slash. */
  readonly publicUrl: string;
  readonly attempts: ConnectAttempts;
  /** Counts how far flows come. */
  readonly activityNotes: ActivityNotes;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The limits of the pages (docs/security.md T3): each counts an attempt under its key. */
export type ConnectAttempts = {
  /** Flows started, and sign-ins begun at a provider, by application and address. */
  readonly authorize: AttemptLimit<Caller>;
  /** Users made by `/authorize`, by application and address. */
  readonly newUsers: AttemptLimit<Caller>;
  /** By the id of the authorization request. */
  readonly passwordsInTransaction: RefundableLimit;
  readonly passwordsFromAddress: RefundableLimit;
  /** Passwords tried to confirm one account, by its internal key, from wherever they come. */
  readonly passwordsForAccount: RefundableLimit;
};
