/** Errors that know their response, and the tables in which each of them is a row. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http'); // An import would load `fetch` (scripts/import-rules.ts).

/** One error: how it is sent, and what docs/errors.md and the API reference say about it. */
export type ErrorRow = {
  readonly code: string;
  readonly status: number;
  /** Further statuses of the same code; the throw names the one it means. */
  readonly otherStatuses?: readonly number[];
  /** Public: which rule was broken and what to do. The throw may have its own; then this is the example. */
  readonly message: string;
  /** When it is sent, as a sentence. */
  readonly when: string;
  /** The way out for the caller, as an instruction. */
  readonly fix: string;
  /** The field that is wrong: `details` repeats the message under its name. */
  readonly field?: string;
  /** An example of further fields of the body; the throw has the real ones. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Whole seconds of `Retry-After`. The throw may have its own; then these are the example. */
  readonly retryAfter?: number;
  /** Further headers, which the throw adds: name → meaning. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Wire: do not rename. Turns the name of each row into its code: `errorTable({ not_found: { status: 404, … } }).not_found.code` is `not_found`. */
export function errorTable<Code extends string>(
  rows: Readonly<Record<Code, Omit<ErrorRow, 'code'>>>,
): Readonly<Record<Code, ErrorRow>> {
  const entries = Object.entries<Omit<ErrorRow, 'code'>>(rows).map(([code, row]) => [code, { code, ...row }]);
  // The entries are those of `rows`, so each of its codes is present.
  return Object.fromEntries(entries) as Record<Code, ErrorRow>;
}

/** An error that knows its status, headers and documented body. `message` is public. */
export abstract class Refusal extends Error {
  abstract readonly status: number;
  abstract readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>> = {};
}

/** Field → what is wrong with it. PHP clients fail on anything but arrays of strings here. */
export type ErrorDetails = Readonly<Record<string, readonly string[]>>;

/** Deviations of one throw from its row, and additions to it. */
export type ErrorOptions = {
  readonly message?: string | undefined;
  /** The status, if it is one of the row's `otherStatuses`. */
  readonly status?: number | undefined;
  /** The short name; the status's own by default. */
  readonly error?: string | undefined;
  readonly field?: string | undefined;
  /** Instead of those that follow from `field`. */
  readonly details?: ErrorDetails | undefined;
  /** The fields that the row lists. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfter?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
};

/** An error of the REST interface, in the body shape of docs/wire.md 3.1. */
export class ApiError extends Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  override readonly headers: Readonly<Record<string, string>>;

  /** `options`: the message, or everything that differs from the row. */
  constructor(row: ErrorRow, options: string | ErrorOptions = {}) {
    const given: ErrorOptions = typeof options === 'string' ? { message: options } : options;
    const { message = row.message, status = row.status, field = row.field } = given;
    super(message, { cause: given.cause });
    this.name = 'ApiError';
    this.status = status;
    this.headers = { ...retryHeader(given.retryAfter ?? row.retryAfter), ...given.headers };
    const error = given.error ?? STATUS_CODES[status] ?? 'Error';
    const details = given.details ?? (field === undefined ? undefined : { [field]: [message] });
    this.body = { error, message, code: row.code, ...(details && { details }), ...given.fields };
  }
}

/** Returns the message of an ApiError. Throws any other reason again. */
export function apiMessage(reason: unknown): string {
  if (!(reason instanceof ApiError)) throw reason;
  return reason.message;
}

/** `Retry-After` of whole seconds; no header if `seconds` is undefined. */
export const retryHeader = (seconds: number | undefined): Readonly<Record<string, string>> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) };

const BEARER = { 'WWW-Authenticate': 'The challenge of RFC 6750 §3, or of RFC 9449 §7.1 for a bound token.' };

/** The errors that every part of the REST interface shares (docs/wire.md 3.1, 3.2). */
export const ANY_CALL = errorTable({
  invalid_request: {
    status: 400,
    otherStatuses: [413, 414],
    message: 'A field is missing or wrong',
    when: 'A field or parameter is missing or wrong, or the body cannot be read.',
    fix: '`details` lists what is wrong with each field. Correct these fields.',
  },
  missing_token: {
    status: 401,
    message: 'Missing access token: send it as Authorization: Bearer …',
    when: 'The request has no access token.',
    fix: 'Send the token as `Authorization: Bearer ACCESS_TOKEN`. Check that no proxy removes this header.',
    headers: BEARER,
  },
  invalid_token: {
    status: 401,
    message: 'The access token is invalid, expired or revoked',
    when: 'The access token is malformed, expired (after an hour) or revoked, or it is a refresh token.',
    fix: 'Refresh once and repeat the request. If the refresh fails with `invalid_grant`, send the user to `/authorize`.',
    headers: BEARER,
  },
  insufficient_scope: {
    status: 403,
    message: 'The scope of the access token is too small',
    when: 'The scope of the token, or its scope for this account, does not allow the request.',
    fix: 'Send the user to `/authorize` with a wider scope. A refresh never widens the scope.',
    headers: BEARER,
  },
  temporarily_unavailable: {
    status: 503,
    otherStatuses: [429],
    message: 'Too much is being read at the moment: try again in a few seconds',
    when: '429: too many wrong secrets, wrong codes or new flows. 503: the database cannot be reached, too many large bodies are being received, or too much is being read.',
    fix: 'Wait for the seconds in `Retry-After`, then repeat the request. A correct secret is never limited. If `/token` then returns `invalid_grant`, send the user to `/authorize`.',
    retryAfter: 5,
  },
});
