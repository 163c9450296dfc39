/** Errors of reading and writing calendars and events. */
import { error, type IndexedError } from './indexed-error.ts';

export const READING: readonly IndexedError[] = [
  error(
    'sync_in_progress',
    '503',
    'The first sync of the accounts still goes on, and there is nothing to show yet.',
    'Ask again after the seconds of `Retry-After`.',
  ),
  error(
    'providers_unavailable',
    '503',
    'No provider could be read, and nothing is known from before.',
    'Read `errors`: `actor` says whether the user, the operator or nobody can do something.',
  ),
  error(
    'calendar_permission_required',
    '403',
    'The account was connected without access to its calendars.',
    'Send the user to `/authorize` again, to give it. `accounts` says whose it is.',
  ),
  error(
    'calendar_not_found',
    '404',
    'The calendar is not one of the user’s, or the token does not cover it.',
    'Take ids from `GET /calendars`. Where `errors` is there, the calendar may be in an account that cannot be read.',
  ),
  error(
    'event_not_found',
    '404',
    'There is no such event, or it was deleted or cancelled.',
    'Take it out of your own copy. Where `errors` is there, it may be in an account that cannot be read.',
  ),
  error(
    'account_not_found',
    '404',
    'The user has no such account.',
    'Take ids from `GET /connection-status`.',
  ),
  error(
    'ambiguous_event',
    '409',
    'Several calendars have an event of this id.',
    'Name the one you mean by `provider` and `calendarId`, and `account` where two show one calendar.',
  ),
  error(
    'invalid_page_token',
    '400',
    'The page token is not one of this user and application.',
    'List from the first page on.',
  ),
  error(
    'invalid_cursor',
    '400',
    'The cursor is not one of this user and application.',
    'Begin anew with `initial=true`.',
  ),
  error(
    'cursor_expired',
    '410',
    'What happened since the cursor is no longer known.',
    'Begin anew with `initial=true`, and compare with what you have.',
  ),
  error('window_too_large', '400', 'The window is longer than two hundred years.', 'Ask for a smaller one.'),
  error(
    'event_too_complex',
    '422',
    'The event is of a series whose rules take too long to follow.',
    'Read the series instead of its instances ([what asks for too much](reading.md#what-asks-for-too-much)).',
  ),
  error(
    'too_many_reads',
    '429',
    'Too many large reads of the user, or too many waiting listeners, are under way.',
    'Take the answers under way first; wait for as long as `Retry-After` says.',
  ),
  error(
    'user_not_found',
    '404',
    'The application has no such user.',
    'The first call of `/authorize` makes one.',
  ),
  error(
    'user_not_connected',
    '404',
    'A user who is asked about has no connected account.',
    'Send that user to `/authorize`.',
  ),
  error(
    'client_authentication_required',
    '403',
    'An access token asks about users beside its own.',
    'Call as the application, with HTTP Basic.',
  ),
];

export const WRITING: readonly IndexedError[] = [
  error(
    'reauth_required',
    '403',
    'The provider refuses the account: a password changed, or access was taken back.',
    'Send the user to `/authorize` to connect it again. `accounts` says which.',
  ),
  error(
    'calendar_read_only',
    '422',
    'The calendar can only be read.',
    'Offer calendars whose `access` is `write`.',
  ),
  error(
    'calendar_not_deletable',
    '422',
    'It is the main calendar of an account, one that the provider keeps, or one that somebody else owns.',
    'Delete its events instead.',
  ),
  error(
    'calendar_creation_not_supported_by_provider',
    '422',
    'The provider makes no calendars for applications.',
    'Let the user make it there ([providers](providers.md)).',
  ),
  error(
    'field_not_supported_by_provider',
    '422',
    'The calendar or its provider cannot keep a field or its value; `details` names it.',
    'Leave it out. Nothing is approximated ([providers](providers.md)).',
  ),
  error(
    'recurrence_not_supported_by_provider',
    '422',
    'The calendar cannot keep such a rule of recurrence.',
    'Use a simpler rule, or single events.',
  ),
  error(
    'conference_not_supported_by_calendar',
    '422',
    'The calendar makes no meetings.',
    'Set `conference` to a URL of your own.',
  ),
  error(
    'mode_not_supported_by_provider',
    '422',
    'The calendar cannot do this to a part of a series.',
    'Change one instance or the whole series.',
  ),
  error(
    'organizer_only',
    '422',
    'Only the organizer may do this to the event.',
    'Answer the invitation instead.',
  ),
  error(
    'precondition_failed',
    '412',
    'The event changed since the version of `If-Match`.',
    'Look at `event`, which is what it is now, and decide again.',
  ),
  error('conflict', '409', 'Somebody else changed the event first, five times.', 'Read it, and try again.'),
  error(
    'idempotency_key_in_use',
    '409',
    'The first request with this key is still being carried out.',
    'Repeat it after a few seconds.',
  ),
  error(
    'idempotency_key_reused',
    '422',
    'The key was used for another request.',
    'Make a new key for each thing you write.',
  ),
  error(
    'rate_limited',
    '429',
    'The provider wants to be left alone.',
    'Wait for as long as `Retry-After` says.',
  ),
  error(
    'provider_error',
    '502',
    'The provider’s answer could not be used.',
    'Try again later; tell the operator when it stays so.',
  ),
  error(
    'provider_unavailable',
    '503',
    'The provider cannot be reached.',
    'Try again after the seconds of `Retry-After`.',
  ),
  error(
    'provider_not_set_up',
    '503',
    'The operator has to set the provider up, or mend its app.',
    'Tell the operator ([providers](providers.md)).',
  ),
  error(
    'calendar_busy',
    '503',
    'The calendar was synced or written to for twenty seconds.',
    'Try again; nothing is lost or doubled by it.',
  ),
  error(
    'calendar_too_large',
    '422',
    'The calendar, or all of the user’s, has as much as a quota allows.',
    'The operator can raise the [limits](configuration.md).',
  ),
  error(
    'calendar_set_aside',
    '503',
    'Reading the calendar did not come to an end three times.',
    'It is tried once a day; the operator can look into the log.',
  ),
];
