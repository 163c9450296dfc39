/**
 * Finds the calendar homes of a user, RFC 6764 §6: asks the typed address, service records, the well-known
 * address and known paths in this order for the user's principal (current-user-principal, RFC 5397), and the
 * principal for its calendar-home-set (RFC 4791 §6.2.1).
 */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress, EgressResponse } from '../../../lib/egress/egress.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import { type DavSession, foreignAddress, multistatusOf, propfind, sendPropfind } from './dav-client.ts';
import { caldav, dav } from './dav-names.ts';
import type { DavResponse } from './multistatus.ts';
import { belongsTo, COMMON_PATHS, type ServerAddress } from './server-address.ts';
import { type ServiceDns, serviceAddresses } from './service-records.ts';
import { child, hrefsOf } from './xml.ts';

export type DiscoveryInput = {
  readonly server: ServerAddress;
  readonly username: string;
  readonly password: string;
};

export type CalendarHomes = {
  /** Absolute; the home itself where the server knows no principals. */
  readonly principal: URL;
  readonly homes: readonly URL[];
  readonly origins: readonly string[];
};

/** The user as an address names it: by the principal, by its homes, or by both. */
type DavUser = { readonly principal: URL | undefined; readonly homes: readonly URL[] };

type Search = {
  readonly server: ServerAddress;
  readonly session: DavSession;
  /** Those of the session; the search adds to them. */
  readonly origins: string[];
};

const USER_REQUEST = {
  depth: '0',
  properties: [
    dav('current-user-principal'),
    caldav('calendar-home-set'),
    dav('resourcetype'),
    dav('principal-URL'),
  ],
} as const;

/** Fails with ProviderError: the most telling one of all addresses tried. */
export async function discover(
  { server, username, password }: DiscoveryInput,
  { egress, dns }: { egress: Egress; dns: ServiceDns },
): Promise<CalendarHomes> {
  const origins = [...server.origins];
  const session: DavSession = { egress, username, password, origins };
  const search: Search = { server, session, origins };
  const refusals: ProviderError[] = [];
  const down = new Set<string>();

  for await (const candidate of candidatesOf(server, dns)) {
    if (down.has(candidate.origin)) continue;
    try {
      if (!isPinned(origins, candidate)) pinOrigin(search, candidate);
      const user = await findUser(search, candidate);
      if (user !== undefined) return await homesOf(session, user);
    } catch (failure) {
      if (!(failure instanceof ProviderError)) throw failure;
      if (failure.kind === 'rate_limited') throw failure;
      refusals.push(failure);
      // One wrong password is enough: further tries may lock the account.
      if (failure.kind === 'unauthorized') break;
      if (failure.kind === 'unavailable' || failure.kind === 'forbidden_address') down.add(candidate.origin);
    }
  }
  throw mostTelling(refusals);
}

async function* candidatesOf(server: ServerAddress, dns: ServiceDns): AsyncGenerator<URL> {
  yield server.url;
  const hasName = /[a-z]$/i.test(server.domain) && server.domain.includes('.');
  if (hasName) yield* await serviceAddresses(server.domain, dns);
  const base = server.url.origin;
  for (const path of ['/.well-known/caldav', ...COMMON_PATHS]) yield new URL(path, base);
}

/** Lets the origin of an address have the password. Fails when the server is not known to own it. */
function pinOrigin({ server, origins }: Search, address: URL): void {
  if (!belongsTo(server, address)) throw foreignAddress(address);
  origins.push(address.origin);
}

/** `undefined` when the address names no user. */
async function findUser(search: Search, url: URL): Promise<DavUser | undefined> {
  let answer: EgressResponse = await sendPropfind(search.session, url, USER_REQUEST);
  const target = redirectOf(answer);
  if (target !== undefined) {
    pinOrigin(search, target);
    answer = await sendPropfind(search.session, target, USER_REQUEST);
  }
  const [response] = multistatusOf(answer).responses;
  return response && readUser(response, answer.url);
}

/** The target of a redirect that was not followed, since it leaves the pinned origins. */
function redirectOf(answer: EgressResponse): URL | undefined {
  if (answer.status < 300 || answer.status > 399) return undefined;
  return URL.parse(answer.header('location') ?? '', answer.url) ?? undefined;
}

function readUser({ properties }: DavResponse, base: URL): DavUser | undefined {
  const current = properties.get(dav('current-user-principal'));
  if (child(current, dav('unauthenticated')) !== undefined)
    throw new ProviderError('unauthorized', `${base.hostname} refuses this user name and password`);
  const homes = resolveAll(hrefsOf(properties.get(caldav('calendar-home-set'))), base);
  const [principal] = resolveAll(
    [...hrefsOf(current), ...hrefsOf(properties.get(dav('principal-URL')))],
    base,
  );
  if (principal !== undefined || homes.length > 0) return { principal, homes };
  // The address of a calendar, on a server without principals: taken for a home of one calendar.
  const isCalendar = child(properties.get(dav('resourcetype')), caldav('calendar')) !== undefined;
  return isCalendar ? { principal: undefined, homes: [base] } : undefined;
}

async function homesOf(session: DavSession, user: DavUser): Promise<CalendarHomes> {
  const { principal } = user;
  const named = user.homes.length > 0 || !principal ? user.homes : await homeSet(session, principal);
  const homes = named.filter((home) => isPinned(session.origins, home));
  const [first] = homes;
  if (first !== undefined) return { principal: principal ?? first, homes, origins: [...session.origins] };
  const [foreign] = named;
  if (foreign !== undefined) throw foreignAddress(foreign);
  throw new ProviderError('no_calendars', 'The server names no calendars for this user');
}

/** The calendar homes that a principal names. */
export async function homeSet(session: DavSession, principal: URL): Promise<URL[]> {
  const request = { depth: '0', properties: [caldav('calendar-home-set')] } as const;
  const { responses, url } = await propfind(session, principal, request);
  return responses.flatMap(({ properties }) =>
    resolveAll(hrefsOf(properties.get(caldav('calendar-home-set'))), url),
  );
}

const resolveAll = (hrefs: readonly string[], base: URL): URL[] =>
  hrefs.flatMap((href) => URL.parse(href, base) ?? []);

/** A wrong password tells more than a wrong address, and an address where nothing is tells least. */
function mostTelling(refusals: readonly ProviderError[]): ProviderError {
  for (const kind of ['unauthorized', 'no_calendars', 'forbidden_address', 'unavailable'] as const) {
    const refusal = refusals.find((refusal) => refusal.kind === kind);
    if (refusal !== undefined) return refusal;
  }
  const foreign = refusals.find(({ message }) => message.includes('points to'));
  return foreign ?? new ProviderError('invalid_response', 'No CalDAV server was found at this address');
}
