import type { EndedAccessStore } from '../../access/ended-access-store.ts';
import type { ProviderApps } from '../../access/provider-apps.ts';
import type { ActivityNotes } from '../../activity/activity.ts';
import type { BrandingStore } from '../../branding/branding-store.ts';
import type { AccountLimits, AccountStore } from '../../calendars/account-store.ts';
import type { CalendarChoiceStore } from '../../calendars/calendar-choice-store.ts';
import type { CalendarProvider } from '../../calendars/calendar-provider.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { ClientStore } from '../../oauth/client-store.ts';
import type { PushedRequestStore } from '../../oauth/pushed-request-store.ts';
import type { UserStore } from '../../oauth/user-store.ts';
import type { VerificationStore } from '../../verification/verification-store.ts';
import type { AuthorizationRequestStore } from './authorization-request-store.ts';
import type { ConnectAttempts } from './connect-attempts.ts';
import type { FormSlots } from './form-slots.ts';
import type { SignInStore } from './sign-in-store.ts';

export type ConnectDeps = {
  readonly clients: Pick<ClientStore, 'findClient'>;
  readonly users: Pick<UserStore, 'isUser' | 'loadOrCreateUser'>;
  readonly requests: AuthorizationRequestStore;
  readonly pushedRequests: Pick<PushedRequestStore, 'spend'>;
  readonly signIns: SignInStore;
  readonly accounts: Pick<
    AccountStore,
    'linkAccount' | 'findAccount' | 'listAccounts' | 'loadingOf' | 'credentialsOf' | 'removeAccount'
  >;
  readonly accountLimits: AccountLimits;
  readonly calendarChoices: Pick<CalendarChoiceStore, 'chosenCalendars' | 'chooseCalendars'>;
  readonly branding: Pick<BrandingStore, 'findLook'>;
  readonly verification: Pick<VerificationStore, 'findVerification'>;
  /** For the notice about unverified applications (docs/wire.md 4.4). Without it there is no notice. */
  readonly operatorName: string | undefined;
  /** For access that was granted too late to be linked. */
  readonly endedAccess: Pick<EndedAccessStore, 'addEndedAccess'>;
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  /** The providers that users can connect here, in display order. */
  readonly offeredProviders: readonly ProviderKind[];
  /** The limit of open requests per application. Above it, the oldest in which nothing was done are deleted. */
  readonly mostOpenRequests: number;
  /** The provider apps. A provider with its own sign-in pages is available to an application that has one there. */
  readonly apps: ProviderApps;
  /** The origins of those sign-in pages, to which our forms may lead. */
  readonly signInOrigins: readonly string[];
  /** The public origin, without a trailing slash. */
  readonly publicUrl: string;
  /** Derives the key of reconnect links. */
  readonly sealer: Pick<Sealer, 'derive'>;
  readonly attempts: ConnectAttempts;
  readonly formSlots: FormSlots;
  readonly activityNotes: ActivityNotes;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};
