/** Failures of calls: an error response of the service, or no response. */
import type { AccountOfProvider } from './calendar-shapes.ts';

/** The properties of a failure. */
type Facts = {
  readonly status: number;
  readonly code: string;
  readonly details?: Readonly<Record<string, readonly string[]>>;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly body?: unknown;
  readonly cause?: unknown;
};

/** The failure of a call: an error response of the service, or no response. */
export class KalendsError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The code for programs: `code` of the response, otherwise its `error`. */
  readonly code: string;
  /** The problems, by field. */
  readonly details: Readonly<Record<string, readonly string[]>>;
  /** Whole seconds that the service asked to wait. */
  readonly retryAfter: number | undefined;
  /** The id under which the operator finds the request in the log. */
  readonly requestId: string | undefined;
  /** The whole response, if it was JSON. */
  readonly body: unknown;

  constructor(message: string, facts: Facts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'KalendsError';
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.retryAfter = facts.retryAfter;
    this.requestId = facts.requestId;
    this.body = facts.body;
  }
}

/** The refresh token was used or revoked: send the user through the authorization URL again. */
export class ReauthorizationRequired extends KalendsError {
  constructor(cause: KalendsError) {
    const { status, code, requestId, body } = cause;
    super('The user must authorize again', { status, code, requestId, body, cause });
    this.name = 'ReauthorizationRequired';
  }
}

/** A write needs an account that the user must reconnect. Nothing was written, and the user's tokens remain valid. */
export class AccountNeedsReconnect extends KalendsError {
  /** The accounts, for `reconnect` of `pushedAuthorizationUrl`, or for `reconnectLink`. */
  readonly accounts: readonly AccountOfProvider[];

  constructor(message: string, facts: Facts) {
    super(message, facts);
    this.name = 'AccountNeedsReconnect';
    const { accounts } = isRecord(facts.body) ? facts.body : {};
    // The service documents them for this code.
    this.accounts = Array.isArray(accounts) ? (accounts as readonly AccountOfProvider[]) : [];
  }
}

/** Returns the failure that an error response represents. */
export function errorOf(response: Response, body: unknown): KalendsError {
  const fields = isRecord(body) ? body : {};
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined);
  const message =
    text('message') ??
    text('error_description') ??
    text('error') ??
    `The service answered ${response.status}`;
  const retryAfter = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  const facts = {
    status: response.status,
    code: text('code') ?? text('error') ?? 'unknown',
    details: detailsIn(fields.details),
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
    requestId: response.headers.get('x-request-id') ?? undefined,
    body,
  };
  const needsReconnect = facts.status === 403 && facts.code === 'reauth_required';
  return new (needsReconnect ? AccountNeedsReconnect : KalendsError)(message, facts);
}

function detailsIn(details: unknown): Record<string, readonly string[]> {
  if (!isRecord(details)) return {};
  const lists = Object.entries(details).map(
    ([field, problems]) => [field, [problems].flat().map(String)] as const,
  );
  return Object.fromEntries(lists);
}

/** Returns whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
