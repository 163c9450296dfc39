/** Hostile responses of a CalDAV server, by name: test/servers/evil-caldav.ts serves each to the user of that name. */
import { calendarObject, event, vevent } from './icalendar.ts';

/** One way to be hostile. Absent fields mean the behavior of a good server. */
export type Shape = {
  /** The number of calendars; one when absent. */
  readonly calendars?: number;
  /** The objects of each calendar, as iCalendar. */
  readonly objects?: () => readonly string[];
  /** How many objects the calendars have, where `objectAt` makes each when it is asked for. */
  readonly count?: number;
  readonly objectAt?: (index: number) => string;
  /** In place of the responses of a listing, with `path` the calendar's. */
  readonly listing?: (path: string) => string;
  /** The number of calendar homes; one when absent. */
  readonly homes?: number;
  /** Responses about a calendar arrive at one byte per second, for this long. */
  readonly dripSeconds?: number;
  /** Responses are compressed, with this many blanks at the end. */
  readonly blanks?: number;
  /** Every sync reports that everything has changed. */
  readonly restless?: boolean;
};

const times = (count: number, text: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => text(index));

const two = (number: number): string => String(number).padStart(2, '0');
const DAY_MS = 24 * 3600 * 1000;
/** Returns `count` local DATE-TIMEs from 2026 on, joined by commas. */
const days = (count: number): string =>
  times(count, (index) => {
    const date = new Date(Date.UTC(2026, 0, 1 + (index % 3000)) + Math.floor(index / 3000) * 60_000);
    return `${date.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
  }).join(',');

const rules = (count: number): string =>
  event('rules', 'Rules', times(count, () => 'RRULE:FREQ=DAILY;COUNT=9999').join('\r\n'));

/** A zone with that many changes of its offset. */
const zone = (name: string, observances: number): string =>
  [
    'BEGIN:VTIMEZONE',
    `TZID:${name}`,
    ...times(observances, (index) =>
      [
        'BEGIN:STANDARD',
        `DTSTART:${1800 + index}0${1 + (index % 9)}01T000000`,
        `TZOFFSETFROM:+${two(index % 12)}00`,
        `TZOFFSETTO:+${two((index + 1) % 12)}00`,
        'END:STANDARD',
      ].join('\r\n'),
    ),
    'END:VTIMEZONE',
    '',
  ].join('\r\n');

const EXDATES_OF_A_LIST = 92_000;

const zoneWithExdates = (): string =>
  calendarObject(
    zone('Odd', 200),
    vevent(
      'exdates',
      'Exdates',
      'DTSTART;TZID=Odd:20260101T090000',
      'DTEND;TZID=Odd:20260101T100000',
      'RRULE:FREQ=DAILY',
      ...times(4, () => `EXDATE;TZID=Odd:${days(EXDATES_OF_A_LIST)}`),
    ),
  );

const overrides = (count: number): string =>
  calendarObject(
    vevent('overrides', 'Overrides', 'RRULE:FREQ=DAILY'),
    ...times(count, (index) => {
      const day = new Date(Date.UTC(2026, 0, 5) + index * DAY_MS)
        .toISOString()
        .slice(0, 10)
        .replaceAll('-', '');
      const start = `DTSTART:${day}T100000Z`;
      return vevent(
        'overrides',
        'Later',
        `RECURRENCE-ID;RANGE=THISANDFUTURE:${day}T090000Z`,
        start,
        `DTEND:${day}T113000Z`,
      );
    }),
  );

const zones = (count: number): string =>
  calendarObject(
    ...times(count, (index) => zone(`Odd ${index}`, 100)),
    vevent(
      'zones',
      'Zones',
      'DTSTART;TZID=Odd 7:20260101T090000',
      'DTEND;TZID=Odd 7:20260101T100000',
      'RRULE:FREQ=DAILY',
    ),
    ...times(count, (index) =>
      vevent(
        'zones',
        'Zone',
        `RECURRENCE-ID;TZID=Odd 7:2026${two(1 + (index % 12))}${two(1 + (index % 28))}T090000`,
        `DTSTART;TZID=Odd ${index}:20260201T090000`,
        `DTEND;TZID=Odd ${index}:20260201T100000`,
      ),
    ),
  );

const ATTRIBUTES = times(30, (index) => `a${index.toString(36)}=""`).join(' ');

const MEGABYTE = 1_000_000;
const filler = (bytes: number): string => `X-FILLER:${'f'.repeat(bytes)}`;
/** An ordinary event of 20 kB. */
const ordinary = (index: number): string => event(`big-${index}`, `Big ${index}`, filler(20_000));

/** Every shape; a user may be named with `~` and more behind, so as to have one for itself. */
export const SHAPES = {
  'one event with 400 rules': { objects: () => [rules(400)] },
  'one event with 8,000 rules': { objects: () => [rules(8000)] },
  'one event with 120,000 rules': { objects: () => [rules(120_000)] },
  'a line of parameters without =': { objects: () => [event('x', 'X', `X${';b'.repeat(4_850_000)}:`)] },
  'EXDATE lists in a zone of 200 observances': { objects: () => [zoneWithExdates()] },
  '8 events with 100,000 EXDATEs': {
    objects: () =>
      times(8, (index) => event(`e${index}`, 'E', 'RRULE:FREQ=DAILY', `EXDATE:${days(100_000)}`)),
  },
  'an event with 100,000 RDATEs': { objects: () => [event('r', 'R', `RDATE:${days(100_000)}`)] },
  '6,000 overrides of all that follows': { objects: () => [overrides(6000)] },
  '190 time zones': { objects: () => [zones(190)] },
  'a listing of 120,000 responses': {
    listing: (path) =>
      times(120_000, (index) => `<d:response><d:href>${path}${index}</d:href></d:response>`).join(''),
  },
  'a listing of 40,000 objects': {
    listing: (path) =>
      times(
        40_000,
        (index) =>
          `<d:response><d:href>${path}${index}</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
      ).join(''),
  },
  'a listing of 30,000 responses with 30 attributes': {
    listing: (path) =>
      times(
        30_000,
        (index) => `<d:response ${ATTRIBUTES}><d:href>${path}${index}</d:href></d:response>`,
      ).join(''),
  },
  '8 daily events since the year 2': {
    objects: () =>
      times(8, (index) =>
        event(
          `old-${index}`,
          'Old',
          'DTSTART:00020101T000000Z',
          'DTEND:00020101T010000Z',
          'RRULE:FREQ=DAILY;COUNT=99999999;BYHOUR=3',
        ),
      ),
  },
  '4 events with 20 rules': {
    objects: () =>
      times(4, (index) =>
        event(
          `rules-${index}`,
          'Rules',
          ...times(20, (hour) => `RRULE:FREQ=DAILY;BYHOUR=${hour};BYMINUTE=${index}`),
        ),
      ),
  },
  'a daily event with an original of 2 MB': {
    objects: () => [event('long', 'Long', 'RRULE:FREQ=DAILY', filler(2 * MEGABYTE))],
  },
  'a daily event with a description of 2 MB': {
    objects: () => [event('long', 'Long', 'RRULE:FREQ=DAILY', `DESCRIPTION:${'d'.repeat(2 * MEGABYTE)}`)],
  },
  'an event of 9 MB': { objects: () => [event('long', 'Long', 'RRULE:FREQ=DAILY', filler(9 * MEGABYTE))] },
  '40 calendars that drip': { calendars: 40, dripSeconds: 40, objects: () => [event('drop', 'Drop')] },
  'a calendar of 40 MB': { count: 2000, objectAt: ordinary },
  'a calendar of 250 MB': { count: 12_500, objectAt: ordinary },
  '50,000 homes': { homes: 50_000 },
  'an answer of 200 MB of blanks, packed': { objects: () => [event('x', 'X')], blanks: 200 * MEGABYTE },
  'objects that change with every look': { restless: true, objects: () => times(50, () => rules(20)) },
} satisfies Record<string, Shape>;

export type ShapeName = keyof typeof SHAPES;

/** A short name of a user's place on the server. */
export function placeOf(user: string): string {
  const [name = '', number = ''] = user.split('~');
  return `${Object.keys(SHAPES).indexOf(name)}-${number}`;
}

/** The shape of a user. */
export function shapeOf(user: string): Shape | undefined {
  const [name = ''] = user.split('~');
  return Object.hasOwn(SHAPES, name) ? SHAPES[name as ShapeName] : undefined; // it has it
}
