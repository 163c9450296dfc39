/**
 * Requests to Microsoft Graph. Each takes its turn within the mailbox's limits, carries the same preferences, and is
 * made once more with another access token when the first was refused. Only the API's own origin is ever asked.
 */
import type { AccountSession } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Egress, EgressResponse } from '../../lib/egress/egress.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import { isPinned } from '../../lib/egress/origins.ts';
import { connectionFailure } from '../connection-failure.ts';
import { refusalOf } from './api-refusal.ts';
import { MOST_BYTES, MOST_PAGES, PREFERENCES } from './event-queries.ts';

/** What requests of one account have in common. */
export type Graph = {
  readonly egress: Egress;
  /** Without a trailing slash, as `https://graph.microsoft.com/v1.0`. */
  readonly apiUrl: string;
  readonly session: AccountSession;
};

export type GraphRequest = {
  /** For the account's limits, in Graph's own words. */
  readonly operation: string;
  /** Below the API's address, or a link of Graph's, which is followed as it is. */
  readonly url: string;
  /** Preferences besides those of every request. */
  readonly prefer?: readonly string[];
};

/** A request that changes something. */
export type GraphWrite = GraphRequest & {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: object;
  /** The ETag that the change is for; without one it is for whatever there is. */
  readonly ifMatch?: string | undefined;
};

export type Page<T> = {
  readonly value: readonly T[];
  readonly nextLink: string | undefined;
  readonly deltaLink: string | undefined;
};

/** The answer's JSON object. Fails with ProviderError. */
export async function graphGet(
  graph: Graph,
  request: GraphRequest,
): Promise<Readonly<Record<string, unknown>>> {
  return objectIn(await asked(graph, request));
}

/** The answer's JSON object; `undefined` where success has none (202, 204). Fails with ProviderError. */
export async function graphWrite(
  graph: Graph,
  request: GraphWrite,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await asked(graph, request);
  return answer.status === 200 || answer.status === 201 ? objectIn(answer) : undefined;
}

/** A success; of reading only 200 is one. */
async function asked(graph: Graph, request: GraphRequest | GraphWrite): Promise<EgressResponse> {
  const { session } = graph;
  const isWrite = 'method' in request;
  const successes = isWrite ? WRITTEN : [200];
  const ask = (token: string) =>
    session.limited(request.operation, async () => {
      const answer = await send(graph, request, token);
      if (successes.includes(answer.status) || answer.status === 401) return answer;
      const refusal = refusalOf(answer);
      // What a caller asked to be written was refused: that is no failure of Microsoft's, for the limits to count.
      if (isWrite && answer.status < 500 && refusal.kind === 'invalid_response') return answer;
      // Within the turn, so that the limits hear of it.
      throw refusal;
    });
  const token = await session.accessToken();
  let answer = await ask(token);
  if (answer.status === 401) answer = await ask(await session.renewAccessToken(token));
  if (!successes.includes(answer.status)) throw refusalOf(answer);
  return answer;
}

const WRITTEN: readonly number[] = [200, 201, 202, 204];

/** The pages of a listing, from `request.url` to the last. `T` is what Graph publishes for an item. */
export async function* graphPages<T>(graph: Graph, request: GraphRequest): AsyncGenerator<Page<T>> {
  let url: string | undefined = request.url;
  for (let pages = 0; url !== undefined; pages += 1) {
    if (pages === MOST_PAGES) throw unreadable('has no end');
    const body = await graphGet(graph, { ...request, url });
    const { value } = body;
    if (!Array.isArray(value)) throw unreadable('is no list');
    const nextLink = linkIn(graph, body, '@odata.nextLink');
    if (nextLink === url) throw unreadable('leads back to itself');
    // The items are of the type Microsoft publishes; their members are all optional and read as such.
    yield { value: value as T[], nextLink, deltaLink: linkIn(graph, body, '@odata.deltaLink') };
    url = nextLink;
  }
}

async function send(
  { egress, apiUrl }: Graph,
  { url, prefer = [], ...write }: GraphRequest | GraphWrite,
  token: string,
): Promise<EgressResponse> {
  const origins = [new URL(apiUrl).origin];
  const { method, body, ifMatch } = 'method' in write ? write : READING;
  try {
    return await egress.request({
      method,
      url,
      headers: {
        accept: 'application/json',
        prefer: [...PREFERENCES, ...prefer].join(', '),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: { authorization: `Bearer ${token}`, origins },
      mayFollow: (target) => isPinned(origins, target),
      maxBytes: MOST_BYTES,
    });
  } catch (failure) {
    throw failure instanceof EgressError ? connectionFailure(failure) : failure;
  }
}

const READING = { method: 'GET', body: undefined, ifMatch: undefined };

function objectIn({ body }: EgressResponse): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? unreadable('is no JSON', error) : error;
  }
  if (typeof value !== 'object' || value === null) throw unreadable('is no object');
  return { ...value };
}

/** A link of Graph's: opaque, but never to another origin, which would be given the access token. */
function linkIn(
  { apiUrl }: Graph,
  body: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const link = body[name];
  if (link === undefined || link === null) return undefined;
  if (typeof link !== 'string' || !isWithin(apiUrl, link)) throw unreadable('links to another address');
  return link;
}

/** Whether a link is one of this API's. */
export function isWithin(apiUrl: string, link: string): boolean {
  const url = URL.parse(link);
  return url !== null && isPinned([new URL(apiUrl).origin], url);
}

function unreadable(what: string, cause?: unknown): ProviderError {
  return new ProviderError('invalid_response', `An answer of Microsoft ${what}`, {
    cause,
    reason: 'provider_answer_unreadable',
  });
}
