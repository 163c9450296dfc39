/** Requests of one account to Microsoft Graph. They are sent only to the API's origin. */
import type { AccountSession } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { isPinned } from '../../lib/egress/origins.ts';
import {
  type BearerApiDeps,
  type BearerApiFacts,
  type BearerRead,
  type BearerWrite,
  bearerApi,
  type JsonObject,
  readPages,
} from '../bearer-api.ts';
import { unreadableAnswer } from '../meaning.ts';
import { toGraphError } from './api-refusal.ts';

export type GraphRead = Omit<BearerRead, 'headers'> & {
  /** Below `apiUrl`, or a link from Graph, which is followed unchanged. */
  readonly url: string;
  /** Preferences in addition to those of every request. */
  readonly prefer?: readonly string[];
  /** Whether bodies are requested as stored, for copies. Otherwise they are plain text. */
  readonly htmlBodies?: boolean;
};

export type GraphWrite = GraphRead & Omit<BearerWrite, 'headers' | 'url'>;

/** `T` is the published type of an item. All its members are optional. */
export type Page<T> = {
  readonly value: readonly T[];
  readonly nextLink: string | undefined;
  readonly deltaLink: string | undefined;
};

/** Fails with ProviderError. */
export interface Graph {
  /** Without a trailing slash, such as `https://graph.microsoft.com/v1.0`. */
  readonly apiUrl: string;
  get(request: GraphRead): Promise<JsonObject>;
  /** Yields the pages of a listing, beginning at `request.url`. */
  list<T>(request: GraphRead): AsyncGenerator<Page<T>>;
  /** Returns `undefined` if a success has no body (202, 204). */
  write(request: GraphWrite): Promise<JsonObject | undefined>;
}

/** Returns the preferences of every request: times in UTC, and ids that survive a move to another folder. */
const preferences = (bodies: 'html' | 'text'): readonly string[] => [
  'outlook.timezone="UTC"',
  `outlook.body-content-type="${bodies}"`,
  'IdType="ImmutableId"',
];

const FACTS: BearerApiFacts = {
  // A page of long invitations is larger than most responses.
  maxBytes: 30_000_000,
  followsRedirects: true,
  isSuccess: (status, method) => (method === 'GET' ? [200] : [200, 201, 202, 204]).includes(status),
  refusalOf: toGraphError,
  isCallersFault: (refusal, { status }, method) =>
    method !== 'GET' &&
    status < 500 &&
    refusal instanceof ProviderError &&
    refusal.kind === 'invalid_response',
  unreadable: () => unreadable('is not a JSON object'),
};

export type GraphDeps = Omit<BearerApiDeps, 'session'>;

export function microsoftGraph(session: AccountSession, { egress, apiUrl }: GraphDeps): Graph {
  const api = bearerApi({ egress, apiUrl, session }, FACTS);
  const get = (request: GraphRead) => api.read(withPreferences(request));
  return {
    apiUrl,
    get,
    list: <T>(request: GraphRead) =>
      readPages<Page<T>>({
        from: request.url,
        ask: async (url = request.url) => pageIn<T>(apiUrl, await get({ ...request, url })),
        nextOf: ({ nextLink }) => nextLink,
        broken: unreadable,
      }),
    write: (request) => api.write(withPreferences(request)),
  };
}

const withPreferences = <T extends GraphRead>({ prefer = [], htmlBodies = false, ...request }: T) => ({
  ...request,
  headers: { prefer: [...preferences(htmlBodies ? 'html' : 'text'), ...prefer].join(', ') },
});

function pageIn<T>(apiUrl: string, body: JsonObject): Page<T> {
  const { value } = body;
  if (!Array.isArray(value)) throw unreadable('is no list');
  const linkIn = (name: string): string | undefined => {
    const link = body[name] ?? undefined;
    if (link === undefined || (typeof link === 'string' && isWithin(apiUrl, link))) return link;
    // Following it would send the access token there.
    throw unreadable('links to another address');
  };
  return { value, nextLink: linkIn('@odata.nextLink'), deltaLink: linkIn('@odata.deltaLink') };
}

/** Returns whether a link has the API's origin. */
export function isWithin(apiUrl: string, link: string): boolean {
  const url = URL.parse(link);
  return url !== null && isPinned([new URL(apiUrl).origin], url);
}

const unreadable = (what: string): ProviderError => unreadableAnswer(`A response from Microsoft ${what}`);
