/**
 * Finds the calendar homes of a user, RFC 6764 §6. Asks for the principal (RFC 5397) at the typed address, at those of
 * service records (first for an e-mail address), at the well-known address and at known paths. Then asks the principal
 * for its calendar-home-set (RFC 4791 §6.2.1).
 */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import { type DavSession, foreignAddress, propfind, sendPropfind } from './dav-client.ts';
import { caldav } from './dav-names.ts';
import { davSession, type SessionDeps } from './dav-session.ts';
import { discoveryFailure, type Refusal } from './discovery-failure.ts';
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
