/** Making (RFC 4791 §5.3.1), describing (PROPPATCH, RFC 4918 §9.2) and deleting calendar collections. */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import type { CalendarDraft, CalendarWriting } from '../../calendars/calendar-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import type { EgressResponse } from '../../lib/egress/egress.ts';
import { vtimezoneOf } from '../../lib/icalendar/vtimezone-writer.ts';
import { writeComponent } from '../../lib/icalendar/write-lines.ts';
import { CALENDAR_PROPERTIES, calendarOf } from './dav/calendar-properties.ts';
import { type DavSession, davRequest, multistatusOf, propfind, refusalOf } from './dav/dav-client.ts';
import { apple, caldav, dav, davDocument, escapeXml, prefixed } from './dav/dav-names.ts';

/** New calendars are made in the first of the `homes`. */
export type CalendarWritingInput = { readonly session: DavSession; readonly homes: readonly URL[] };

export function calendarWriting(
  { session, homes }: CalendarWritingInput,
  { now }: { readonly now: () => number },
): CalendarWriting {
  return {
    create: (draft, key) => create(session, homes, draft, { key, now: now() }),
    change: (calendarHref, change) => describe(session, addressOf(calendarHref), wordsOf(change, now())),
    delete: (calendarHref) => remove(session, addressOf(calendarHref)),
  };
}

/** A property to be written: its inner XML, none where it is to be taken away, and the field of ours that it keeps. */
type Word = { readonly name: string; readonly xml: string | undefined; readonly field: keyof CalendarDraft };

/** In the order of RFC 4791 §5.2. Fails for a colour that is no RGB. `now` is epoch milliseconds. */
function wordsOf({ title, description, timeZone, color }: Partial<CalendarDraft>, now: number): Word[] {
  if (color !== undefined && !color.startsWith('#'))
    throw unsupported('color', 'A colour in a CalDAV calendar is written as #rrggbb');
  const word = (field: Word['field'], name: string, text: string | undefined): Word[] =>
    text === undefined ? [] : [{ field, name, xml: text === '' ? undefined : escapeText(text) }];
  return [
    ...word('title', dav('displayname'), title),
    ...word('description', caldav('calendar-description'), description),
    ...word('timeZone', caldav('calendar-timezone'), timeZone && zoneText(timeZone, now)),
    ...word('color', apple('calendar-color'), color),
  ];
}

/** RFC 4791 §5.2.2: a VCALENDAR with exactly one VTIMEZONE. */
function zoneText(timeZone: string, now: number): string {
  const lines = ['VERSION:2.0', 'PRODID:-//Kalends//Kalends//EN'];
  return writeComponent({ name: 'VCALENDAR', lines, components: [vtimezoneOf(timeZone, now)] });
}

/** XML would read a carriage return as the end of a line. */
const escapeText = (text: string): string => escapeXml(text).replaceAll('\r', '&#13;');

type Making = { readonly key: string; readonly now: number };

/** The key is the collection's name, so that a repetition finds what the first try made, and finishes it. */
async function create(
  session: DavSession,
  homes: readonly URL[],
  draft: CalendarDraft,
  { key, now }: Making,
): Promise<string> {
  const [home] = homes;
  if (home === undefined) throw new ProviderError('no_calendars', 'The server names no place for calendars');
  const words = wordsOf(draft, now);
  const url = new URL(`${key}/`, `${home.href.replace(/\/$/, '')}/`);
  const answer = await davRequest(session, url, { method: 'MKCALENDAR', body: makingOf(words) });
  if (answer.status !== 201) await requireMade(session, url, answer);
  const { href, calendar } = await madeAt(session, url);
  try {
    // Some servers take no properties along with MKCALENDAR, and do not say so.
    await describe(session, url, words.filter(isMissingIn(calendar, draft)));
  } catch (failure) {
    // All or nothing.
    if (failure instanceof UnsupportedByProvider) await remove(session, url);
    throw failure;
  }
  return href;
}

function makingOf(words: readonly Word[]): string {
  const components = `<${COMPONENTS}><c:comp name="VEVENT"/></${COMPONENTS}>`;
  return davDocument(
    'c:mkcalendar',
    `<d:set><d:prop>${words.map(written).join('')}${components}</d:prop></d:set>`,
  );
}

const COMPONENTS = prefixed(caldav('supported-calendar-component-set'));

const written = ({ name, xml = '' }: Word): string => `<${prefixed(name)}>${xml}</${prefixed(name)}>`;

/** Resolves when the refused MKCALENDAR was a repetition, and what it would make is there. */
async function requireMade(session: DavSession, url: URL, answer: EgressResponse): Promise<void> {
  if (!REFUSED.includes(answer.status)) throw refusalOf(answer);
  try {
    await madeAt(session, url);
  } catch (failure) {
    if (!(failure instanceof ProviderError) || failure.kind !== 'not_found') throw failure;
    throw new UnsupportedByProvider(
      'calendar_creation_not_supported_by_provider',
      `${url.hostname} does not let calendars be created`,
    );
  }
}

/** Statuses that are the server's last word on a collection. */
const REFUSED: readonly number[] = [400, 403, 405, 409, 415, 422, 501];

/** The new calendar as the server has it, under the href by which it will be listed. */
async function madeAt(
  session: DavSession,
  url: URL,
): Promise<{ readonly href: string; readonly calendar: ProviderCalendar }> {
  const { responses, url: base } = await propfind(session, url, '0', CALENDAR_PROPERTIES);
  for (const response of responses) {
    const address = URL.parse(response.href, base);
    const calendar = address === null ? undefined : calendarOf(response, address);
    if (calendar !== undefined) return { href: calendar.href, calendar };
  }
  throw new ProviderError('not_found', `${url.hostname} has no such calendar`);
}

const isMissingIn =
  (calendar: ProviderCalendar, draft: CalendarDraft) =>
  ({ field, xml }: Word): boolean =>
    xml !== undefined && calendar[field] !== draft[field]?.trim();

/** Writes properties, all of them or none (RFC 4918 §9.2). */
async function describe(session: DavSession, url: URL, words: readonly Word[]): Promise<void> {
  if (words.length === 0) return;
  const set = words.filter(({ xml }) => xml !== undefined);
  const gone = words.filter(({ xml }) => xml === undefined);
  const part = (name: string, of: readonly Word[]) =>
    of.length === 0 ? '' : `<d:${name}><d:prop>${of.map(written).join('')}</d:prop></d:${name}>`;
  const body = davDocument('d:propertyupdate', part('set', set) + part('remove', gone));
  const answer = await davRequest(session, url, { method: 'PROPPATCH', body });
  if (REFUSED.includes(answer.status))
    throw new UnsupportedByProvider('calendar_read_only', 'The server does not let this calendar be changed');
  const kept = multistatusOf(answer).responses.flatMap(({ properties }) => [...properties.keys()]);
  const refused = words.find(({ name }) => !kept.includes(name));
  if (refused !== undefined)
    throw unsupported(
      refused.field,
      `The server does not keep this of a calendar: ${prefixed(refused.name)}`,
    );
}

async function remove(session: DavSession, url: URL): Promise<void> {
  const answer = await davRequest(session, url, { method: 'DELETE' });
  const { status } = answer;
  if (status === 404 || status === 410 || (status >= 200 && status < 300 && status !== 207)) return;
  // 207: something in it could not be deleted (RFC 4918 §9.6.1).
  if (status === 207 || status === 423 || REFUSED.includes(status))
    throw new UnsupportedByProvider(
      'calendar_not_deletable',
      'The server does not let this calendar be deleted',
    );
  throw refusalOf(answer);
}

function addressOf(calendarHref: string): URL {
  const url = URL.parse(calendarHref);
  if (url === null) throw new ProviderError('not_found', 'The calendar has no valid address');
  return url;
}

const unsupported = (field: keyof CalendarDraft, message: string): UnsupportedByProvider =>
  new UnsupportedByProvider('field_not_supported_by_provider', message, field);
