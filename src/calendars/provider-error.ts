import type { HealthReason } from './health-reason.ts';

/** The kinds of failures that adapters report, whatever the provider answered. */
export type ProviderErrorKind =
  /** The user must sign in again. */
  | 'unauthorized'
  /** The user refused on the provider's page. */
  | 'access_denied'
  /** The account works, but lacks a permission that the user, or the user's administrator, must grant. */
  | 'permission_missing'
  /** The provider rejects our app (its id, secret or setup): only the operator can act. */
  | 'misconfigured'
  | 'not_found'
  | 'precondition_failed'
  | 'sync_token_expired'
  | 'rate_limited'
  | 'unavailable'
  | 'forbidden_address'
  | 'no_calendars'
  | 'invalid_response'
  /** There is more than a quota allows. */
  | 'too_large'
  /** Three attempts did not finish: it rests for a day. */
  | 'set_aside'
  /** Too much is being read at the moment. It says nothing about the account, and the work is postponed. */
  | 'busy';

/** The exact problem of a server that a user named, if `kind` does not state it. */
export type ProviderErrorDetail =
  /** `unavailable`: the host name does not resolve. */
  | 'host_unknown'
  /** `unavailable`: nothing accepts connections there, or nothing that speaks https. */
  | 'connection_refused'
  /** `unavailable`: the certificate is not trusted, or is not for this host. */
  | 'certificate'
  /** `unavailable`: https does not work there, but http does and is allowed for this host. `http://` is missing. */
  | 'plain_http'
  /** `invalid_response`: the server does not respond as a CalDAV server does. */
  | 'no_caldav'
  /** `invalid_response`: the server does not accept a user name and password (Basic). */
  | 'no_basic'
  /** `invalid_response`: the server points to a foreign address, which must not get the password. */
  | 'foreign_address'
  /** `invalid_response`: the principal that the server names for this login does not confirm it. */
  | 'principal_unproved'
  /** `invalid_response`: more requests are needed than one form may send. */
  | 'too_many_requests'
  /** `too_large`: the server names more calendar homes than are read. */
  | 'too_many_homes'
  /** `invalid_response`: the typed text is no web address. */
  | 'no_address'
  /** `invalid_response`: the address contains a user name or password. */
  | 'address_credentials'
  /** `invalid_response`: there is no calendar at the address. */
  | 'no_calendar'
  /** `unauthorized`, `not_found`: the calendar at this address requires a sign-in. */
  | 'sign_in_needed';

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  readonly detail: ProviderErrorDetail | undefined;
  /** The wait that the provider asks for, in milliseconds; `undefined` if it asks for none. */
  readonly retryAfter: number | undefined;
  /** The exact cause if known, for health and pages. */
  readonly reason: HealthReason | undefined;
  /** Whether no request was sent, because of an earlier response or of our own limit. */
  readonly notSent: boolean;

  /** `message` is public: what happened, without any address that has credentials. The rest is `cause`. */
  constructor(kind: ProviderErrorKind, message: string, options: ProviderErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.kind = kind;
    this.detail = options.detail;
    this.retryAfter = options.retryAfter;
    this.reason = options.reason;
    this.notSent = options.notSent ?? false;
  }
}

type ProviderErrorOptions = {
  readonly cause?: unknown;
  readonly retryAfter?: number;
  readonly reason?: HealthReason;
  readonly detail?: ProviderErrorDetail;
  readonly notSent?: boolean;
};

/** The reasons why a provider cannot do something: the response is 422 with one of them, and nothing is done. */
export type UnsupportedReason =
  | 'recurrence_not_supported_by_provider'
  | 'field_not_supported_by_provider'
  | 'conference_not_supported_by_calendar'
  | 'mode_not_supported_by_provider'
  | 'organizer_only'
  | 'calendar_read_only'
  | 'calendar_creation_not_supported_by_provider'
  | 'calendar_not_deletable';

export class UnsupportedByProvider extends Error {
  readonly reason: UnsupportedReason;
  readonly field: string | undefined;

  /** `message` is public: what cannot be done and why. */
  constructor(reason: UnsupportedReason, message: string, field?: string) {
    super(message);
    this.name = 'UnsupportedByProvider';
    this.reason = reason;
    this.field = field;
  }
}
