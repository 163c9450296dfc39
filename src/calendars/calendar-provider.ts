/** The port for calendar providers, in the words of CalDAV (RFC 4791) and its sync (RFC 6578). */
import type { EgressUser, FormUser } from '../lib/egress/account-egress.ts';
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
  /** Opens an account. `credentials` are those of the sign-in or of the last renewal. */
  open(credentials: ProviderCredentials, session: AccountSession): CalendarAccount;
}

/** A provider with its sign-in on our own page. Its accounts need no access tokens, so the session is optional. */
export interface PasswordProvider extends CalendarProvider {
  readonly signIn: PasswordSignIn;
  open(
    credentials: ProviderCredentials,
    session?: Pick<AccountSession, 'owner' | 'accountKey' | 'user'>,
  ): CalendarAccount;
}

/** A provider with its sign-in on its own pages. */
export interface RedirectProvider extends CalendarProvider {
  readonly signIn: RedirectSignIn;
}

/** The services of the instance for an open account. Fails with ProviderError only. */
export interface AccountSession {
  /** Identifies the user: users take turns at limited work. */
  readonly owner?: string;
  /** The account's internal key, by which requests are counted. */
  readonly accountKey?: string;
  /** The user. Their requests share the concurrency slots of their application. */
  readonly user?: EgressUser;
  /** Returns an access token that is valid for at least another minute; renews it if necessary. */
  accessToken(): Promise<string>;
  /** Returns another token after the provider answered 401 to `refused`. Fails as `unauthorized` if there is none. */
  renewAccessToken(refused: string): Promise<string>;
  /**
   * Runs one request within the provider's limits across all instances. Waits until it may be sent. Fails as
   * `rate_limited` or `unavailable`, without sending it, if it cannot succeed now.
   */
  limited<T>(operation: string, request: () => Promise<T>): Promise<T>;
}

/** A linked account. Its methods fail with ProviderError only. */
export interface CalendarAccount {
  readonly writing: EventWriting;
  readonly calendarWriting: CalendarWriting;
  /** Undefined if the provider has no push notifications. */
  readonly watching?: CalendarWatching;

  /** Lists the calendars. `known` is for an adapter that learns about a calendar only by reading its events. */
  listCalendars(known?: KnownCalendars): Promise<ProviderCalendar[]>;

  /** Returns the user's e-mail addresses in events, without `mailto:`. Absent if events mark the user (`response`). */
  userAddresses?(): Promise<readonly string[]>;

  /**
   * Yields the changes since `token`, or everything without one, in parts: a large calendar is never in memory as a
   * whole. Fails as `sync_token_expired` if the provider no longer accepts the token. An adapter without a sync
   * protocol compares with `stored`.
   */
  changesSince(
    calendarHref: string,
    token: string | undefined,
    stored: StoredVersions,
  ): AsyncIterable<Changes>;
}

/** Reads the account's calendars from the mirror, each with the token of its last sync. */
export type KnownCalendars = () => Promise<
  readonly (ProviderCalendar & { readonly syncToken: string | undefined })[]
>;

/** Reads the etags in the mirror, by href. */
export type StoredVersions = () => Promise<ReadonlyMap<string, string | undefined>>;

/** A part of the changes; only the last part has `next`. */
export type Changes = {
  readonly changed: readonly EventResource[];
  /** Changed resources that are over the budget or unreadable. */
  readonly leftOut?: readonly LeftOutResource[];
  /** Hrefs of listed resources that the mirror has in this version. */
  readonly unchanged?: readonly string[];
  readonly removed: readonly string[];
  /** How many resources were listed so far. Undefined if they are not listed before they are sent. */
  readonly expected?: number | undefined;
  /** Whether the parts together list all resources: any other one was deleted. */
  readonly complete: boolean;
  readonly next?: string;
};

/** Credentials that only the adapter that created them can read; sealed at rest. */
export type ProviderCredentials = Readonly<Record<string, unknown>>;

/** Sign-in on the provider's pages, which redirect back with a code (RFC 6749 §4.1). */
export type RedirectSignIn = {
  readonly method: 'redirect';
  /** Returns where to send the browser, and what to store, sealed, until it comes back. */
  begin(request: SignInRequest): Promise<{ readonly url: URL; readonly pending: PendingSignIn }>;
  /**
   * Redeems the code in `callback`, the whole URL that the browser came back to. Checks state, issuer and nonce. Fails
   * as `access_denied` if the user refused. `calendarPermission` is false if the user left that permission out.
   */
  complete(callback: URL, pending: PendingSignIn, app: AppInUse): Promise<SignedInAccount>;
  /** Returns whether the granted scopes of the provider are enough for `scope`. */
  covers(grantedScopes: readonly string[], scope: Scope): boolean;
  /** Returns the page where an administrator consents for an organization, if the provider has one. */
  adminConsentUrl?(app: ProviderApp, request: Pick<SignInRequest, 'redirectUri' | 'scope'>): URL;
  /** Returns new tokens, which replace the credentials. `identity` is undefined for accounts from before identities. */
  renew(credentials: OAuthCredentials, app: AppInUse, identity?: string): Promise<OAuthCredentials>;
  /** Ends the access at the provider, if it offers that. */
  revoke(credentials: OAuthCredentials, app: AppInUse): Promise<void>;
  /** Names the grant that `revoke` ends. Apps with the same name share it; if absent, each app has its own. */
  grantOf?(appClientId: string): string;
};

/** An app that is registered with the provider: the instance's or an application's. */
export type ProviderApp = { readonly clientId: string; readonly clientSecret: string };

/** An app, and the user for whom its requests count. */
export type AppInUse = ProviderApp & { readonly user?: EgressUser };

export type SignInRequest = {
  readonly app: AppInUse;
  readonly redirectUri: string;
  /** The scope that the application requests. The provider is asked for the smallest sufficient permission. */
  readonly scope: Scope;
  /** The `state` to send, which names the authorization request and the browser's secret. */
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
  /** The app that they were issued to: no other app can renew them. */
  readonly appClientId: string;
  /** When the refresh token was issued, epoch milliseconds. Google expires those of test apps after seven days. */
  readonly issuedAt: number;
};

export type SignedInAccount = VerifiedAccount & {
  readonly credentials: OAuthCredentials;
  readonly grantedScopes: readonly string[];
  /** Whether the scopes grant any access to calendars; `covers` decides whether it is enough. */
  readonly calendarPermission: boolean;
};

/** Sign-in with a password on one of our pages. Requests count for `user`, if it is given. */
export type PasswordSignIn = {
  readonly method: 'password';
  /** Returns a password as the provider spells it; `undefined` if it cannot be one. If absent, any text can be one. */
  readPassword?(typed: string): string | undefined;
  /** Proves the login at the live server. Fails with ProviderError. */
  verify(login: PasswordLogin, user?: FormUser): Promise<VerifiedAccount>;
  /**
   * Reads the calendar at an address without a sign-in. Everybody with the address can read it, so it never proves who
   * the user is. Fails with ProviderError. Absent if the provider has no such calendars.
   */
  verifyAddress?(address: string, user?: FormUser): Promise<VerifiedAccount>;
  /**
   * Returns whether the server also accepts a random password, so that signing in proves nothing (docs/security.md T4).
   * It costs the user one wrong password: call it only to confirm an account. Fails with ProviderError if the response
   * is inconclusive, which proves nothing either.
   */
  takesAnyPassword(credentials: ProviderCredentials, user?: FormUser): Promise<boolean>;
  /** Returns what need not be typed again to reconnect; `undefined` for an address, which is secret as a whole. */
  remembered?(credentials: ProviderCredentials): Omit<PasswordLogin, 'password'> | undefined;
};

/** `server` is as typed: a URL, a host or an e-mail address. It is undefined for Apple. */
export type PasswordLogin = {
  readonly server?: string;
  readonly username: string;
  readonly password: string;
};

export type VerifiedAccount = {
  /** The account's id on the wire (docs/wire.md 2.2), the same for every spelling of the login. */
  readonly accountId: string;
  /**
   * The proved identity: nobody else can sign in as this, however the login is spelled (docs/security.md T3). Compare
   * it only within one provider, and never send it on the wire.
   */
  readonly identity: string;
  /** Whether signing in again proves the owner: false for a server that names no user. */
  readonly provesOwner: boolean;
  /** The name by which the user recognizes the account. */
  readonly display: string;
  readonly credentials: ProviderCredentials;
};
