/**
 * What every calendar provider can do, in the words of CalDAV (RFC 4791) and its sync (RFC 6578).
 * Google's `nextSyncToken` and Graph's `deltaLink` are sync tokens once they leave their folders.
 */
import type { ProviderCalendar } from './calendar.ts';
import type { EventResource } from './event.ts';
import type { ProviderKind } from './provider-kind.ts';

export interface CalendarProvider {
  readonly kind: ProviderKind;
  readonly signIn: PasswordSignIn;
  /** `credentials` is what `verify` answered, kept sealed in between. */
  open(credentials: ProviderCredentials): CalendarAccount;
}

/** One linked account. Its methods fail with ProviderError only, whatever the provider answered. */
export interface CalendarAccount {
  listCalendars(): Promise<ProviderCalendar[]>;

  /**
   * What changed since `token`; without one, everything. A token the provider forgot fails as
   * `sync_token_expired`. With `known`, what the mirror has (href → etag), an adapter without a sync
   * protocol finds changes by comparison. Yields parts, so that a large calendar is never held whole.
   */
  changesSince(
    calendarHref: string,
    token: string | undefined,
    known: KnownResources,
  ): AsyncIterable<Changes>;
}

/** Asked for only when the adapter needs it: the etags the mirror has, by href. */
export type KnownResources = () => Promise<ReadonlyMap<string, string | undefined>>;

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

/** Apple, CalDAV: the user types a password on our own page. */
export type PasswordSignIn = {
  readonly method: 'password';
  /** Proves the login against the live server. Fails with ProviderError. */
  verify(login: PasswordLogin): Promise<VerifiedAccount>;
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
