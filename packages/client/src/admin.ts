/**
 * The client of the administration API: `@kalends/client/admin`. It has a method for each operation of
 * docs/admin-openapi.json, with its name.
 */
import { type AdminOperations, type CallOptions, OPERATIONS } from './admin-operations.ts';
import { type SendOptions, send } from './send.ts';

export type * from './admin-operations.ts';
export { KalendsError } from './kalends-error.ts';

/** The service and the admin key. */
export type AdminOptions = {
  /** The origin of the administration API, such as `https://calendars.example.com`. */
  readonly url: string;
  /** `kal_adm_…`, or the value of KALENDS_ADMIN_KEY. */
  readonly adminKey: string;
  /** Milliseconds per attempt; 60,000 by default. */
  readonly timeout?: number;
  /** The number of retries of a call that is safe to repeat; 2 by default. POST is: each has an idempotency key. */
  readonly retries?: number;
  /** Replaces the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
};

type Input = Readonly<Record<string, unknown>>;

/** Returns a client of the administration API. */
export function kalendsAdmin(options: AdminOptions): AdminOperations {
  const sending: SendOptions = {
    baseUrl: `${options.url.replace(/\/+$/, '')}/admin/v1`,
    fetch: options.fetch ?? fetch,
    timeout: options.timeout ?? 60_000,
    retries: options.retries ?? 2,
  };
  const authorization = `Bearer ${options.adminKey}`;
  const calls = Object.entries(OPERATIONS).map(([name, [method, template]]) => {
    const call = async (input: Input = {}, { ifMatch, signal }: CallOptions = {}) => {
      const { path, rest } = fill(template, input);
      const isInQuery = method === 'GET' || method === 'DELETE';
      const { body, headers } = await send(
        {
          ...{ method, path, signal },
          headers: {
            authorization,
            ...(ifMatch !== undefined && { 'if-match': ifMatch }),
            ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
          },
          ...(isInQuery ? { query: queryOf(rest) } : { json: rest }),
          repeatable: method === 'GET' || method === 'POST',
        },
        sending,
      );
      const etag = headers.get('etag');
      return etag === null ? body : { ...(body as object), etag }; // results with an ETag are objects
    };
    return [name, call];
  });
  return Object.fromEntries(calls) as AdminOperations; // a call for each row, as its signature says
}

/** Puts the fields into the path, and returns the others. Throws TypeError if one is missing. */
function fill(template: string, input: Input): { path: string; rest: Input } {
  const rest = { ...input };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be an id`);
    return encodeURIComponent(value);
  });
  return { path, rest };
}

const queryOf = (fields: Input): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
