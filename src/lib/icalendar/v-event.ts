/** Reading a VEVENT, RFC 5545 §3.6.1, into types. What it means to Kalends is decided elsewhere. */
import type { EventTime, Recurrence, RecurrenceDate } from '../recurrence/event-time.ts';
import { type Component, propertiesOf } from './component.ts';
import { type ContentLine, parameterOf, textOf } from './content-line.ts';
import { readEnd } from './event-end.ts';
import { ICalendarError } from './icalendar-error.ts';
import { addDuration, parseDuration, parseInstant, parseTime, type ZoneOf } from './time-value.ts';

/** Words (status, transparency, …) are in upper case as RFC 5545 has them, and may be ones it does not have. */
export type VEvent = {
  /** Empty when the writer gave none. */
  readonly uid: string;
  readonly sequence: number;
  readonly start: EventTime;
  /** Exclusive, of the start's type, never before the start; an all-day event has a day at least. */
  readonly end: EventTime;
  readonly recurrence: Recurrence;
  readonly recurrenceId: EventTime | undefined;
  /** RANGE=THISANDFUTURE on the RECURRENCE-ID. */
  readonly thisAndFuture: boolean;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly location: string | undefined;
  readonly url: string | undefined;
  readonly status: string | undefined;
  /** TRANSP. */
  readonly transparency: string | undefined;
  /** X-MICROSOFT-CDO-BUSYSTATUS. */
  readonly busyStatus: string | undefined;
  /** CLASS. */
  readonly classification: string | undefined;
  /** COLOR (RFC 7986 §5.9, a CSS name) or Apple's hexadecimal one. */
  readonly color: string | undefined;
  /** CONFERENCE (RFC 7986 §5.11) or what Google and Microsoft write in its place. */
  readonly conference: string | undefined;
  readonly organizer: VAttendee | undefined;
  readonly attendees: readonly VAttendee[];
  /** Epoch milliseconds. */
  readonly dtstamp: number | undefined;
  readonly lastModified: number | undefined;
  /** Every X- property by name in upper case; of several the first. */
  readonly extensions: ReadonlyMap<string, string>;
};

export type VAttendee = {
  /** As written: usually a mailto: URI. */
  readonly address: string;
  /** The EMAIL parameter (RFC 7986 §6.2), where the address is no e-mail address. */
  readonly email: string | undefined;
  /** CN. */
  readonly name: string | undefined;
  /** PARTSTAT. */
  readonly participation: string | undefined;
};

/** Recurrence dates that may still be read: a bound on how long a calendar takes. */
export type DateCount = { remaining: number };

export const dateCount = (): DateCount => ({ remaining: 100_000 });

type Properties = ReadonlyMap<string, readonly ContentLine[]>;

/** `undefined` when its start, or the RECURRENCE-ID it has, cannot be read. */
export function readVEvent(component: Component, zoneOf: ZoneOf, dates: DateCount): VEvent | undefined {
  const properties = propertiesOf(component);
  const dtstart = properties.get('DTSTART')?.[0];
  const start = dtstart && parseTime(dtstart.value, dtstart, zoneOf);
  if (start === undefined) return undefined;
  const recurrenceIds = properties.get('RECURRENCE-ID')?.[0];
  const recurrenceId = recurrenceIds && parseTime(recurrenceIds.value, recurrenceIds, zoneOf);
  // Without its RECURRENCE-ID an override would look like the master.
  if (recurrenceIds !== undefined && recurrenceId === undefined) return undefined;
  const range = recurrenceIds && parameterOf(recurrenceIds, 'RANGE');
  return {
    uid: textIn(properties, 'UID') ?? '',
    sequence: Number(/^\s*\d{1,9}\s*$/.exec(properties.get('SEQUENCE')?.[0]?.value ?? '')?.[0] ?? 0),
    start,
    end: readEnd(start, properties, zoneOf),
    recurrence: readRecurrence(properties, zoneOf, dates),
    recurrenceId,
    thisAndFuture: range?.toUpperCase() === 'THISANDFUTURE',
    ...readTextFields(properties),
    organizer: properties.get('ORGANIZER')?.map(readAttendee)[0],
    attendees: (properties.get('ATTENDEE') ?? []).map(readAttendee),
    dtstamp: parseInstant(properties.get('DTSTAMP')?.[0]),
    lastModified: parseInstant(properties.get('LAST-MODIFIED')?.[0]),
    extensions: readExtensions(properties),
  };
}

function readTextFields(properties: Properties) {
  const word = (name: string) => textIn(properties, name)?.toUpperCase();
  return {
    summary: textIn(properties, 'SUMMARY'),
    description: textIn(properties, 'DESCRIPTION'),
    location: textIn(properties, 'LOCATION'),
    url: textIn(properties, 'URL'),
    status: word('STATUS'),
    transparency: word('TRANSP'),
    busyStatus: word('X-MICROSOFT-CDO-BUSYSTATUS'),
    classification: word('CLASS'),
    color: textIn(properties, 'COLOR') ?? textIn(properties, 'X-APPLE-CALENDAR-COLOR'),
    conference: CONFERENCE_PROPERTIES.map((name) => firstUrl(properties.get(name))).find(
      (url) => url !== undefined,
    ),
  };
}

const CONFERENCE_PROPERTIES = [
  'CONFERENCE',
  'X-GOOGLE-CONFERENCE',
  'X-MICROSOFT-SKYPETEAMSMEETINGURL',
  'X-MICROSOFT-ONLINEMEETINGEXTERNALLINK',
];

/** The text of a property; an empty one counts as absent. */
function textIn(properties: Properties, name: string): string | undefined {
  const property = properties.get(name)?.[0];
  const text = property && textOf(property).trim();
  return text === '' ? undefined : text;
}

/** A conference can also be a telephone number or a chat room. */
function firstUrl(properties: readonly ContentLine[] | undefined): string | undefined {
  return properties
    ?.map((property) => textOf(property).trim())
    .find((text) => /^https?:\/\/\S+$/i.test(text));
}

function readAttendee(property: ContentLine): VAttendee {
  return {
    address: property.value.trim(),
    email: parameterOf(property, 'EMAIL'),
    name: parameterOf(property, 'CN'),
    participation: parameterOf(property, 'PARTSTAT')?.toUpperCase(),
  };
}

/** What an event or a bare list of lines says of its recurrence. */
export function readRecurrence(properties: Properties, zoneOf: ZoneOf, dates: DateCount): Recurrence {
  const rrules = (properties.get('RRULE') ?? [])
    .map(({ value }) => value.trim())
    .filter((text) => text !== '');
  const rdates = valuesOf(properties.get('RDATE'), dates, (text, line) => readRdate(text, line, zoneOf));
  const exdates = valuesOf(properties.get('EXDATE'), dates, (text, line) => parseTime(text, line, zoneOf));
  return { rrules, rdates, exdates };
}

function valuesOf<T>(
  properties: readonly ContentLine[] | undefined,
  dates: DateCount,
  read: (text: string, property: ContentLine) => T | undefined,
): T[] {
  const values: T[] = [];
  for (const property of properties ?? []) {
    const texts = property.value.split(',', dates.remaining + 1);
    dates.remaining -= texts.length;
    if (dates.remaining < 0)
      throw new ICalendarError('The calendar names more than 100,000 recurrence dates');
    for (const text of texts) {
      const value = read(text, property);
      if (value !== undefined) values.push(value);
    }
  }
  return values;
}

/** A date, a time, or a period of either form (RFC 5545 §3.3.9). */
function readRdate(text: string, property: ContentLine, zoneOf: ZoneOf): RecurrenceDate | undefined {
  const [from = '', until] = text.split('/', 2);
  const start = parseTime(from, property, zoneOf);
  if (start === undefined || until === undefined) return start && { start };
  const duration = parseDuration(until);
  const end = duration === undefined ? parseTime(until, property, zoneOf) : addDuration(start, duration);
  return end === undefined ? { start } : { start, end };
}

function readExtensions(properties: Properties): ReadonlyMap<string, string> {
  const extensions = new Map<string, string>();
  for (const [name, [first]] of properties) {
    if (name.startsWith('X-') && first !== undefined) extensions.set(name, textOf(first));
  }
  return extensions;
}
