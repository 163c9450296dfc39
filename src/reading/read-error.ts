/** The errors of reading calendars and events; writing and free time share many of them. */
import { errorTable } from '../http/refusal.ts';

const PROBLEM = {
  provider: 'google',
  account: 'ada@example.com',
  code: 'unavailable',
  message: 'The provider answered 503',
  reason: 'provider_unavailable',
  actor: 'nobody',
};

export const READING = errorTable({
  sync_in_progress: {
    status: 503,
    message: 'The calendars are being read for the first time; ask again in a few seconds',
    when: 'The first sync of the accounts is still running, and there is no data yet.',
    fix: 'Repeat the request after the seconds in `Retry-After`.',
    fields: { errors: [{ ...PROBLEM, code: 'sync_in_progress' }] },
    retryAfter: 5,
  },
  providers_unavailable: {
    status: 503,
    message: 'None of the connected accounts can be read at the moment',
    when: 'No provider could be read, and there is no earlier data.',
    fix: 'In `errors`, `actor` says who can fix the problem: the user, the administrator, the operator or nobody.',
    fields: { errors: [PROBLEM] },
    retryAfter: 30,
  },
  calendar_permission_required: {
    status: 403,
    message: 'This account was connected without access to its calendars',
    when: 'The account was connected without access to its calendars.',
    fix: 'Send the user to `/authorize` to allow access. `accounts` lists the accounts.',
    fields: { accounts: [{ provider: 'google', account: 'ada@example.com' }] },
  },
  calendar_not_found: {
    status: 404,
    message: 'The user has no such calendar; see GET /calendars',
    when: 'The user does not have this calendar, or the token does not cover it.',
    fix: 'Use ids from `GET /calendars`. If the response has `errors`, the calendar may be in an account that cannot be read.',
  },
  event_not_found: {
    status: 404,
    message: 'There is no such event; it may have been deleted or cancelled',
    when: 'The event does not exist, or it was deleted or cancelled.',
    fix: 'Delete the event from your copy. If the response has `errors`, the event may be in an account that cannot be read; then keep it.',
  },
  account_not_found: {
    status: 404,
    message: 'The user has no such account at google',
    when: 'The user does not have this account.',
    fix: 'Use ids from `GET /connection-status`.',
    field: 'account',
  },
  ambiguous_event: {
    status: 409,
    message:
      'Several calendars have an event with this id: select one with provider and calendarId, and with account if two accounts have the calendar',
    when: 'Several calendars have an event with this id.',
    fix: 'Select one with `provider` and `calendarId`, and with `account` if two accounts have the calendar.',
  },
  invalid_page_token: {
    status: 400,
    message: 'nextPageToken does not belong to this user and application: start again without it',
    when: 'The page token is invalid, or it belongs to another user or application.',
    fix: 'Start again with the first page.',
    field: 'nextPageToken',
  },
  invalid_cursor: {
    status: 400,
    message: 'cursor does not belong to this user and application: start again without it',
    when: 'The cursor is invalid, or it belongs to another user or application.',
    fix: 'Start again with `initial=true`.',
    field: 'cursor',
  },
  cursor_expired: {
    status: 410,
    message:
      'This cursor has expired. Read everything again with initial=true, then continue with the cursor of that response.',
    when: 'The cursor has expired.',
    fix: 'Start again with `initial=true`, and compare the response with your copy.',
  },
  window_too_large: {
    status: 400,
    message: 'The window is too large: at most two hundred years between start and end are allowed',
    when: 'The window is longer than two hundred years.',
    fix: 'Request a shorter window.',
  },
  event_too_complex: {
    status: 422,
    message:
      'The recurrence rules of this series take too long to expand. Simplify them in the calendar, or request the series itself',
    when: 'The event belongs to a series whose recurrence rules take too long to expand.',
    fix: 'Read the series instead of its occurrences ([limits of a series](reading.md#what-asks-for-too-much)).',
  },
  too_many_reads: {
    status: 429,
    message:
      'Large calendars of this user are being read already: at most 2 such reads run at once; try again after one of them has ended',
    when: 'Too many large reads or long polls of this user are in progress.',
    fix: 'Finish reading the responses in progress, and wait for the seconds in `Retry-After`.',
    retryAfter: 5,
  },
  user_not_found: {
    status: 404,
    message: 'This user does not exist: the first call of /authorize creates it',
    when: 'The application does not have this user.',
    fix: 'Send the user to `/authorize`: the first call creates it.',
  },
  user_not_connected: {
    status: 404,
    message: 'The user ada has no connected calendar account',
    when: 'A user in `user_ids` has no connected account.',
    fix: 'Send that user to `/authorize`.',
    field: 'user_ids',
  },
  client_authentication_required: {
    status: 403,
    message:
      'user_ids requires client authentication (HTTP Basic): an access token is valid for its own user only',
    when: 'A request with an access token names users in `user_ids`.',
    fix: 'Authenticate as the application, with HTTP Basic.',
    field: 'user_ids',
  },
});
