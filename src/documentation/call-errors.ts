/** Errors of authorizing, of tokens, and of any call. */
import { error, type IndexedError } from './indexed-error.ts';

export const AUTHORIZATION: readonly IndexedError[] = [
  error(
    'invalid_grant',
    '400',
    'The code or the refresh token cannot be used. `error_description` gives the reason. For a code: `Invalid authorization code` (unknown or redeemed already), `Authorization code expired` (older than ten minutes), `Redirect URI mismatch`, or a `code_verifier` that does not match. For a refresh token: `Invalid refresh token` (unknown, rotated or revoked). For both: `Client mismatch` (given to another application).',
    'A code works once: send the user to `/authorize` again. For a mismatch, send the registered redirect URI, character by character. Keep the newest refresh token, and let one process refresh at a time. If a response is lost, repeat the request: an application with a [replay window](operations.md#what-an-application-may-do) gets the same refresh token again; otherwise the user authorizes again.',
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
    '429: too many wrong secrets, wrong codes or new flows. 503: the database cannot be reached, or large bodies take all the room there is. Any call: too much is being read.',
    'Wait for as many seconds as `Retry-After` says, then repeat the request. A right secret always passes. If `/token` then returns `invalid_grant`, send the user to `/authorize`.',
  ),
];

export const ANY_CALL: readonly IndexedError[] = [
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
  error('not_found', '404', 'There is nothing at this path.', 'Compare it with the [reference](wire.md).'),
  error(
    'method_not_allowed',
    '405',
    'The path is there for other methods, which `Allow` names.',
    'Compare the method with the [reference](wire.md).',
  ),
  error(
    'database_unreachable',
    '503',
    'Of `/ready`: the database of the server does not answer.',
    'Nothing is wrong with the call. The operator sees to the database.',
  ),
  error(
    'database_read_only',
    '503',
    'Of `/ready`: the database of the server is a standby, or otherwise read-only.',
    'Nothing is wrong with the call. The operator checks where `KALENDS_DATABASE_URL` leads.',
  ),
  error(
    'migrations_pending',
    '503',
    'Of `/ready`: the database of the server is not migrated.',
    'Ask again once the server has started.',
  ),
  error('stopping', '503', 'Of `/ready`: this instance is being stopped.', 'Ask another instance.'),
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
