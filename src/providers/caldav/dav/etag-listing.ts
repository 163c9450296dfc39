/** The lower rungs: the collection's tag (ctag), and a listing of all etags to compare. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { askProperties, type DavSession, davRequest, propfind, refusalOf } from './dav-client.ts';
import { calendarServer, dav, davDocument, propElement } from './dav-names.ts';
import { listedIn, type Member } from './listed-object.ts';
import { isPassing } from './passing.ts';
import { textOf } from './xml.ts';

/** The collection's tag, undefined where the server has none. Fails as `not_found` when it is gone. */
export async function readCtag(session: DavSession, collection: URL): Promise<string | undefined> {
  const { responses } = await propfind(session, collection, '0', [
    calendarServer('getctag'),
    dav('resourcetype'),
  ]);
  const [own] = responses;
  if (own?.status === 404) throw new ProviderError('not_found', 'The calendar is gone');
  return textOf(own?.properties.get(calendarServer('getctag')));
}

/** All events with their etags: by query, or by listing the collection where that is refused. */
export async function listMembers(session: DavSession, collection: URL): Promise<Member[]> {
  // Without the VEVENT filter Nextcloud, Baïkal, Cyrus and SOGo refuse the query.
  const query = davDocument(
    'c:calendar-query',
    propElement([dav('getetag')]) +
      '<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"/></c:comp-filter></c:filter>',
  );
  const answer = await davRequest(session, collection, { method: 'REPORT', depth: '1', body: query });
  if (isPassing(answer.status)) throw refusalOf(answer);
  if (answer.status === 207) {
    const { responses } = listedIn(answer, collection);
    // RFC 4791 §7.8: 507 marks a listing cut short, from which no deletion can be concluded.
    if (responses.every(({ status }) => status !== 507))
      return responses.flatMap(({ member }) => member ?? []);
  }
  return listByPropfind(session, collection);
}

async function listByPropfind(session: DavSession, collection: URL): Promise<Member[]> {
  const asked = [dav('getetag'), dav('getcontenttype'), dav('resourcetype')];
  const { responses } = listedIn(await askProperties(session, collection, '1', asked), collection);
  if (responses.some(({ status }) => status === 507))
    throw new ProviderError('invalid_response', 'The server lists only a part of the calendar');
  return responses.flatMap(({ member }) => member ?? []);
}
