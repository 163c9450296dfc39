/**
 * What every calendar provider can do, in the words of CalDAV (RFC 4791) and its sync (RFC 6578).
 * Google's `nextSyncToken` and Graph's `deltaLink` are sync tokens once they leave their folders.
 */
import type { Scope } from '../oauth/scope.ts';
import type { ProviderCalendar } from './calendar.ts';
import type { CalendarWriting } from './calendar-writing.ts';
import type { EventResource } from './event.ts';
import type { EventWriting } from './event-writing.ts';
import type { ProviderKind } from './provider-kind.ts';

export interface CalendarProvider {
  readonly kind: ProviderKind;
  readonly signIn: RedirectSignIn | PasswordSignIn;
  /** `credentials` is what the sign-in answered, or a renewal since, kept sealed in between. */
  open(credentials: ProviderCredentials, session: AccountSession): CalendarAccount;
}

/** One that the user signs in to on a page of ours: nothing of the instance is needed to open it. */
export interface PasswordProvider extends CalendarProvider {
  readonly signIn: PasswordSignIn;
  open(credentials: ProviderCredentials): CalendarAccount;
}

/** One that the user signs in to on the provider's own pages. */
export interface RedirectProvider extends CalendarProvider {
  readonly signIn: RedirectSignIn;
}

/** What an open account needs of the instance while it is in use. Fails with ProviderError only. */
export interface AccountSession {
  /** An access token that is valid for another minute at least; renewed first when it is not. */
  accessToken(): Promise<string>;
  /** For when the provider answered 401 to `refused`: another one. Fails as `unauthorized` when there is none. */
  renewAccessToken(refused: string): Promise<string>;
  /**
   * Runs one request within the provider's limits over all instances; waits for its turn, and fails as
   * `rate_limited` or `unavailable` without asking when it is known to be in vain.
   */
  limited<T>(operation: string, request: () => Promise<T>): Promise<T>;
}

/** One linked account. Its methods fail with ProviderError only, whatever the provider answered. */
export interface CalendarAccount {
  readonly writing: EventWriting;
  readonly calendarWriting: CalendarWriting;

  listCalendars(): Promise<ProviderCalendar[]>;

  /**
   * What changed since `token`; without one, everything. A token the provider forgot fails as
   * `sync_token_expired`. With `known`, what the mirror has (href → etag), an adapter without a sync
   * protocol finds changes by comparison. Yields parts, so that a large calendar is never held whole.
   */
  changesSince(
    calendarHref: string,
    token: string | undefined,
    known: StoredVersions,
  ): AsyncIterable<Changes>;
}

/** Asked for only when the adapter needs it: the etags the mirror has, by href. */
export type StoredVersions = () => Promise<ReadonlyMap<string, string | undefined>>;

/** One part of an answer; `next` is in the last part only. */
export type Changes = {
  readonly changed: readonly EventResource[];
  /** Hrefs of resources that are gone. */
  readonly removed: readonly string[];
  /** True when the parts list everything there is: whatever they do not name is gone. */
  readonly complete: boolean;
  readonly next?: string;
};

/** Opaque to all but the adapter that made it; sealed at rest. */
export type ProviderCredentials = Readonly<Record<string, unknown>>;

/** Google, Microsoft: the user leaves for the provider and comes back with a code (RFC 6749 §4.1). */
export type RedirectSignIn = {
  readonly method: 'redirect';
  /** Where to send the browser, and what to keep, sealed, until it comes back. */
  begin(request: SignInRequest): Promise<{ readonly url: URL; readonly pending: PendingSignIn }>;
  /**
   * Redeems what the browser came back with: `callback` is the whole address. Checks state, issuer, nonce.
   * A user who said no fails as `access_denied`. One who left the calendar permission out is no failure:
   * `calendarPermission` is false then.
   */
  complete(callback: URL, pending: PendingSignIn, app: ProviderApp): Promise<SignedInAccount>;
  /** Whether these of the provider's own scopes, as granted, serve `scope`; a later request may need more. */
  covers(grantedScopes: readonly string[], scope: Scope): boolean;
  /**
   * Where an administrator consents for a whole organisation, and comes back from with `admin_consent`; absent where
   * the provider has no such page.
   */
  adminConsentUrl?(app: ProviderApp, asked: Pick<SignInRequest, 'redirectUri' | 'scope'>): URL;
  /** New tokens for the refresh token; the answer replaces the credentials. */
  renew(credentials: OAuthCredentials, app: ProviderApp): Promise<OAuthCredentials>;
  /** Ends the access at the provider, where it has a way to; resolves where it has none. */
  revoke(credentials: OAuthCredentials, app: ProviderApp): Promise<void>;
  /**
   * Names what `revoke` ends: two apps with one name share what a user granted. An app's own when absent.
   */
  grantOf?(appClientId: string): string;
};

/** The app registered with the provider: the instance's, or an application's own. */
export type ProviderApp = { readonly clientId: string; readonly clientSecret: string };

export type SignInRequest = {
  readonly app: ProviderApp;
  /** The callback registered with the provider. */
  readonly redirectUri: string;
  /** The scope the application asked for; the smallest permission that serves it is asked of the provider. */
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

/** What is kept of an OAuth account, the same for Google and Microsoft. */
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
  /** Whether they show anything of calendars: whether that is as much as was asked for, `covers` tells. */
  readonly calendarPermission: boolean;
};

/** Apple, CalDAV: the user types a password on our own page. */
export type PasswordSignIn = {
  readonly method: 'password';
  /**
   * A password as the provider spells it, `undefined` for what cannot be one of its: nobody asks it then. Absent where
   * any text can be one.
   */
  readPassword?(typed: string): string | undefined;
  /** Proves the login against the live server. Fails with ProviderError. */
  verify(login: PasswordLogin): Promise<VerifiedAccount>;
  /** What of a login need not be typed again to connect the account anew. */
  remembered?(credentials: ProviderCredentials): Omit<PasswordLogin, 'password'>;
};

/** `server` is what the user typed: a URL, a host or an e-mail address; absent for Apple. */
export type PasswordLogin = {
  readonly server?: string;
  readonly username: string;
  readonly password: string;
};

export type VerifiedAccount = {
  /** The account's id on the wire (wire 2.2); stable however the login was spelled. */
  readonly accountId: string;
  /** What the user recognises it by. */
  readonly display: string;
  readonly credentials: ProviderCredentials;
};
