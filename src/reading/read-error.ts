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
    when: 'The first sync of the accounts is still running, and nothing can be shown yet.',
    fix: 'Ask again after the seconds of `Retry-After`.',
    fields: { errors: [{ ...PROBLEM, code: 'sync_in_progress' }] },
    retryAfter: 5,
  },
  providers_unavailable: {
    status: 503,
    message: 'None of the connected accounts can be read at the moment',
    when: 'No provider could be read, and nothing is known from before.',
    fix: 'Read `errors`: `actor` says whether the user, the operator or nobody can do something.',
    fields: { errors: [PROBLEM] },
    retryAfter: 30,
  },
  calendar_permission_required: {
    status: 403,
    message: 'This account was connected without access to its calendars',
    when: 'The account was connected without access to its calendars.',
    fix: 'Send the user to `/authorize` again, to give it. `accounts` says whose it is.',
    fields: { accounts: [{ provider: 'google', account: 'ada@example.com' }] },
  },
  calendar_not_found: {
    status: 404,
    message: 'The user has no such calendar; see GET /calendars',
    when: 'The calendar is not one of the user’s, or the token does not cover it.',
    fix: 'Take ids from `GET /calendars`. Where `errors` is there, the calendar may be in an account that cannot be read.',
  },
  event_not_found: {
    status: 404,
    message: 'There is no such event; it may have been deleted or cancelled',
    when: 'There is no such event, or it was deleted or cancelled.',
    fix: 'Take it out of your own copy. Where `errors` is there, it may be in an account that cannot be read.',
  },
  account_not_found: {
    status: 404,
    message: 'The user has no such account at google',
    when: 'The user has no such account.',
    fix: 'Take ids from `GET /connection-status`.',
    field: 'account',
  },
  ambiguous_event: {
    status: 409,
    message:
      'Several calendars have an event of this id: name the one you mean by provider and calendarId, and account where two accounts show one calendar',
    when: 'Several calendars have an event of this id.',
    fix: 'Name the one you mean by `provider` and `calendarId`, and `account` where two show one calendar.',
  },
  invalid_page_token: {
    status: 400,
    message: 'nextPageToken is not one of this user and application: start again without it',
    when: 'The page token is not one of this user and application.',
    fix: 'List from the first page on.',
    field: 'nextPageToken',
  },
  invalid_cursor: {
    status: 400,
    message: 'cursor is not one of this user and application: start again without it',
    when: 'The cursor is not one of this user and application.',
    fix: 'Begin anew with `initial=true`.',
    field: 'cursor',
  },
  cursor_expired: {
    status: 410,
    message:
      'This cursor has expired. Read everything again with initial=true, then continue with the cursor of that response.',
    when: 'The cursor has expired.',
    fix: 'Begin anew with `initial=true`, and compare with what you have.',
  },
  window_too_large: {
    status: 400,
    message: 'The window is too large: ask for at most two hundred years between start and end',
    when: 'The window is longer than two hundred years.',
    fix: 'Ask for a smaller one.',
  },
  event_too_complex: {
    status: 422,
    message:
      'The series of this event asks for too much: following its rules takes too long. Make them simpler in its calendar, or ask for the series itself',
    when: 'The event is of a series whose rules take too long to follow.',
    fix: 'Read the series instead of its instances ([what asks for too much](reading.md#what-asks-for-too-much)).',
  },
  too_many_reads: {
    status: 429,
    message:
      'Large calendars of this user are being read already: 2 such reads run at once; try again when one of them has ended',
    when: 'Too many large reads of the user, or too many waiting listeners, are under way.',
    fix: 'Take the answers under way first; wait for as long as `Retry-After` says.',
    retryAfter: 5,
  },
  user_not_found: {
    status: 404,
    message: 'There is no such user: the first call of /authorize makes one',
    when: 'The application has no such user.',
    fix: 'The first call of `/authorize` makes one.',
  },
  user_not_connected: {
    status: 404,
    message: 'The user ada has no connected calendar account',
    when: 'A user who is asked about has no connected account.',
    fix: 'Send that user to `/authorize`.',
    field: 'user_ids',
  },
  client_authentication_required: {
    status: 403,
    message: 'user_ids needs client authentication (HTTP Basic): an access token is for its own user alone',
    when: 'An access token asks about users beside its own.',
    fix: 'Call as the application, with HTTP Basic.',
    field: 'user_ids',
  },
});
