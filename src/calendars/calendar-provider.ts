/**
 * What every calendar provider can do, in the words of CalDAV (RFC 4791) and its sync (RFC 6578).
 * Google's `nextSyncToken` and Graph's `deltaLink` are sync tokens once they leave their folders.
 */
import type { EgressUser } from '../lib/egress/account-egress.ts';
import type { Scope } from '../oauth/scope.ts';
import type { ProviderCalendar } from './calendar.ts';
import type { CalendarWatching } from './calendar-watching.ts';
import type { CalendarWriting } from './calendar-writing.ts';
import type { EventResource, LeftOutResource } from './event.ts';
import type { EventWriting } from './event-writing.ts';
import type { ProviderKind } from './provider-facts.ts';

export interface CalendarProvider {
  readonly kind: ProviderKind;
  readonly signIn: RedirectSignIn | PasswordSignIn;
  /** `credentials` is what the sign-in or the last renewal answered. */
  open(credentials: ProviderCredentials, session: AccountSession): CalendarAccount;
}

/** One that the user signs in to on a page of ours. Opening an account of it needs no session, but for its owner. */
export interface PasswordProvider extends CalendarProvider {
  readonly signIn: PasswordSignIn;
  open(
    credentials: ProviderCredentials,
    session?: Pick<AccountSession, 'owner' | 'accountKey' | 'user'>,
  ): CalendarAccount;
}

/** One that the user signs in to on the provider's own pages. */
export interface RedirectProvider extends CalendarProvider {
  readonly signIn: RedirectSignIn;
}

/** What an open account needs of the instance while it is in use. Fails with ProviderError only. */
export interface AccountSession {
  /** Names the user whose account it is: users take turns at work that is limited. */
  readonly owner?: string;
  /** The account's internal key: requests are counted by it. */
  readonly accountKey?: string;
  /** The user: their requests share the slots of their application. */
  readonly user?: EgressUser;
  /** An access token that is valid for another minute at least; renewed first when it is not. */
  accessToken(): Promise<string>;
  /** Another one, after the provider answered 401 to `refused`. Fails as `unauthorized` when there is none. */
  renewAccessToken(refused: string): Promise<string>;
  /**
   * Runs one request within the provider's limits over all instances. Waits until it may be sent; fails as
   * `rate_limited` or `unavailable` without sending it when it cannot succeed now.
   */
  limited<T>(operation: string, request: () => Promise<T>): Promise<T>;
}

/** One linked account. Its methods fail with ProviderError only, whatever the provider answered. */
export interface CalendarAccount {
  readonly writing: EventWriting;
  readonly calendarWriting: CalendarWriting;
  /** Absent where the provider tells of nothing and has to be asked. */
  readonly watching?: CalendarWatching;

  /** `known` reads the list as the mirror has it: for an adapter that hears of a calendar only as it reads its events. */
  listCalendars(known?: KnownCalendars): Promise<ProviderCalendar[]>;

  /**
   * The e-mail addresses by which events name the account's user, aliases included, without `mailto:`. Absent where events
   * themselves mark the user (`response` of CalendarEvent).
   */
  userAddresses?(): Promise<readonly string[]>;

  /**
   * What changed since `token`; without one, everything. A token that the provider no longer accepts fails as
   * `sync_token_expired`. An adapter without a sync protocol compares with `stored`. Yields parts, so that a large
   * calendar is never in memory as a whole.
   */
  changesSince(
    calendarHref: string,
    token: string | undefined,
    stored: StoredVersions,
  ): AsyncIterable<Changes>;
}

/** Reads the account's calendars as the mirror has them, with the token that their last sync answered. */
export type KnownCalendars = () => Promise<
  readonly (ProviderCalendar & { readonly syncToken: string | undefined })[]
>;

/** Reads the etags that the mirror has, by href. */
export type StoredVersions = () => Promise<ReadonlyMap<string, string | undefined>>;

/** One part of an answer; `next` is in the last part only. */
export type Changes = {
  readonly changed: readonly EventResource[];
  /** Changed as well, but over the budget of a resource, or not readable. */
  readonly leftOut?: readonly LeftOutResource[];
  /** Hrefs of resources that are listed, and that the mirror has in this version. */
  readonly unchanged?: readonly string[];
  /** Hrefs of resources that are gone. */
  readonly removed: readonly string[];
  /** True when the parts list all resources: any they do not name is gone. */
  readonly complete: boolean;
  readonly next?: string;
};

/** Opaque to all but the adapter that made them; sealed at rest. */
export type ProviderCredentials = Readonly<Record<string, unknown>>;

/** The user signs in on the provider's pages, which redirect back with a code (RFC 6749 §4.1). */
export type RedirectSignIn = {
  readonly method: 'redirect';
  /** Where to send the browser, and what to store, sealed, until it comes back. */
  begin(request: SignInRequest): Promise<{ readonly url: URL; readonly pending: PendingSignIn }>;
  /**
   * Redeems the code in `callback`, the whole URL that the browser came back to. Checks state, issuer and nonce. Fails
   * as `access_denied` when the user refused. A user who left out the calendar permission is no failure:
   * `calendarPermission` is false then.
   */
  complete(callback: URL, pending: PendingSignIn, app: AppInUse): Promise<SignedInAccount>;
  /** Whether the granted scopes, which are the provider's, are enough for `scope`. A later request may need more. */
  covers(grantedScopes: readonly string[], scope: Scope): boolean;
  /**
   * The page where an administrator consents for a whole organisation, which redirects back with `admin_consent`.
   * Absent where the provider has none.
   */
  adminConsentUrl?(app: ProviderApp, request: Pick<SignInRequest, 'redirectUri' | 'scope'>): URL;
  /**
   * Returns new tokens for the refresh token, which replace the credentials. `identity` is the account's; it is undefined
   * if the account was linked before identities were stored.
   */
  renew(credentials: OAuthCredentials, app: AppInUse, identity?: string): Promise<OAuthCredentials>;
  /** Ends the access at the provider, if it offers that. */
  revoke(credentials: OAuthCredentials, app: AppInUse): Promise<void>;
  /**
   * Names the grant that `revoke` ends: apps with the same name share what a user granted. When absent, each app has its
   * own grant.
   */
  grantOf?(appClientId: string): string;
};

/** The app registered with the provider: the instance's, or an application's own. */
export type ProviderApp = { readonly clientId: string; readonly clientSecret: string };

/** An app, and the user whom its requests count for. */
export type AppInUse = ProviderApp & { readonly user?: EgressUser };

export type SignInRequest = {
  readonly app: AppInUse;
  /** The callback registered with the provider. */
  readonly redirectUri: string;
  /** The scope that the application requests; the provider is asked for the smallest permission that is enough. */
  readonly scope: Scope;
  /** The `state` to send: it names the authorization request and the browser's own secret. */
  readonly state: string;
  /** The account to reconnect, as the provider knows it. */
  readonly loginHint?: string;
  /** BCP 47, for the provider's pages. */
  readonly language: string;
};

/** JSON: state, nonce and code verifier, and where they were sent. */
export type PendingSignIn = Readonly<Record<string, string>>;

/** The credentials of an OAuth account, the same for Google and Microsoft. */
export type OAuthCredentials = {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The provider's own scopes, as granted. */
  readonly scopes: readonly string[];
  /** The app they were issued to: no other can renew them. */
  readonly appClientId: string;
  /** When the refresh token was issued, epoch milliseconds: Google's test apps lose theirs after seven days. */
  readonly issuedAt: number;
};

export type SignedInAccount = VerifiedAccount & {
  readonly credentials: OAuthCredentials;
  readonly grantedScopes: readonly string[];
  /** Whether the scopes give any access to calendars; `covers` says whether it is enough. */
  readonly calendarPermission: boolean;
};

/** The user types a password on one of our pages. Requests count for `user`, if it is given. */
export type PasswordSignIn = {
  readonly method: 'password';
  /**
   * A password as the provider spells it; `undefined` for text that cannot be one, which is then not sent. Absent where
   * any text can be a password.
   */
  readPassword?(typed: string): string | undefined;
  /** Proves the login against the live server. Fails with ProviderError. */
  verify(login: PasswordLogin, user?: EgressUser): Promise<VerifiedAccount>;
  /**
   * Reads the one calendar at an address, which needs no sign-in: whoever has the address has the calendar, so it never
   * proves who somebody is. Fails with ProviderError. Absent where the provider has no such thing.
   */
  verifyAddress?(address: string, user?: EgressUser): Promise<VerifiedAccount>;
  /**
   * Whether the server takes a random password for the same user too, so that signing in to it proves nothing
   * (docs/security.md T4). Asks once, so that it costs the user one wrong password: only where an account is to be
   * confirmed. Fails with ProviderError where the server does not say, which proves nothing either.
   */
  takesAnyPassword(credentials: ProviderCredentials, user?: EgressUser): Promise<boolean>;
  /**
   * The parts of a login that need not be typed again to reconnect the account; `undefined` for a calendar by its address,
   * which is a secret as a whole.
   */
  remembered?(credentials: ProviderCredentials): Omit<PasswordLogin, 'password'> | undefined;
};

/** `server` is as the user typed it: a URL, a host or an e-mail address; absent for Apple. */
export type PasswordLogin = {
  readonly server?: string;
  readonly username: string;
  readonly password: string;
};

export type VerifiedAccount = {
  /** The account's id on the wire (docs/wire.md 2.2); stable however the login was spelled. */
  readonly accountId: string;
  /**
   * Who signed in, as proved: nobody else can sign in as this, however the login is spelled (docs/security.md T3). To be
   * compared with those of the same provider only, and never on the wire.
   */
  readonly identity: string;
  /** Whether signing in to it again proves whose it is: not to a server that names no user. */
  readonly provesOwner: boolean;
  /** What the user recognises it by. */
  readonly display: string;
  readonly credentials: ProviderCredentials;
};
