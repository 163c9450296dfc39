/**
 * The index of errors: each `code` of the REST interface and each `error` of the token endpoint, with when it is answered and what
 * to do. docs/errors.md is made of it. A test holds it against every place that refuses.
 */

export type IndexedError = {
  readonly code: string;
  /** As in `400`, or `400, 401`. */
  readonly status: string;
  readonly when: string;
  /** What to do about it, as an instruction. */
  readonly remedy: string;
};

export type ErrorGroup = {
  readonly title: string;
  readonly errors: readonly IndexedError[];
};

const error = (code: string, status: string, when: string, remedy: string): IndexedError => ({
  code,
  status,
  when,
  remedy,
});

const AUTHORIZATION: readonly IndexedError[] = [
  error(
    'invalid_grant',
    '400',
    'The code or the refresh token is not good. `error_description` says why: `Invalid authorization code` (unknown or redeemed already), `Authorization code expired` (older than ten minutes), `Client mismatch` (given to another application), `Redirect URI mismatch`, a `code_verifier` that does not match, or `Invalid refresh token` (unknown, rotated or revoked).',
    'A code works once: send the user to `/authorize` again. A mismatch is mended by sending the registered redirect URI, character by character. Keep the newest refresh token, and let one process refresh at a time; when it is lost, the user authorizes again.',
  ),
  error(
    'invalid_client',
    '400, 401',
    'The application is unknown, or its secret is wrong. 401 where HTTP Basic was used, and at `/authorize`.',
    'Compare the client id and the secret with those of the dashboard, or make a new secret there.',
  ),
  error(
    'invalid_scope',
    '400',
    'The scope is none of `free-busy`, `read` and `read-write`.',
    'Ask for one of the three.',
  ),
  error(
    'invalid_request_uri',
    '400',
    'The pushed request is unknown, used already, too old or another application’s.',
    'Push the request anew with `/par`, and send the browser on at once.',
  ),
  error(
    'unsupported_grant_type',
    '400',
    '`grant_type` is another than `authorization_code` and `refresh_token`.',
    'Use one of the two.',
  ),
  error(
    'unsupported_response_type',
    '400',
    '`response_type` is another than `code`.',
    'Send `code`, or leave it out.',
  ),
  error(
    'session_expired',
    '400',
    'What the user allowed was withdrawn before the code was redeemed, or the authorization request is too old.',
    'Send the user to `/authorize` again.',
  ),
  error(
    'access_denied',
    '302',
    'The user gave up. It comes back to the redirect URI as `error`, not as an answer.',
    'Offer the way to connect again, and do not start it by itself.',
  ),
  error(
    'temporarily_unavailable',
    '429, 503',
    'Too many wrong secrets, wrong codes or new flows, or large bodies take all the room there is.',
    'Wait for as many seconds as `Retry-After` says. A right secret always passes.',
  ),
];

const ANY_CALL: readonly IndexedError[] = [
  error(
    'invalid_request',
    '400, 413, 414',
    'A field or parameter is missing or wrong, or the body cannot be read.',
    'Read `details`: it names each field and what is wrong with it.',
  ),
  error(
    'unusable_text',
    '400',
    'A text has U+0000 or half a surrogate pair in it.',
    'Send well-formed Unicode without U+0000.',
  ),
  error(
    'missing_token',
    '401',
    'No access token came.',
    'Send it as `Authorization: Bearer ACCESS_TOKEN`; some proxies take that header away.',
  ),
  error(
    'invalid_token',
    '401',
    'The access token is malformed, expired (after an hour) or revoked, or it is a refresh token.',
    'Refresh once and repeat the call; when that fails with `invalid_grant`, the user authorizes again.',
  ),
  error(
    'insufficient_scope',
    '403',
    'The scope of the token, or that at which it covers the account, is too small.',
    'Send the user to `/authorize` with the wider scope. Refreshing never widens it.',
  ),
  error(
    'not_found',
    '404',
    'There is nothing at this path with this method.',
    'Compare both with the [reference](wire.md).',
  ),
  error(
    'request_refused',
    '408, 413, 415, 417, 431',
    'The request did not arrive in time, is too large, or is of a type that is not read.',
    'Read `message` and `details`, which name the limit ([requests](operations.md#requests)).',
  ),
  error(
    'too_many_connections',
    '429, 503',
    'Too many connections are open, of one address or in all.',
    'Keep connections alive and use them again; wait for as long as `Retry-After` says.',
  ),
  error(
    'too_many_bodies',
    '503',
    'Large bodies that are being received take all the room there is for them.',
    'Send it again after the seconds of `Retry-After`.',
  ),
  error(
    'server_error',
    '500',
    'Something went wrong on the server’s side.',
    'Give `requestId` to the operator, who finds it in the log. Repeat a write with its `Idempotency-Key`.',
  ),
];

const READING: readonly IndexedError[] = [
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

const WRITING: readonly IndexedError[] = [
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
    'It is the main calendar of an account, or one that the provider keeps.',
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

const WEBHOOKS: readonly IndexedError[] = [
  error(
    'webhook_url_required',
    '400',
    'The application has no webhook URL to send changes to.',
    'Set one in the dashboard or with `kalends client update`.',
  ),
  error(
    'delivery_not_found',
    '404',
    'The application has no such delivery, or it is too old to be kept.',
    'List them anew.',
  ),
  error(
    'listener_not_found',
    '404',
    'The listener ended, because it did not ask for three minutes.',
    'Begin another one.',
  ),
  error(
    'too_many_listeners',
    '429',
    'The application has as many listeners as it may.',
    'End one, or wait until one ends by itself.',
  ),
  error(
    'channel_not_found',
    '404',
    'A provider’s notice names a channel that is not there.',
    'Nothing: the provider stops by itself.',
  ),
];

const SETTINGS: readonly IndexedError[] = [
  error(
    'invalid_client_metadata',
    '400',
    'A name, an address, a colour or a picture of an application cannot be used.',
    'Read `message`.',
  ),
  error(
    'invalid_redirect_uri',
    '400',
    'The redirect URI cannot be used.',
    'Use an absolute https address; http only on this machine.',
  ),
  error(
    'invalid_provider',
    '400',
    'The name is none of the four providers.',
    'Use `google`, `microsoft`, `apple` or `caldav`.',
  ),
  error(
    'address_in_use',
    '409',
    'The application has an endpoint of this address already.',
    'Change that one.',
  ),
  error('too_many_pictures', '503', 'Too many logos are being drawn.', 'Try again in a few seconds.'),
  error(
    'not_ready_for_review',
    '409',
    'Something is missing that a review needs; `details` names it.',
    'Set it, and submit again.',
  ),
  error(
    'submission_changed',
    '409',
    'The application was changed and submitted again since.',
    'Look at it as it is now.',
  ),
  error(
    'under_review',
    '409',
    'The application is under review already.',
    'Wait for the decision, or cancel the review first.',
  ),
  error('already_approved', '409', 'The application was approved as it is.', 'Nothing is left to do.'),
  error('not_verified', '409', 'The application is not verified.', 'Look at its state first.'),
  error('not_under_review', '409', 'The application is not under review.', 'Look at its state first.'),
  error('note_missing', '400', 'Asking for changes takes a note that says which.', 'Write one.'),
  error('invalid_note', '400', 'The note is too long or empty.', 'Write a shorter one.'),
];

export const ERROR_GROUPS: readonly ErrorGroup[] = [
  { title: 'Authorizing and tokens', errors: AUTHORIZATION },
  { title: 'Any call', errors: ANY_CALL },
  { title: 'Reading', errors: READING },
  { title: 'Writing', errors: WRITING },
  { title: 'Webhooks', errors: WEBHOOKS },
  { title: 'Settings of applications', errors: SETTINGS },
];

/** docs/errors.md. Each code is a heading, so that an answer can link to it. */
export function errorsDocument(): string {
  const groups = ERROR_GROUPS.map(({ title, errors }) => {
    const entries = errors.map(
      ({ code, status, when, remedy }) =>
        `### ${code}\n\nStatus ${status}. ${when}\n\n**What to do:** ${remedy}\n`,
    );
    return `## ${title}\n\n${entries.join('\n')}`;
  });
  return `# Errors

What an answer is refused with, when, and what to do. The REST interface says it in \`code\`, \`/token\`, \`/revoke\` and \`/par\` in \`error\`; the
bodies are described in the [wire interface](wire.md#31-bodies-of-errors). Codes do not change, messages may. With
[\`KALENDS_ERROR_LINKS\`](configuration.md) each refusal of the REST interface has a link to its place on this page in \`documentation\`.

${groups.join('\n')}
This page is generated from \`src/documentation/error-index.ts\` by \`npm run docs\`.
`;
}
