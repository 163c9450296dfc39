/** The bodies of errors (docs/wire.md 3.1), and the errors that many operations share, for the API reference. */
import { Type } from 'typebox';
import { DPOP } from './dpop-error.ts';
import { anyObject, type OperationError } from './operation.ts';
import { ANY_CALL } from './refusal.ts';
import { SERVER } from './server-error.ts';
import { BODY_BYTES, bodyTooLarge, formatSize } from './sizes.ts';

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A short name of the error.' }),
    message: Type.String({ description: 'Which rule was broken and what to do, in English.' }),
    code: Type.String({ description: 'The code for programs. Codes do not change.' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Field → what is wrong with it.',
      }),
    ),
    accounts: Type.Optional(
      Type.Array(Type.Object({ provider: Type.String(), account: Type.String() }), {
        description: 'The account whose sign-in or permission is missing (403).',
      }),
    ),
    errors: Type.Optional(
      Type.Array(anyObject('A ReadProblem.'), {
        description: 'The accounts that could not be synced (404 and 503).',
      }),
    ),
    event: Type.Optional(anyObject('The current version of the event (412).')),
    requestId: Type.Optional(
      Type.String({
        description: 'The request id, by which the operator can find the error in the log (500).',
      }),
    ),
    documentation: Type.Optional(
      Type.String({
        description: 'A link to the description of the code, if the server has `KALENDS_ERROR_LINKS`.',
      }),
    ),
  },
  { $id: 'Error' },
);

/** RFC 6749 §5.2, with `message` for published clients that read nothing else. */
export const OAuthErrorBody = Type.Object(
  {
    error: Type.String({ description: 'The code of RFC 6749.' }),
    error_description: Type.String(),
    message: Type.String({ description: 'The same text as `error_description`.' }),
    code: Type.Optional(Type.String({ description: 'Present with `server_error`.' })),
    requestId: Type.Optional(Type.String({ description: 'Present with `server_error`.' })),
  },
  { $id: 'OAuthError' },
);

export const badField = (field: string, problem: string): OperationError => ({
  ...ANY_CALL.invalid_request,
  message: `${field} ${problem}`,
  field,
});

export const badBodies: readonly OperationError[] = [
  SERVER.unusable_text,
  {
    ...SERVER.request_refused,
    status: 413,
    when: `The body is larger than ${formatSize(BODY_BYTES)}.`,
    message: bodyTooLarge(BODY_BYTES).message,
    field: 'body',
  },
  { ...SERVER.request_refused, status: 415, when: 'The content type of the body is not supported.' },
  SERVER.too_many_bodies,
];

/** The errors of every call with an access token. */
export const badTokens: readonly OperationError[] = [
  ANY_CALL.missing_token,
  ANY_CALL.invalid_token,
  { ...DPOP.invalid_dpop_proof, status: 401 },
  { ...DPOP.use_dpop_nonce, status: 401 },
];

/** The scope is too small; `message` is the operation's own. */
export const smallScope = (message: string, error?: string): OperationError => ({
  ...ANY_CALL.insufficient_scope,
  message,
  ...(error === undefined ? {} : { error }),
});
