/**
 * The principal that an address names for the user (current-user-principal, RFC 5397; principal-URL, RFC 3744 §4.2),
 * and its proof: the principal itself responds to the same credentials and names itself (docs/security.md T3).
 */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { type DavSession, propertiesIn, sendPropfind } from './dav-client.ts';
import { caldav, dav } from './dav-names.ts';
import { plainPath } from './href.ts';
import type { DavResponse } from './multistatus.ts';
import { child, listHrefs } from './xml.ts';

export const USER_REQUEST = {
  depth: '0',
  properties: [
    dav('current-user-principal'),
    caldav('calendar-home-set'),
    dav('resourcetype'),
    dav('principal-URL'),
  ],
} as const;

/** The user as an address names it: by the principal, by its homes, or by both. */
export type DavUser = {
  readonly at: URL;
  readonly principal: URL | undefined;
  /** Whether the principal is named as that of these credentials: an address names itself to everybody. */
  readonly isCurrent: boolean;
  readonly homes: readonly URL[];
};

/** Returns the user that a response names, if any. Fails as `unauthorized` if it says that nobody is authenticated. */
export async function userIn(session: DavSession, answer: EgressResponse): Promise<DavUser | undefined> {
  const [response] = (await propertiesIn(session, answer)).responses;
  return response && readUser(response, answer.url);
}

function readUser({ properties }: DavResponse, at: URL): DavUser | undefined {
  const current = properties.get(dav('current-user-principal'));
  if (child(current, dav('unauthenticated')) !== undefined)
    throw new ProviderError('unauthorized', `${at.hostname} refuses this user name and password`);
  const homes = resolveAll(listHrefs(properties.get(caldav('calendar-home-set'))), at);
  const [ofUser] = resolveAll(listHrefs(current), at);
  const [ofAddress] = resolveAll(listHrefs(properties.get(dav('principal-URL'))), at);
  const principal = ofUser ?? ofAddress;
  const isCurrent = ofUser !== undefined;
  if (principal !== undefined || homes.length > 0) return { at, principal, isCurrent, homes };
  // The address of a calendar, on a server without principals: used as a home of one calendar.
  const isCalendar = child(properties.get(dav('resourcetype')), caldav('calendar')) !== undefined;
  return isCalendar ? { at, principal: undefined, isCurrent: false, homes: [at] } : undefined;
}

/**
 * Returns the user as the principal describes itself. Fails with ProviderError if the principal is not in the pinned
 * origins, does not accept these credentials, or does not name itself.
 */
export async function provenUser(session: DavSession, user: DavUser, principal: URL): Promise<DavUser> {
  if (namesItself(user)) return user;
  const itself = await userIn(session, await askPrincipal(session, principal));
  if (itself === undefined || !namesItself(itself)) throw notItself(principal);
  return itself;
}

async function askPrincipal(session: DavSession, principal: URL): Promise<EgressResponse> {
  const answer = await sendPropfind(session, principal, USER_REQUEST);
  // These credentials have no access there.
  if ([403, 404, 410].includes(answer.status)) throw notItself(principal);
  return answer;
}

/** Returns whether the address of the response is the principal in it. */
export const namesItself = ({ at, principal }: DavUser): boolean =>
  principal !== undefined && principalText(principal) === principalText(at);

const notItself = (principal: URL): ProviderError =>
  new ProviderError(
    'invalid_response',
    `${principal.hostname} names a user for this login, but does not confirm it`,
    { detail: 'principal_unproved' },
  );

/** Returns the address of a principal as comparable text: origin and path, with a space between them. */
export const principalText = (url: URL): string => `${url.origin} ${plainPath(url)}${url.search}`;

export const resolveAll = (hrefs: readonly string[], base: URL): URL[] =>
  hrefs.flatMap((href) => URL.parse(href, base) ?? []);
