/** Where a calendar keeps the event with a UID: some servers choose the name of a resource themselves. */
import { type DavSession, davRequest } from './dav-client.ts';
import { dav, davDocument, escapeXml, propElement } from './dav-names.ts';
import { listedIn } from './listed-object.ts';

/** By calendar-query, RFC 4791 §9.7.2. `undefined` when there is none, or when the server finds nothing by UID. */
export async function findByUid(session: DavSession, collection: URL, uid: string): Promise<URL | undefined> {
  const match = `<c:prop-filter name="UID"><c:text-match collation="i;octet">${escapeXml(uid)}</c:text-match></c:prop-filter>`;
  const filter = `<c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">${match}</c:comp-filter></c:comp-filter>`;
  const body = davDocument(
    'c:calendar-query',
    `${propElement([dav('getetag'), dav('getcontenttype')])}<c:filter>${filter}</c:filter>`,
  );
  const answer = await davRequest(session, collection, { method: 'REPORT', depth: '1', body });
  if (answer.status !== 207) return undefined;
  const members = listedIn(answer, collection).responses.flatMap(({ member }) => member ?? []);
  // A server that ignores the filter answers with everything: that is no finding.
  const [only, ...others] = members;
  return only === undefined || others.length > 0 ? undefined : new URL(only.href, collection);
}
