/** Requests to a provider's JSON API with an account's access token, which is renewed if it is rejected. */
import type { AccountSession } from '../calendars/calendar-provider.ts';
import type { Egress, EgressResponse } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import { isPinned } from '../lib/egress/origins.ts';
import { jsonIn } from '../lib/json.ts';
import { connectionFailure } from './connection-failure.ts';
import { isObject } from './json-value.ts';

export type BearerApiDeps = {
  readonly egress: Egress;
  /** Without a trailing slash. The token is sent only to its origin. */
  readonly apiUrl: string;
  readonly session: AccountSession;
};

export type BearerApiFacts = {
  readonly maxBytes: number;
  /** Whether a redirect within the API's origin is followed. If not, it is not a success. */
  readonly followsRedirects: boolean;
  readonly isSuccess: (status: number, method: Method) => boolean;
  readonly refusalOf: (answer: EgressResponse, method: Method) => Error;
  /** Whether only this request was refused: the limits do not count it as a failure of the provider. */
  readonly isCallersFault: (refusal: Error, answer: EgressResponse, method: Method) => boolean;
  readonly unreadable: () => Error;
};

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type BearerRead = {
  /** The provider's name for the operation, which the account's limits count. */
  readonly operation: string;
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
};

export type BearerWrite = BearerRead & {
  readonly method: Exclude<Method, 'GET'>;
  /** JSON. */
  readonly body?: object;
  /** The version that the change is based on. If absent, any version is replaced. */
  readonly ifMatch?: string | undefined;
};

type BearerRequest = Omit<BearerWrite, 'method'> & { readonly method: Method };

export type JsonObject = Readonly<Record<string, unknown>>;

/** Fails with ProviderError, or with another error that `refusalOf` returns. */
export interface BearerApi {
  read(request: BearerRead): Promise<JsonObject>;
  /** Returns `undefined` if a success has no body. */
  write(request: BearerWrite): Promise<JsonObject | undefined>;
}

export function bearerApi(deps: BearerApiDeps, facts: BearerApiFacts): BearerApi {
  const { session } = deps;
  const { isSuccess, refusalOf, isCallersFault, unreadable } = facts;

  /** Fails inside `limited`, so that the limits count failures. After a 401 another token is tried. */
  const attempt = (request: BearerRequest, token: string): Promise<EgressResponse> =>
    session.limited(request.operation, async () => {
      const { method } = request;
      const answer = await send(request, token, { ...deps, ...facts });
      if (isSuccess(answer.status, method) || answer.status === 401) return answer;
      const refusal = refusalOf(answer, method);
      if (isCallersFault(refusal, answer, method)) return answer;
      throw refusal;
    });
  const ask = async (request: BearerRequest): Promise<EgressResponse> => {
    const token = await session.accessToken();
    let answer = await attempt(request, token);
    if (answer.status === 401) answer = await attempt(request, await session.renewAccessToken(token));
    if (!isSuccess(answer.status, request.method)) throw refusalOf(answer, request.method);
    return answer;
  };
  const objectIn = ({ body }: EgressResponse): JsonObject => {
    const value = jsonIn(body.toString('utf8'));
    if (!isObject(value)) throw unreadable();
    return { ...value };
  };

  return {
    read: async (request) => objectIn(await ask({ ...request, method: 'GET' })),
    async write(request) {
      const answer = await ask(request);
      return answer.status > 201 || answer.body.length === 0 ? undefined : objectIn(answer);
    },
  };
}

async function send(
  { method, url, headers, body, ifMatch }: BearerRequest,
  token: string,
  { egress, apiUrl, followsRedirects, maxBytes }: BearerApiDeps & BearerApiFacts,
): Promise<EgressResponse> {
  const origins = [new URL(apiUrl).origin];
  try {
    return await egress.request({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: { authorization: `Bearer ${token}`, origins },
      mayFollow: (target) => followsRedirects && isPinned(origins, target),
      maxBytes,
    });
  } catch (failure) {
    throw failure instanceof EgressError ? connectionFailure(failure) : failure;
  }
}

/** Limits the pages of a listing. A longer one would never end. */
const MOST_PAGES = 20_000;

export type Listing<Page> = {
  readonly from: string | undefined;
  readonly ask: (place: string | undefined) => Promise<Page>;
  /** Returns the address of the next page; `undefined` after the last. */
  readonly nextOf: (page: Page) => string | undefined;
  readonly broken: (how: string) => Error;
};

/**
 * Yields page by page. Fails with `broken` for endless pages and for cycles. It remembers one address (the first, the
 * second, the fourth and so on), to which a cycle returns.
 */
export async function* readPages<Page>({ from, ask, nextOf, broken }: Listing<Page>): AsyncGenerator<Page> {
  let place = from;
  let remembered = from;
  let nextRemembered = 1;
  for (let pages = 1; pages <= MOST_PAGES; pages += 1) {
    const page = await ask(place);
    const next = nextOf(page);
    if (next !== undefined && (next === place || next === remembered)) throw broken('leads back to itself');
    yield page;
    if (next === undefined) return;
    place = next;
    if (pages === nextRemembered) {
      remembered = place;
      nextRemembered *= 2;
    }
  }
  throw broken('has no end');
}
