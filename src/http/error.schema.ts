/**
 * The refusals every part of the REST interface shares (docs/wire.md 3.1, 3.2), in the bodies they are sent
 * with.
 */
import { Type } from 'typebox';
import { anyObject, type RefusalCase } from './operation.ts';
import { ApiError, type ApiErrorAnswer } from './refusal.ts';
import { BODY_BYTES, bodyTooLarge } from './sizes.ts';

/** See docs/wire.md 3.1. Further members are named where they occur. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A short name.' }),
    message: Type.String({ description: 'Which rule was broken and what to do, in English.' }),
    code: Type.String({ description: 'For machines.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Field → what is wrong with it.',
      }),
    ),
    accounts: Type.Optional(
      Type.Array(Type.Object({ provider: Type.String(), account: Type.String() }), {
        description: 'Whose sign-in or permission is missing (403).',
      }),
    ),
    errors: Type.Optional(
      Type.Array(anyObject('A ReadProblem.'), {
        description: 'The accounts that could not be brought up to date (404 and 503).',
      }),
    ),
    event: Type.Optional(anyObject('The event as it is now (412).')),
    requestId: Type.Optional(Type.String({ description: 'What the operator looks for in the log (500).' })),
    documentation: Type.Optional(
      Type.String({ description: 'Where the code is explained, on servers that are set to say so.' }),
    ),
  },
  { $id: 'Error' },
);

/** RFC 6749 §5.2, with `message` for published clients that read nothing else. */
export const OAuthErrorBody = Type.Object(
  {
    error: Type.String({ description: 'The code of RFC 6749.' }),
    error_description: Type.String(),
    message: Type.String({ description: 'The same text again.' }),
    code: Type.Optional(Type.String({ description: 'With `server_error`.' })),
    requestId: Type.Optional(Type.String({ description: 'With `server_error`.' })),
  },
  { $id: 'OAuthError' },
);

export type DocumentedRefusal = Pick<ApiErrorAnswer, 'message' | 'error' | 'details' | 'fields'> &
  Pick<RefusalCase, 'when' | 'headers'>;

/** A refusal with the body that it is answered with. */
export function refusal(status: number, code: string, documented: DocumentedRefusal): RefusalCase {
  const { when, headers, ...answer } = documented;
  const { body } = new ApiError(status, code, answer);
  return { status, code, when, body, ...(headers && { headers }) };
}

/** A field of the request that is wrong or missing. */
export const badField = (field: string, problem: string) =>
  refusal(400, 'invalid_request', {
    when: 'The request cannot be read, or a field is wrong or missing.',
    message: `${field} ${problem}`,
    details: { [field]: [`${field} ${problem}`] },
  });

const TOO_LARGE = bodyTooLarge(BODY_BYTES);

/** What can be wrong with any body: its type, its size, text that no database keeps. */
export const badBodies: readonly RefusalCase[] = [
  refusal(400, 'unusable_text', {
    when: 'A text has U+0000 or half a surrogate pair in it.',
    message: 'Text must not contain the character U+0000 or half a surrogate pair',
  }),
  refusal(413, 'request_refused', {
    when: 'The body is larger than one MiB.',
    message: TOO_LARGE.message,
    details: { body: [TOO_LARGE.message] },
  }),
  refusal(415, 'request_refused', {
    when: 'The body is of another content type.',
    message: 'This content type is not supported',
  }),
  refusal(503, 'too_many_bodies', {
    when: 'Large bodies that are being received take all the room there is for them.',
    message: 'The bodies that are being received take more than 24 MiB: send it again in a few seconds',
    headers: { 'Retry-After': 'Whole seconds.' },
  }),
];

const CHALLENGE = { 'WWW-Authenticate': 'The challenge of RFC 6750 §3.' };

/** What every call with an access token can be refused for. */
export const badTokens: readonly RefusalCase[] = [
  refusal(401, 'missing_token', {
    when: 'No access token came.',
    message: 'Missing access token: send it as Authorization: Bearer …',
    headers: CHALLENGE,
  }),
  refusal(401, 'invalid_token', {
    when: 'The access token is malformed, expired or revoked, or it is a refresh token.',
    message: 'The access token is invalid, expired or revoked',
    headers: CHALLENGE,
  }),
];

/** A scope that does not suffice; `message` is the operation's own. */
export const smallScope = (message: string, error?: string) =>
  refusal(403, 'insufficient_scope', {
    when: 'The scope of the access token does not suffice.',
    message,
    ...(error === undefined ? {} : { error }),
    headers: CHALLENGE,
  });

const RETRY = { 'Retry-After': 'Whole seconds.' };
const PROBLEM = {
  provider: 'google',
  account: 'ada@example.com',
  code: 'unavailable',
  message: 'The provider answered 503',
  reason: 'provider_unavailable',
  actor: 'nobody',
};

/** What reading calendars and events can fail of besides. */
export const unreadable: readonly RefusalCase[] = [
  refusal(403, 'calendar_permission_required', {
    when: 'Accounts are connected, and none was given access to its calendars.',
    message: 'No connected account has calendar access',
    fields: { accounts: [{ provider: 'google', account: 'ada@example.com' }] },
  }),
  refusal(503, 'sync_in_progress', {
    when: 'The first sync is still going on.',
    message: 'The calendars are being read for the first time: ask again in a few seconds',
    fields: { errors: [{ ...PROBLEM, code: 'sync_in_progress' }] },
    headers: RETRY,
  }),
  refusal(503, 'temporarily_unavailable', {
    when: 'Too much is being read at the moment, or the data cannot be reached.',
    message: 'Too much is being read at the moment: try again in a few seconds',
    headers: RETRY,
  }),
  refusal(503, 'providers_unavailable', {
    when: 'No provider could be read, and nothing is known from before.',
    message: 'None of the connected accounts could be read',
    fields: { errors: [PROBLEM] },
    headers: RETRY,
  }),
];

/** Says when to come back. */
export const later = { headers: RETRY };
