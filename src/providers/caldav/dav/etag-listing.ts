/** Reads the ctag and lists all etags, for servers without sync-collection. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { type DavSession, davRequest, propfind, sendPropfind, toDavError } from './dav-client.ts';
import { calendarServer, dav, davDocument, propElement } from './dav-names.ts';
import {
  boundedTag,
  isTruncation,
  LISTED_PROPERTIES,
  type ListedObject,
  objectsIn,
} from './listed-object.ts';
import { readListing } from './read-listing.ts';
import { isTemporary } from './status.ts';
import { readElementText } from './xml.ts';

/** Returns the ctag; `undefined` if the server has none. Fails as `not_found` if the collection is gone. */
export async function readCtag(session: DavSession, collection: URL): Promise<string | undefined> {
  const properties = [calendarServer('getctag'), dav('resourcetype')];
  const { responses } = await propfind(session, collection, { depth: '0', properties });
  const [response] = responses;
  if (response?.status === 404) throw new ProviderError('not_found', 'The calendar was deleted');
  return boundedTag(readElementText(response?.properties.get(calendarServer('getctag'))));
}

/** Lists all events with their etags: by a query, or if that is refused, by a PROPFIND of the collection. */
export async function listObjects(session: DavSession, collection: URL): Promise<ListedObject[]> {
  // Without the VEVENT filter Nextcloud, Baïkal, Cyrus and SOGo refuse the query.
  const query = davDocument(
    'c:calendar-query',
    propElement([dav('getetag')]) +
      '<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"/></c:comp-filter></c:filter>',
  );
  const answer = await davRequest(session, collection, { method: 'REPORT', depth: '1', body: query });
  if (isTemporary(answer.status)) throw toDavError(answer);
  if (answer.status === 207) {
    const listing = await readListing(session, answer, collection);
    // Objects missing from a truncated listing may still exist.
    if (!listing.responses.some(isTruncation)) return objectsIn(listing);
  }
  const request = { depth: '1', properties: LISTED_PROPERTIES } as const;
  const listed = await sendPropfind(session, collection, request);
  const listing = await readListing(session, listed, collection);
  if (listing.responses.some(isTruncation))
    throw new ProviderError('invalid_response', 'The server lists only a part of the calendar');
  return objectsIn(listing);
}
