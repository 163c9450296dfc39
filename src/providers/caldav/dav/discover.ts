/**
 * Finds the calendar homes of a user, RFC 6764 §6. Asks for the principal (RFC 5397) at the typed address, at those of
 * service records (first for an e-mail address), at the well-known address and at known paths. Then asks the principal
 * for its calendar-home-set (RFC 4791 §6.2.1).
 */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress, EgressResponse } from '../../../lib/egress/egress.ts';
import { EgressError } from '../../../lib/egress/egress-error.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import { type DavSession, foreignAddress, propfind, sendPropfind } from './dav-client.ts';
import { caldav } from './dav-names.ts';
import { davSession, type SessionDeps } from './dav-session.ts';
import { type DavUser, namesItself, provenUser, resolveAll, USER_REQUEST, userIn } from './principal.ts';
import { belongsTo, COMMON_PATHS, type ServerAddress } from './server-address.ts';
import { type ServiceDns, serviceAddresses } from './service-records.ts';
import { listHrefs } from './xml.ts';

export type DiscoveryInput = {
  readonly server: ServerAddress;
  readonly username: string;
  readonly password: string;
};

export type CalendarHomes = {
  /** Absolute; the home itself if the server has no principals. */
  readonly principal: URL;
  /** The principal that responded and named itself; `undefined` if the server has none. */
  readonly proved: URL | undefined;
  /** Whether the server named it for this login: a typed address may only name itself. */
  readonly isNamed: boolean;
  readonly homes: readonly URL[];
  readonly origins: readonly string[];
};

type Search = {
  readonly server: ServerAddress;
  readonly session: DavSession;
  /** The session's origins; the search adds to them. */
  readonly origins: string[];
};

export type DiscoveryDeps = SessionDeps & {
  readonly dns: ServiceDns;
  /** A user with more calendar homes is refused. */
  readonly mostHomes: number;
};

/** Finds the homes. Fails with the most informative ProviderError of all addresses. */
export async function discover(
  { server, username, password }: DiscoveryInput,
  deps: DiscoveryDeps,
): Promise<CalendarHomes> {
  const { egress, dns, mostHomes } = deps;
  const origins = [...server.origins];
  const session = davSession({ username, password, origins }, deps);
  const search: Search = { server, session, origins };
  const refusals: Refusal[] = [];
  const down = new Set<string>();

  for await (const candidate of listCandidates(server, dns)) {
    if (down.has(candidate.origin)) continue;
    try {
      if (!isPinned(origins, candidate)) pinOrigin(search, candidate);
      const user = await findUser(search, candidate);
      if (user !== undefined) return await findHomes(session, user, mostHomes);
    } catch (failure) {
      if (!(failure instanceof ProviderError)) throw failure;
      // Other addresses of this server would return the same.
      if (failure.kind === 'rate_limited' || failure.kind === 'too_large') throw failure;
      refusals.push({ address: candidate, failure });
      // One wrong password is enough: further attempts may lock the account.
      if (failure.kind === 'unauthorized') break;
      if (failure.kind === 'unavailable' || failure.kind === 'forbidden_address') down.add(candidate.origin);
    }
  }
  throw await discoveryFailure(refusals, server.url, egress);
}

async function* listCandidates(server: ServerAddress, dns: ServiceDns): AsyncGenerator<URL> {
  const { byMail = false } = server;
  const hasName = /[a-z]$/i.test(server.domain) && server.domain.includes('.');
  if (!byMail) yield server.url;
  if (hasName) yield* await serviceAddresses(server.domain, dns);
  if (byMail) yield server.url;
  const base = server.url.origin;
  for (const path of ['/.well-known/caldav', ...COMMON_PATHS]) yield new URL(path, base);
}

/** Allows the password at the origin of an address. Fails if the server is not known to own it. */
function pinOrigin({ server, origins }: Search, address: URL): void {
  if (!belongsTo(server, address)) throw foreignAddress(address);
  origins.push(address.origin);
}

/** Returns `undefined` if the address names no user. */
async function findUser(search: Search, url: URL): Promise<DavUser | undefined> {
  let answer: EgressResponse = await sendPropfind(search.session, url, USER_REQUEST);
  const target = readRedirect(answer);
  if (target !== undefined) {
    pinOrigin(search, target);
    answer = await sendPropfind(search.session, target, USER_REQUEST);
  }
  return userIn(search.session, answer);
}

/** Returns the target of a redirect that was not followed because it leaves the pinned origins. */
function readRedirect(answer: EgressResponse): URL | undefined {
  if (answer.status < 300 || answer.status > 399) return undefined;
  return URL.parse(answer.header('location') ?? '', answer.url) ?? undefined;
}

/** The maximum for an address in a database index. */
const LONGEST_ADDRESS = 1000;

async function findHomes(session: DavSession, user: DavUser, most: number): Promise<CalendarHomes> {
  const { principal } = user;
  const itself = principal && (await provenUser(session, user, principal));
  const namedHomes = itself !== undefined && itself.homes.length > 0 ? itself.homes : user.homes;
  const homes = namedHomes.filter((home) => isPinned(session.origins, home));
  requireFew(homes, most);
  const [first] = homes;
  if (first !== undefined) {
    const address = principal ?? first;
    if (address.href.length > LONGEST_ADDRESS)
      throw new ProviderError(
        'invalid_response',
        `${address.hostname} uses a URL that is too long for a user`,
      );
    // A typed principal that only names its own address does not prove which user it belongs to.
    const isNamed = user.isCurrent || !namesItself(user);
    return { principal: address, proved: itself?.at, isNamed, homes, origins: [...session.origins] };
  }
  const [foreign] = namedHomes;
  if (foreign !== undefined) throw foreignAddress(foreign);
  throw new ProviderError('no_calendars', 'The server lists no calendars for this user');
}

function requireFew(homes: readonly URL[], most: number): void {
  if (homes.length <= most) return;
  const message = `The server lists more than ${most} calendar homes`;
  throw new ProviderError('too_large', message, { detail: 'too_many_homes', reason: 'too_many_calendars' });
}

/** Returns the calendar homes that a principal names. Fails as `too_large` for more than `most`. */
export async function homeSet(session: DavSession, principal: URL, most: number): Promise<URL[]> {
  const request = { depth: '0', properties: [caldav('calendar-home-set')] } as const;
  const { responses, url } = await propfind(session, principal, request);
  const homes = responses.flatMap(({ properties }) =>
    resolveAll(listHrefs(properties.get(caldav('calendar-home-set'))), url),
  );
  requireFew(homes, most);
  return homes;
}

export type Refusal = { readonly address: URL; readonly failure: ProviderError };

/** Returns the failure to throw. If https failed and http is allowed, it first tries http, without the password. */
export async function discoveryFailure(
  refusals: readonly Refusal[],
  typed: URL,
  egress: Egress,
): Promise<ProviderError> {
  const informative = MOST_INFORMATIVE.flatMap(
    (tells) => refusals.find(({ failure }) => tells(failure)) ?? [],
  )[0]?.failure;
  if (informative === undefined)
    return new ProviderError('invalid_response', 'No CalDAV server was found at this address', {
      detail: 'no_caldav',
    });
  const typedRefusal = refusals.find(({ address }) => address.origin === typed.origin);
  if (informative.kind !== 'unavailable' || !lacksHttps(typed, typedRefusal?.failure)) return informative;
  if (!(await speaksHttp(typed, egress))) return informative;
  const message = `${typed.hostname} responds at http:// only`;
  return new ProviderError('unavailable', message, { cause: informative, detail: 'plain_http' });
}

/** The most informative failures first: a wrong password comes before a wrong address. */
const MOST_INFORMATIVE: readonly ((refusal: ProviderError) => boolean)[] = [
  ({ kind }) => kind === 'unauthorized',
  ({ detail }) => detail === 'no_basic',
  ({ detail }) => detail === 'too_many_requests',
  ({ kind }) => kind === 'no_calendars',
  ({ detail }) => detail === 'principal_unproved',
  ({ kind }) => kind === 'forbidden_address',
  ({ detail }) => detail === 'certificate',
  // A server that responds, if only that it is out of order.
  ({ kind, detail }) => kind === 'unavailable' && detail === undefined,
  ({ detail }) => detail === 'foreign_address',
  ({ detail }) => detail === 'connection_refused',
  ({ detail }) => detail === 'host_unknown',
];

/** Returns whether https failed at the typed address for a reason that http would not have. */
function lacksHttps(typed: URL, refusal: ProviderError | undefined): boolean {
  const failure = refusal?.cause;
  if (typed.protocol !== 'https:' || !(failure instanceof EgressError)) return false;
  const { kind, detail } = failure;
  // Some servers close the connection instead of answering a handshake.
  return detail === 'no_tls' || detail === 'connection_refused' || (kind === 'unreachable' && !detail);
}

const HTTP_TIMEOUT_MS = 5_000;
const MOST_HTTP_BYTES = 1_000_000;

/** Returns whether a server is there that does not redirect its clients to https. */
async function speaksHttp(typed: URL, egress: Egress): Promise<boolean> {
  const url = new URL('/', typed);
  url.protocol = 'http:';
  try {
    const answer = await egress.request({
      method: 'OPTIONS',
      url,
      mayFollow: () => false,
      timeoutMs: HTTP_TIMEOUT_MS,
      maxBytes: MOST_HTTP_BYTES,
    });
    return answer.status !== 400 && !/^https:/i.test(answer.header('location') ?? '');
  } catch (failure) {
    if (failure instanceof EgressError) return false;
    throw failure;
  }
}
