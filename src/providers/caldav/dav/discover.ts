/**
 * From what the user typed to the calendar homes: RFC 6764 §6. In this order: the address itself,
 * service records, the well-known address, known paths; then current-user-principal (RFC 5397) and
 * its calendar-home-set (RFC 4791 §6.2.1).
 */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress, EgressResponse } from '../../../lib/egress/egress.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import {
  type DavSession,
  davRequest,
  foreignAddress,
  multistatusOf,
  propfind,
  refusalOf,
} from './dav-client.ts';
import { caldav, dav, davDocument, propElement } from './dav-names.ts';
import type { DavResponse } from './multistatus.ts';
import { belongsTo, KNOWN_PATHS, type TypedServer } from './server-address.ts';
import { type ServiceDns, serviceAddresses } from './service-records.ts';
import { child, hrefsOf } from './xml.ts';

export type DiscoveryInput = {
  readonly server: TypedServer;
  readonly username: string;
  readonly password: string;
};

export type CalendarHomes = {
  /** Absolute; the home itself where the server knows no principals. */
  readonly principal: URL;
  readonly homes: readonly URL[];
  readonly origins: readonly string[];
};

/** What an address says of the way to the calendars. */
type Signpost = { readonly principal: URL | undefined; readonly homes: readonly URL[] };

const ASKED = [
  dav('current-user-principal'),
  caldav('calendar-home-set'),
  dav('resourcetype'),
  dav('principal-URL'),
];

/** Fails with ProviderError: of all addresses tried, the refusal that says most. */
export async function discover(
  { server, username, password }: DiscoveryInput,
  { egress, dns }: { egress: Egress; dns: ServiceDns },
): Promise<CalendarHomes> {
  const origins = [...server.origins];
  const session: DavSession = { egress, username, password, origins };
  const refusals: ProviderError[] = [];
  const down = new Set<string>();

  for await (const candidate of candidatesOf(server, dns)) {
    if (down.has(candidate.origin)) continue;
    try {
      if (!isPinned(origins, candidate)) {
        if (!belongsTo(server, candidate)) throw foreignAddress(candidate);
        origins.push(candidate.origin);
      }
      const signpost = await askSignpost(session, server, candidate, origins);
      if (signpost !== undefined) return await homesOf(session, signpost);
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

async function* candidatesOf(server: TypedServer, dns: ServiceDns): AsyncGenerator<URL> {
  yield server.url;
  const hasName = /[a-z]$/i.test(server.domain) && server.domain.includes('.');
  if (hasName) yield* await serviceAddresses(server.domain, dns);
  const base = server.url.origin;
  for (const path of ['/.well-known/caldav', ...KNOWN_PATHS]) yield new URL(path, base);
}

/** Undefined when the address is none of a CalDAV server's. */
async function askSignpost(
  session: DavSession,
  server: TypedServer,
  url: URL,
  origins: string[],
): Promise<Signpost | undefined> {
  const body = davDocument('d:propfind', propElement(ASKED));
  let answer: EgressResponse = await davRequest(session, url, { method: 'PROPFIND', depth: '0', body });
  const target = redirectOf(answer);
  if (target !== undefined) {
    if (!belongsTo(server, target)) throw foreignAddress(target);
    origins.push(target.origin);
    answer = await davRequest(session, target, { method: 'PROPFIND', depth: '0', body });
  }
  if (answer.status !== 207) throw refusalOf(answer);
  const [response] = multistatusOf(answer).responses;
  return response === undefined ? undefined : readSignpost(response, answer.url);
}

/** Where a redirect points that was not followed, since it leaves the pinned origins. */
function redirectOf(answer: EgressResponse): URL | undefined {
  if (answer.status < 300 || answer.status > 399) return undefined;
  return URL.parse(answer.header('location') ?? '', answer.url) ?? undefined;
}

function readSignpost({ properties }: DavResponse, base: URL): Signpost | undefined {
  const current = properties.get(dav('current-user-principal'));
  if (child(current, dav('unauthenticated')) !== undefined)
    throw new ProviderError('unauthorized', `${base.hostname} refuses this user name and password`);
  const homes = resolveAll(hrefsOf(properties.get(caldav('calendar-home-set'))), base);
  const [principal] = resolveAll(
    [...hrefsOf(current), ...hrefsOf(properties.get(dav('principal-URL')))],
    base,
  );
  if (principal !== undefined || homes.length > 0) return { principal, homes };
  // A calendar's own address, on a server that knows no principals: it is a home of one calendar.
  const isCalendar = child(properties.get(dav('resourcetype')), caldav('calendar')) !== undefined;
  return isCalendar ? { principal: undefined, homes: [base] } : undefined;
}

async function homesOf(session: DavSession, signpost: Signpost): Promise<CalendarHomes> {
  const { principal } = signpost;
  const homes = signpost.homes.length > 0 || !principal ? signpost.homes : await homeSet(session, principal);
  const foreign = homes.find((home) => !isPinned(session.origins, home));
  const own = homes.filter((home) => isPinned(session.origins, home));
  const [first] = own;
  if (first === undefined) {
    if (foreign !== undefined) throw foreignAddress(foreign);
    throw new ProviderError('no_calendars', 'The server names no calendars for this user');
  }
  return { principal: principal ?? first, homes: own, origins: [...session.origins] };
}

/** The calendar homes that a principal names. */
export async function homeSet(session: DavSession, principal: URL): Promise<URL[]> {
  const { responses, url } = await propfind(session, principal, '0', [caldav('calendar-home-set')]);
  return responses.flatMap(({ properties }) =>
    resolveAll(hrefsOf(properties.get(caldav('calendar-home-set'))), url),
  );
}

const resolveAll = (hrefs: readonly string[], base: URL): URL[] =>
  hrefs.flatMap((href) => URL.parse(href, base) ?? []);

/** A wrong password says more than a wrong address, and an address that is none says least. */
function mostTelling(refusals: readonly ProviderError[]): ProviderError {
  for (const kind of ['unauthorized', 'no_calendars', 'forbidden_address', 'unavailable'] as const) {
    const found = refusals.find((refusal) => refusal.kind === kind);
    if (found !== undefined) return found;
  }
  const foreign = refusals.find(({ message }) => message.includes('points to'));
  return foreign ?? new ProviderError('invalid_response', 'No CalDAV server was found at this address');
}
