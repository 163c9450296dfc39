/** The errors of writing calendars and events (docs/wire.md 3.2), and which of them a provider's failure becomes. */

import { ProviderError, type ProviderErrorKind, UnsupportedByProvider } from '../calendars/provider-error.ts';
import { ANY_CALL, ApiError, type ErrorRow, errorTable } from '../http/refusal.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';
import { READING } from '../reading/read-error.ts';

export const WRITING = errorTable({
  reauth_required: {
    status: 403,
    message: 'The provider refused the account; the user must connect it again',
    when: 'The provider refuses the account: a password changed, or access was taken back.',
    fix: 'Send the user to `/authorize` to connect it again. `accounts` says which.',
    fields: { accounts: [{ provider: 'google', account: 'ada@example.com' }] },
  },
  calendar_read_only: {
    status: 422,
    message: 'This calendar can only be read',
    when: 'The calendar can only be read.',
    fix: 'Offer calendars whose `access` is `write`.',
    field: 'calendarId',
  },
  calendar_not_deletable: {
    status: 422,
    message: 'The main calendar of an account cannot be deleted',
    when: 'It is the main calendar of an account, one that the provider keeps, or one that somebody else owns.',
    fix: 'Delete its events instead.',
    field: 'calendarId',
  },
  calendar_creation_not_supported_by_provider: {
    status: 422,
    message: 'This server makes no calendars',
    when: 'The provider makes no calendars for applications.',
    fix: 'Let the user make it there ([providers](providers.md)).',
  },
  field_not_supported_by_provider: {
    status: 422,
    message: 'This calendar cannot keep this value',
    when: 'The calendar or its provider cannot keep a field or its value; `details` names it.',
    fix: 'Leave it out. Nothing is approximated ([providers](providers.md)).',
    field: 'color',
  },
  recurrence_not_supported_by_provider: {
    status: 422,
    message: 'This calendar cannot keep this rule',
    when: 'The calendar cannot keep such a rule of recurrence.',
    fix: 'Use a simpler rule, or single events.',
    field: 'recurrence',
  },
  conference_not_supported_by_calendar: {
    status: 422,
    message: 'This calendar makes no online meetings',
    when: 'The calendar makes no meetings.',
    fix: 'Set `conference` to a URL of your own.',
  },
  mode_not_supported_by_provider: {
    status: 422,
    message: 'This calendar cannot change a part of this series',
    when: 'The calendar cannot do this to a part of a series.',
    fix: 'Change one instance or the whole series.',
  },
  organizer_only: {
    status: 422,
    message: 'Only the organizer may change this event',
    when: 'Only the organizer may do this to the event.',
    fix: 'Answer the invitation instead.',
  },
  precondition_failed: {
    status: 412,
    message: 'The event was changed since the version that If-Match names; event is what it is now',
    when: 'The event changed since the version of `If-Match`.',
    fix: 'Look at `event`, which is what it is now, and decide again.',
    headers: { ETag: 'The version now.' },
  },
  conflict: {
    status: 409,
    message: 'The event was changed by somebody else',
    when: 'Somebody else changed the event first, five times.',
    fix: 'Read it, and try again.',
    retryAfter: 1,
  },
  idempotency_key_in_use: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still being carried out',
    when: 'The first request with this key is still being carried out.',
    fix: 'Repeat it after a few seconds.',
    retryAfter: 2,
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request: take a new one',
    when: 'The key was used for another request.',
    fix: 'Make a new key for each thing you write.',
  },
  rate_limited: {
    status: 429,
    message: 'The provider limits requests',
    when: 'The provider wants to be left alone.',
    fix: 'Wait for as long as `Retry-After` says.',
    retryAfter: 30,
  },
  provider_error: {
    status: 502,
    message: 'The provider’s answer is not understood',
    when: 'The provider’s answer could not be used.',
    fix: 'Try again later; tell the operator when it stays so.',
  },
  provider_unavailable: {
    status: 503,
    message: 'The provider cannot be reached',
    when: 'The provider cannot be reached.',
    fix: 'Try again after the seconds of `Retry-After`.',
    retryAfter: 5,
  },
  provider_not_set_up: {
    status: 503,
    message: 'The operator has not set this provider up',
    when: 'The operator has to set the provider up, or mend its app.',
    fix: 'Tell the operator ([providers](providers.md)).',
    retryAfter: 300,
  },
  calendar_busy: {
    status: 503,
    message: 'The calendar is being synced or written to; try again in a few seconds',
    when: 'The calendar was synced or written to for twenty seconds.',
    fix: 'Try again; nothing is lost or doubled by it.',
    retryAfter: 5,
  },
  calendar_too_large: {
    status: 422,
    message: 'The calendar “Work” has as many events as this instance keeps of one calendar (100,000)',
    when: 'The calendar, or all of the user’s, has as much as a quota allows.',
    fix: 'The operator can raise the [limits](configuration.md).',
  },
  calendar_set_aside: {
    status: 503,
    message: 'Reading this calendar did not come to an end three times: it is tried once a day',
    when: 'Reading the calendar did not come to an end three times.',
    fix: 'It is tried once a day; the operator can look into the log.',
    retryAfter: 3_600,
  },
});

/** Never 401, for which a published client would spend a refresh token in vain. */
const ROWS: Readonly<Record<ProviderErrorKind, ErrorRow>> = {
  unauthorized: WRITING.reauth_required,
  access_denied: WRITING.reauth_required,
  permission_missing: READING.calendar_permission_required,
  misconfigured: WRITING.provider_not_set_up,
  not_found: READING.event_not_found,
  precondition_failed: WRITING.conflict,
  sync_token_expired: WRITING.provider_error,
  rate_limited: WRITING.rate_limited,
  unavailable: WRITING.provider_unavailable,
  forbidden_address: WRITING.provider_error,
  no_calendars: WRITING.provider_error,
  invalid_response: WRITING.provider_error,
  too_large: WRITING.calendar_too_large,
  set_aside: WRITING.calendar_set_aside,
  busy: ANY_CALL.temporarily_unavailable,
};

const LONGEST_RETRY_S = 3_600;

/** The refusal that an adapter's failure stands for; anything else is answered as it is. */
export function refusalOf(reason: unknown, { provider, accountId }: MirroredAccount): unknown {
  if (reason instanceof UnsupportedByProvider) {
    const { message, field = 'provider' } = reason;
    return new ApiError(WRITING[reason.reason], { message, field, cause: reason });
  }
  if (!(reason instanceof ProviderError)) return reason;
  const row = ROWS[reason.reason === 'internal_fault' ? 'busy' : reason.kind];
  const seconds = reason.retryAfter === undefined ? row.retryAfter : Math.ceil(reason.retryAfter / 1000);
  return new ApiError(row, {
    message: reason.message,
    retryAfter: row.retryAfter && Math.min(Math.max(seconds ?? 0, 1), LONGEST_RETRY_S),
    fields: row.status === 403 ? { accounts: [{ provider, account: accountId }] } : undefined,
    cause: reason,
  });
}
