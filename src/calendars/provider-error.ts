import type { WorkStopped } from '../lib/work-pool/work-stopped.ts';
import type { HealthReason } from './health-reason.ts';

/** The one class of refusal adapters throw, whatever the provider answered. */
export type ProviderErrorKind =
  /** The user must sign in again. */
  | 'unauthorized'
  /** The user refused on the provider's page. */
  | 'access_denied'
  /** The account works, but lacks the permission for this: the user, or the user's administrator, must grant it. */
  | 'permission_missing'
  /** The provider refuses our app (its id, secret or set-up): the operator must act, no user can. */
  | 'misconfigured'
  | 'not_found'
  | 'precondition_failed'
  | 'sync_token_expired'
  | 'rate_limited'
  | 'unavailable'
  | 'forbidden_address'
  | 'no_calendars'
  | 'invalid_response'
  /** There is more of it than a quota allows. */
  | 'too_large'
  /** It did not come to an end three times, and rests for a day. */
  | 'set_aside'
  /** Too much is being read at the moment. It says nothing about the account: what was begun is put off. */
  | 'busy';

/** What exactly was wrong with a server that a user named, where the kind of failure does not say. */
export type ProviderErrorDetail =
  /** `unavailable`: no address has the host's name. */
  | 'host_unknown'
  /** `unavailable`: nothing takes connections there, or nothing that speaks https. */
  | 'connection_refused'
  /** `unavailable`: its certificate is not trusted, or not for this host. */
  | 'certificate'
  /** `unavailable`: https does not work there and http, which is allowed for this host, does: `http://` is missing. */
  | 'plain_http'
  /** `invalid_response`: it answers, but as no CalDAV server does. */
  | 'no_caldav'
  /** `invalid_response`: it takes no user name and password as such (Basic). */
  | 'no_basic'
  /** `invalid_response`: it names an address elsewhere that would have to be given the password. */
  | 'foreign_address'
  /** `invalid_response`: it names a user for this login who does not answer to it. */
  | 'principal_unproved'
  /** `invalid_response`: it needs more requests than are sent for one form. */
  | 'too_many_requests'
  /** `too_large`: it names more homes of calendars than are asked. */
  | 'too_many_homes'
  /** `invalid_response`: what was typed is no address of the web. */
  | 'no_address'
  /** `invalid_response`: it is one with a user name or password in it. */
  | 'address_credentials'
  /** `invalid_response`: what is at the address of a calendar is none. */
  | 'no_calendar'
  /** `unauthorized`, `not_found`: a calendar is given by its address, and whoever asks there has to sign in. */
  | 'sign_in_needed';

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  /** For forms. */
  readonly detail: ProviderErrorDetail | undefined;
  /** How long the provider asked to wait, in milliseconds; `undefined` when it did not say. */
  readonly retryAfter: number | undefined;
  /** The exact cause where it is known, for health and pages. */
  readonly reason: HealthReason | undefined;
  /** No request was sent, because of an earlier answer of the provider or a limit of ours. */
  readonly notSent: boolean;

  /** `message` is public and names what happened, never an address with credentials; the rest is `cause`. */
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

/** What was begun cannot go on: the process was told to stop. */
export const shuttingDown = (): ProviderError =>
  new ProviderError('unavailable', 'The service is shutting down', { notSent: true });

/**
 * Returns the failure of work that was stopped for no reason of its own: `busy` if no thread was free in time,
 * `unavailable` for `internal_fault` if threads stall or do not start. Undefined if the work itself took too much.
 */
export function stoppedBySystem(stopped: WorkStopped): ProviderError | undefined {
  if (stopped.isOfTask) return undefined;
  if (stopped.reason === 'closed') return shuttingDown();
  if (stopped.reason === 'busy')
    return new ProviderError('busy', 'Too many calendars are being read', { notSent: true, cause: stopped });
  const message = 'The calendar could not be read because of a fault on our side';
  return new ProviderError('unavailable', message, { reason: 'internal_fault', cause: stopped });
}

type ProviderErrorOptions = {
  readonly cause?: unknown;
  readonly retryAfter?: number;
  readonly reason?: HealthReason;
  readonly detail?: ProviderErrorDetail;
  readonly notSent?: boolean;
};

/** Something that a provider cannot do. It is answered 422 with this reason, and never done in part. */
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
  /** The field of the request that it concerns, if there is one. */
  readonly field: string | undefined;

  /** `message` is public: what cannot be done and why. */
  constructor(reason: UnsupportedReason, message: string, field?: string) {
    super(message);
    this.name = 'UnsupportedByProvider';
    this.reason = reason;
    this.field = field;
  }
}
