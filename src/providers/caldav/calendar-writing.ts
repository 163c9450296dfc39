/** Creating (RFC 4791 §5.3.1), changing (PROPPATCH, RFC 4918 §9.2) and deleting calendar collections. */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import type { CalendarDraft, CalendarWriting } from '../../calendars/calendar-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../../calendars/provider-error.ts';
import type { EgressResponse } from '../../lib/egress/egress.ts';
import { buildVtimezone } from '../../lib/icalendar/vtimezone-writer.ts';
import { writeComponent } from '../../lib/icalendar/write-lines.ts';
import { CALENDAR_PROPERTIES, parseCalendar } from './dav/calendar-properties.ts';
import { type DavSession, davRequest, propertiesIn, propfind, toDavError } from './dav/dav-client.ts';
import { apple, caldav, dav, davDocument, escapeXml, prefixed } from './dav/dav-names.ts';
import { calendarUrl, urlWithin } from './dav/href.ts';
import { isGone } from './dav/status.ts';

/** New calendars are created in the first of the `homes`. */
export type CalendarWritingInput = { readonly session: DavSession; readonly homes: readonly URL[] };

export function calendarWriting(
  { session, homes }: CalendarWritingInput,
  { now }: { readonly now: () => number },
): CalendarWriting {
  return {
    async create(draft, key) {
      const [home] = homes;
      if (home === undefined) throw new ProviderError('no_calendars', 'The server has no calendar home');
      // The key is the collection's name, so that a repetition finds and finishes the collection of the first attempt.
      return create(session, urlWithin(home, `${key}/`), calendarProperties(draft, now()));
    },
    change: (href, change) => setProperties(session, calendarUrl(href), calendarProperties(change, now())),
    delete: (href) => remove(session, calendarUrl(href)),
  };
}

type CalendarProperty = {
  readonly name: string;
  readonly field: keyof CalendarDraft;
  readonly value: string;
  /** `undefined` removes the property. */
  readonly xml: string | undefined;
};

/** Returns the properties in the order of RFC 4791 §5.2. Fails for a color that is not `#rrggbb`. */
function calendarProperties(draft: Partial<CalendarDraft>, now: number): CalendarProperty[] {
  const { color, timeZone } = draft;
  if (color !== undefined && !color.startsWith('#'))
    throw unsupported('color', 'The color of a CalDAV calendar must be #rrggbb');
  const property = (field: keyof CalendarDraft, name: string, text = draft[field]): CalendarProperty[] => {
    const value = draft[field];
    if (value === undefined || text === undefined) return [];
    return [{ field, name, value, xml: text === '' ? undefined : escapeText(text) }];
  };
  return [
    ...property('title', dav('displayname')),
    ...property('description', caldav('calendar-description')),
    ...property('timeZone', caldav('calendar-timezone'), timeZone && zoneText(timeZone, now)),
    ...property('color', apple('calendar-color')),
  ];
}

/** Returns a VCALENDAR with exactly one VTIMEZONE (RFC 4791 §5.2.2). */
function zoneText(timeZone: string, now: number): string {
  const lines = ['VERSION:2.0', 'PRODID:-//Kalends//Kalends//EN'];
  return writeComponent({ name: 'VCALENDAR', lines, components: [buildVtimezone(timeZone, now)] });
}

/** XML would normalize a carriage return to a line feed. */
const escapeText = (text: string): string => escapeXml(text).replaceAll('\r', '&#13;');

/** Creates the calendar and returns the href by which it will be listed. */
async function create(
  session: DavSession,
  url: URL,
  properties: readonly CalendarProperty[],
): Promise<string> {
  const answer = await davRequest(session, url, { method: 'MKCALENDAR', body: mkcalendarBody(properties) });
  if (answer.status !== 201) await requireCreated(session, url, answer);
  const calendar = await readCalendar(session, url);
  try {
    // Some servers silently ignore the properties of MKCALENDAR.
    const missing = properties.filter(({ field, value, xml }) => xml && calendar[field] !== value.trim());
    await setProperties(session, url, missing);
  } catch (failure) {
    // All or nothing.
    if (failure instanceof UnsupportedByProvider) await remove(session, url);
    throw failure;
  }
  return calendar.href;
}

function mkcalendarBody(properties: readonly CalendarProperty[]): string {
  const components = `<${COMPONENTS}><c:comp name="VEVENT"/></${COMPONENTS}>`;
  return davDocument(
    'c:mkcalendar',
    `<d:set><d:prop>${properties.map(renderProperty).join('')}${components}</d:prop></d:set>`,
  );
}

const COMPONENTS = prefixed(caldav('supported-calendar-component-set'));

const renderProperty = ({ name, xml = '' }: CalendarProperty): string =>
  `<${prefixed(name)}>${xml}</${prefixed(name)}>`;

/** Resolves if the refused MKCALENDAR was a repetition, and the calendar exists. */
async function requireCreated(session: DavSession, url: URL, answer: EgressResponse): Promise<void> {
  if (!FINAL_REFUSALS.includes(answer.status)) throw toDavError(answer);
  try {
    await readCalendar(session, url);
  } catch (failure) {
    if (!(failure instanceof ProviderError) || failure.kind !== 'not_found') throw failure;
    throw new UnsupportedByProvider(
      'calendar_creation_not_supported_by_provider',
      `${url.hostname} does not allow creating calendars`,
    );
  }
}

/** The statuses after which a repetition would be refused as well. */
const FINAL_REFUSALS: readonly number[] = [400, 403, 405, 409, 415, 422, 501];

async function readCalendar(session: DavSession, url: URL): Promise<ProviderCalendar> {
  const request = { depth: '0', properties: CALENDAR_PROPERTIES } as const;
  const { responses, url: base } = await propfind(session, url, request);
  for (const response of responses) {
    const address = URL.parse(response.href, base);
    const calendar = address === null ? undefined : parseCalendar(response, address);
    if (calendar !== undefined) return calendar;
  }
  throw new ProviderError('not_found', `${url.hostname} has no such calendar`);
}

/** Writes properties, all of them or none (RFC 4918 §9.2). */
async function setProperties(
  session: DavSession,
  url: URL,
  properties: readonly CalendarProperty[],
): Promise<void> {
  if (properties.length === 0) return;
  const part = (name: string, some: readonly CalendarProperty[]) =>
    some.length === 0 ? '' : `<d:${name}><d:prop>${some.map(renderProperty).join('')}</d:prop></d:${name}>`;
  const set = part(
    'set',
    properties.filter(({ xml }) => xml !== undefined),
  );
  const removed = part(
    'remove',
    properties.filter(({ xml }) => xml === undefined),
  );
  const body = davDocument('d:propertyupdate', set + removed);
  const answer = await davRequest(session, url, { method: 'PROPPATCH', body });
  if (FINAL_REFUSALS.includes(answer.status))
    throw new UnsupportedByProvider(
      'calendar_read_only',
      'The server does not allow changes to this calendar',
    );
  const { responses } = await propertiesIn(session, answer);
  const acceptedNames = responses.flatMap((response) => [...response.properties.keys()]);
  const refused = properties.find(({ name }) => !acceptedNames.includes(name));
  if (refused === undefined) return;
  const message = `The server does not store this property of a calendar: ${prefixed(refused.name)}`;
  throw unsupported(refused.field, message);
}

async function remove(session: DavSession, url: URL): Promise<void> {
  const answer = await davRequest(session, url, { method: 'DELETE' });
  const { status } = answer;
  if (isGone(status) || (status >= 200 && status < 300 && status !== 207)) return;
  // 207: a part of it could not be deleted (RFC 4918 §9.6.1).
  if (status !== 207 && status !== 423 && !FINAL_REFUSALS.includes(status)) throw toDavError(answer);
  const message = 'The server does not allow deleting this calendar';
  throw new UnsupportedByProvider('calendar_not_deletable', message);
}

const unsupported = (field: keyof CalendarDraft, message: string): UnsupportedByProvider =>
  new UnsupportedByProvider('field_not_supported_by_provider', message, field);
