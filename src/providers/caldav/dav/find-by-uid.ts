/** Finds the resource of an event by its UID: some servers choose the name of a resource themselves. */
import { type DavSession, davRequest } from './dav-client.ts';
import { dav, davDocument, escapeXml, propElement } from './dav-names.ts';
import { objectsIn } from './listed-object.ts';
import { readListing } from './read-listing.ts';

/** Searches by calendar-query, RFC 4791 §9.7.2. Returns `undefined` if none is found or searching is refused. */
export async function findByUid(session: DavSession, collection: URL, uid: string): Promise<URL | undefined> {
  const match = `<c:prop-filter name="UID"><c:text-match collation="i;octet">${escapeXml(uid)}</c:text-match></c:prop-filter>`;
  const filter = `<c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">${match}</c:comp-filter></c:comp-filter>`;
  const body = davDocument(
    'c:calendar-query',
    `${propElement([dav('getetag'), dav('getcontenttype')])}<c:filter>${filter}</c:filter>`,
  );
  const answer = await davRequest(session, collection, { method: 'REPORT', depth: '1', body });
  if (answer.status !== 207) return undefined;
  // More than one: the server ignored the filter and listed everything.
  const [only, other] = objectsIn(await readListing(session, answer, collection));
  return only === undefined || other !== undefined ? undefined : new URL(only.href, collection);
}
