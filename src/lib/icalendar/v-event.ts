/** Parses a VEVENT, RFC 5545 §3.6.1, into types. Other modules decide its meaning for Kalends. */
import { dayOfLocal, formatDate } from '../recurrence/civil.ts';
import { toLocalMs } from '../recurrence/event-instant.ts';
import type { EventTime, Recurrence, RecurrenceDate } from '../recurrence/event-time.ts';
import { plainRule } from '../recurrence/rule.ts';
import { type Component, parseProperties } from './component.ts';
import { type ContentLine, findParameter, unescapeText } from './content-line.ts';
import { endAfter, readDuration, readEnd } from './event-end.ts';
import { type ResourceBudget, spend } from './resource-budget.ts';
import { parseDuration, parseInstant, parseTime, type ZoneOf } from './time-value.ts';

/** An event. Values such as `status` are in upper case, and may be ones that RFC 5545 does not define. */
export type VEvent = {
  /** Empty if there is none. */
  readonly uid: string;
  readonly sequence: number;
  readonly start: EventTime;
  /** Exclusive, of the start's type, never before the start; an all-day event has a day at least. */
  readonly end: EventTime;
  readonly recurrence: Recurrence;
  readonly recurrenceId: EventTime | undefined;
  /** Whether the event has no DTSTART, as only an override may: it starts at its RECURRENCE-ID. */
  readonly lacksStart: boolean;
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
  /** CONFERENCE (RFC 7986 §5.11) or the properties that Google and Microsoft use instead. */
  readonly conference: string | undefined;
  /** X-KALENDS-URI of CONFERENCE: the address before it was changed into a form that all servers accept. */
  readonly conferenceAsGiven: string | undefined;
  readonly organizer: VAttendee | undefined;
  readonly attendees: readonly VAttendee[];
  /** Epoch milliseconds. */
  readonly dtstamp: number | undefined;
  readonly lastModified: number | undefined;
  /** X-KALENDS-CUSTOM. */
  readonly custom: string | undefined;
};

export type VAttendee = {
  /** As written: usually a mailto: URI. */
  readonly address: string;
  /** The EMAIL parameter (RFC 7986 §6.2), if the address is not an e-mail address. */
  readonly email: string | undefined;
  /** CN. */
  readonly name: string | undefined;
  /** PARTSTAT. */
  readonly participation: string | undefined;
};

type Properties = ReadonlyMap<string, readonly ContentLine[]>;

const CONFERENCE_PROPERTIES = [
  'CONFERENCE',
  'X-GOOGLE-CONFERENCE',
  'X-MICROSOFT-SKYPETEAMSMEETINGURL',
  'X-MICROSOFT-ONLINEMEETINGEXTERNALLINK',
];

/** The properties of a VEVENT that are read. Ignored ones may have thousands of lines. */
const READ_PROPERTIES = new Set([
  ...['UID', 'SEQUENCE', 'DTSTAMP', 'LAST-MODIFIED', 'RECURRENCE-ID', 'DTSTART', 'DTEND', 'DURATION'],
  ...['RRULE', 'RDATE', 'EXDATE', 'ORGANIZER', 'ATTENDEE', 'STATUS', 'TRANSP', 'CLASS', 'COLOR'],
  ...['SUMMARY', 'DESCRIPTION', 'LOCATION', 'URL', 'X-MICROSOFT-CDO-BUSYSTATUS', 'X-APPLE-CALENDAR-COLOR'],
  ...['X-KALENDS-CUSTOM', ...CONFERENCE_PROPERTIES],
]);

/** Reads a VEVENT. Returns a name for it if its start or its RECURRENCE-ID cannot be read. Throws TooComplexError. */
export function readVEvent(component: Component, zoneOf: ZoneOf, budget: ResourceBudget): VEvent | string {
  const properties = parseProperties(component, budget, READ_PROPERTIES);
  const recurrenceIds = properties.get('RECURRENCE-ID')?.[0];
  const recurrenceId = recurrenceIds && parseTime(recurrenceIds.value, recurrenceIds, zoneOf);
  // Without its RECURRENCE-ID an override would look like the main event of the series.
  if (recurrenceIds !== undefined && recurrenceId === undefined) return 'a changed occurrence';
  const dtstart = properties.get('DTSTART')?.[0];
  const start = dtstart === undefined ? recurrenceId : parseTime(dtstart.value, dtstart, zoneOf);
  if (start === undefined) {
    if (recurrenceId === undefined) return 'the event or series';
    return `the changed occurrence of ${formatDate(dayOfLocal(toLocalMs(recurrenceId)))}`;
  }
  if (recurrenceId !== undefined) spend(budget, 'overrides');
  const organizer = properties.get('ORGANIZER')?.[0];
  const attendees = properties.get('ATTENDEE') ?? [];
  spend(budget, 'attendees', attendees.length);
  for (const { value } of attendees) if (value.includes('%')) spend(budget, 'encoded');
  const range = recurrenceIds && findParameter(recurrenceIds, 'RANGE');
  const end = readEnd(start, properties, zoneOf);
  const duration = readDuration(start, end, properties);
  return {
    uid: textIn(properties, 'UID', budget) ?? '',
    sequence: Number(/^\s*\d{1,9}\s*$/.exec(properties.get('SEQUENCE')?.[0]?.value ?? '')?.[0] ?? 0),
    start,
    end,
    recurrence: { ...readRecurrence(properties, zoneOf, budget), ...(duration && { duration }) },
    recurrenceId,
    lacksStart: dtstart === undefined,
    thisAndFuture: range?.toUpperCase() === 'THISANDFUTURE',
    ...readTextFields(properties, budget),
    organizer: organizer && readAttendee(organizer),
    attendees: attendees.map(readAttendee),
    dtstamp: parseInstant(properties.get('DTSTAMP')?.[0]),
    lastModified: parseInstant(properties.get('LAST-MODIFIED')?.[0]),
    custom: textIn(properties, 'X-KALENDS-CUSTOM', budget),
  };
}

/** Longer values are cut: none of them has a meaning. */
const LONGEST_WORD = 100;

function readTextFields(properties: Properties, budget: ResourceBudget) {
  const text = (name: string) => textIn(properties, name, budget);
  const word = (name: string) => text(name)?.slice(0, LONGEST_WORD).toUpperCase();
  return {
    summary: text('SUMMARY'),
    description: text('DESCRIPTION'),
    location: text('LOCATION'),
    url: text('URL'),
    status: word('STATUS'),
    transparency: word('TRANSP'),
    busyStatus: word('X-MICROSOFT-CDO-BUSYSTATUS'),
    classification: word('CLASS'),
    color: text('COLOR') ?? text('X-APPLE-CALENDAR-COLOR'),
    ...readConference(properties, budget),
  };
}

/** Returns the text of a property; an empty one counts as absent. */
function textIn(properties: Properties, name: string, budget: ResourceBudget): string | undefined {
  const property = properties.get(name)?.[0];
  const text = property && unescapeText(property, budget).trim();
  return text === '' ? undefined : text;
}

/** Returns the first web address: a conference can also be a telephone number or a chat room. */
function readConference(properties: Properties, budget: ResourceBudget) {
  for (const name of CONFERENCE_PROPERTIES) {
    for (const property of properties.get(name) ?? []) {
      const conference = unescapeText(property, budget).trim();
      if (/^https?:\/\/\S+$/i.test(conference))
        return { conference, conferenceAsGiven: findParameter(property, 'X-KALENDS-URI') };
    }
  }
  return { conference: undefined, conferenceAsGiven: undefined };
}

function readAttendee(property: ContentLine): VAttendee {
  return {
    address: property.value.trim(),
    email: findParameter(property, 'EMAIL'),
    name: findParameter(property, 'CN'),
    participation: findParameter(property, 'PARTSTAT')?.toUpperCase(),
  };
}

/** Parses the recurrence of an event or of a bare list of lines. Throws TooComplexError. */
export function readRecurrence(properties: Properties, zoneOf: ZoneOf, budget: ResourceBudget): Recurrence {
  const rrules = (properties.get('RRULE') ?? [])
    .map(({ value }) => plainRule(value))
    .filter((text) => text !== '');
  spend(budget, 'rules', rrules.length);
  const rdates = readTexts(properties.get('RDATE'), 'rdates', budget)
    .map(({ text, property }) => readRdate(text, property, zoneOf))
    .filter((rdate) => rdate !== undefined);
  const exdates = readTexts(properties.get('EXDATE'), 'exdates', budget)
    .map(({ text, property }) => parseTime(text, property, zoneOf))
    .filter((exdate) => exdate !== undefined);
  return { rrules, rdates, exdates };
}

type ValueText = { readonly text: string; readonly property: ContentLine };

/** Returns the values of lists, which are counted in the budget before they are created. */
function readTexts(
  properties: readonly ContentLine[] = [],
  counted: 'rdates' | 'exdates',
  budget: ResourceBudget,
): ValueText[] {
  const values: ValueText[] = [];
  for (const property of properties) {
    const texts = property.value.split(',', budget[counted] + 1);
    spend(budget, counted, texts.length);
    for (const text of texts) values.push({ text, property });
  }
  return values;
}

/** Parses a date, a time, or a period of either form (RFC 5545 §3.3.9). */
function readRdate(text: string, property: ContentLine, zoneOf: ZoneOf): RecurrenceDate | undefined {
  const [from = '', until] = text.split('/', 2);
  const start = parseTime(from, property, zoneOf);
  if (start === undefined || until === undefined) return start && { start };
  const duration = parseDuration(until);
  const end = duration === undefined ? parseTime(until, property, zoneOf) : endAfter(start, duration);
  return end === undefined ? { start } : { start, end };
}
