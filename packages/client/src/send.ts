/** One request to the service: time limit, JSON, errors as KalendsError, and patience where repeating is harmless. */
import { type DpopProofs, isBound } from './dpop.ts';
import { errorOf, KalendsError } from './kalends-error.ts';

/** How requests are sent. */
export type SendOptions = {
  /** The service's origin, with a path where it is mounted under one; no trailing slash. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** Milliseconds for one try. */
  readonly timeout: number;
  /** How often a request that is safe to repeat is tried again after 429, 503 or no answer. */
  readonly retries: number;
  /** Undefined without DPoP. */
  readonly proofs?: DpopProofs | undefined;
};

/** One request. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: URLSearchParams;
  /** Authenticates the application. Called for each attempt, because an assertion works once. */
  readonly credentials?: (() => Promise<Credentials>) | undefined;
  /** GET is; others are when they carry an idempotency key or say so. */
  readonly repeatable?: boolean;
  /** Set if the request is sent with a DPoP proof, for the access token if it has one. */
  readonly proof?: { readonly accessToken?: string } | undefined;
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined;
};

/** Headers and fields of a form that authenticate the application. */
export type Credentials = {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
};

/** Returns the scheme of an access token, and that it needs a proof if it is bound. */
export function withToken(token: string, { proofs }: SendOptions): Pick<Call, 'headers' | 'proof'> {
  if (proofs === undefined || !isBound(token)) return { headers: { authorization: `Bearer ${token}` } };
  return { headers: { authorization: `DPoP ${token}` }, proof: { accessToken: token } };
}

/** The longest wait the service may ask for that is waited out here, in seconds. */
const LONGEST_WAIT = 30;

/** `body` is the answer's JSON; `undefined` where it was none. */
export type Answer = { readonly body: unknown; readonly headers: Headers };

/** The answer of a success. Fails with KalendsError. */
export async function send(call: Call, options: SendOptions): Promise<Answer> {
  const repeatable = call.repeatable ?? call.method === 'GET';
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await sendWithNonce(call, options);
    } catch (error) {
      const wait = error instanceof KalendsError ? waitAfter(error, attempt) : undefined;
      if (!repeatable || call.signal?.aborted || attempt >= options.retries || wait === undefined)
        throw error;
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }
}

/** Repeats a request that was refused for its nonce: nothing has happened, and the response had a new one. */
async function sendWithNonce(call: Call, options: SendOptions): Promise<Answer> {
  try {
    return await sendOnce(call, options);
  } catch (error) {
    if (!(error instanceof KalendsError && error.code === 'use_dpop_nonce')) throw error;
    return sendOnce(call, options);
  }
}

/** Seconds; `undefined` where another try would end the same. */
function waitAfter({ status, retryAfter }: KalendsError, attempt: number): number | undefined {
  // 409 with a time to wait: the first try under this idempotency key is still going on, or others were first.
  const passes = [0, 429, 502, 503, 504].includes(status) || (status === 409 && retryAfter !== undefined);
  if (!passes) return undefined;
  const wait = retryAfter ?? 0.5 * 2 ** attempt;
  return wait <= LONGEST_WAIT ? wait * (1 + Math.random() / 10) : undefined;
}

async function sendOnce(
  { method, path, query, headers, json, form, credentials, proof, signal }: Call,
  options: SendOptions,
): Promise<Answer> {
  const search = query === undefined || query.size === 0 ? '' : `?${query}`;
  const authentication = await credentials?.();
  const fields = form && new URLSearchParams([...form, ...Object.entries(authentication?.fields ?? {})]);
  const body = fields ?? (json === undefined ? undefined : JSON.stringify(json));
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const url = options.baseUrl + path;
  const dpop = proof && (await options.proofs?.prove({ method, url, accessToken: proof.accessToken }));
  const timeout = AbortSignal.timeout(options.timeout);
  let response: Response;
  let text: string;
  try {
    response = await options.fetch(`${url}${search}`, {
      method,
      headers: {
        ...{ accept: 'application/json', ...type, ...headers, ...authentication?.headers },
        ...(dpop === undefined ? {} : { dpop }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    options.proofs?.noteNonce(response);
    text = await response.text();
  } catch (cause) {
    const late = cause instanceof Error && cause.name === 'TimeoutError';
    const message = late ? `No answer within ${options.timeout} ms` : unreachable(options.baseUrl, cause);
    throw new KalendsError(message, { status: 0, code: late ? 'timeout' : 'unreachable', cause });
  }
  const answer = parsed(text);
  if (!response.ok) throw errorOf(response, answer);
  return { body: answer, headers: response.headers };
}

/** Names the host and what stood in the way: `fetch` itself says no more than that it failed. */
function unreachable(baseUrl: string, cause: unknown): string {
  const { host } = new URL(baseUrl);
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error ? inner.message || inner.name : String(inner);
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : '';
  return `The service cannot be reached at ${host}: ${reason.includes(code) ? reason : `${code} ${reason}`}`;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined; // A proxy's page, say: the status tells.
  }
}
