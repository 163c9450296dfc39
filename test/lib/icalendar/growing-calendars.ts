/** Calendars that grow: pieces in any number, in themselves and in others, and mixes that use their budget up. */
import fc from 'fast-check';

import { grown, received } from '../../harness/growth.ts';

const DATE = '20#1101T0800#';
const dateList = grown(fc.constantFrom(`${DATE},`, '2026#1,', '00020101T000000Z/P1D,', '20261101,,'));
const parameters = grown(
  fc.constantFrom(';b', ';b=#', ';TZID=Z#', ';X="a,#"', ';X=^n', ';TZID=(UTC+01:00) Paris', ';A=1,2,#,3'),
);
/** Names of time zones with something in them that grows; `^n` is a line end (RFC 6868). */
const zoneName = fc
  .tuple(
    fc.constantFrom('', '(', '(UTC', '(UTC+01:00', 'x', '/a/b/', 'GMT+'),
    grown(
      fc.constantFrom(' ', '\t', '(', ' (', ';', '^n', '^n ', '1', ' 1', '/', 'a/', ',', ' island', ' time'),
    ),
    fc.constantFrom('x', '^nx', ')', ' x', ''),
  )
  .map((parts) => parts.join(''));
const texts = grown(
  fc.constantFrom('\\n', 'a', '.', ')', '\\', '%', '\n ', '\ud83d\ude00', ' ', 'https://zoom.us/j/'),
  10_000_000,
);
const numbers = fc
  .tuple(fc.constantFrom('', 'MO,'), grown(fc.constantFrom('#,', '-#,', '1#MO,', 'MO,', ' ')))
  .map((parts) => parts.join(''));
const rulePart = fc.tuple(
  fc.constantFrom(
    'BYHOUR',
    'BYMINUTE',
    'BYSECOND',
    'BYDAY',
    'BYMONTHDAY',
    'BYYEARDAY',
    'BYWEEKNO',
    'BYSETPOS',
    'BYMONTH',
  ),
  numbers,
);
const rule = fc
  .tuple(
    fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY', 'SECONDLY'),
    fc.constantFrom('', ';COUNT=99999999', ';UNTIL=99990101', ';INTERVAL=999'),
    fc.array(rulePart, { maxLength: 5 }),
  )
  .map(
    ([freq, end, parts]) =>
      `RRULE:FREQ=${freq}${end}${parts.map(([name, list]) => `;${name}=${list}1`).join('')}\n`,
  );
const dates = fc
  .tuple(fc.constantFrom('EXDATE', 'RDATE', 'DTEND', 'RECURRENCE-ID'), parameters, dateList)
  .map(([name, parts, list]) => `${name}${parts}:${list}\n`);
const text = fc
  .tuple(
    fc.constantFrom('SUMMARY', 'DESCRIPTION', 'ATTENDEE', 'X-KALENDS-CUSTOM', 'UID', 'X-#', 'LOCATION'),
    parameters,
    texts,
  )
  .map(([name, parts, value]) => `${name}${parts}:${value}\n`);
const inZone = fc
  .tuple(fc.constantFrom('EXDATE', 'RDATE', 'RECURRENCE-ID'), zoneName)
  .map(([name, zone]) => `${name};TZID="${zone}":20261101T080000\n`);
/** Properties of calendars and of their zones, whose texts have `\n` for a line end. */
const namingZone = fc
  .tuple(fc.constantFrom('X-WR-TIMEZONE', 'TZID', 'X-LIC-LOCATION'), zoneName)
  .map(([name, zone]) => `${name}:${zone.replaceAll('^n', '\\n')}\n`);
const property = fc.oneof(
  rule,
  dates,
  text,
  inZone,
  namingZone,
  fc.constantFrom(
    'TZOFFSETFROM:+0#00\n',
    'TZOFFSETTO:-0#00\n',
    'TZID:Z#\n',
    'DTSTART:00020101T080000\n',
    'DTSTART;TZID=Z10:20200101T080000\n',
  ),
  fc.constantFrom(
    'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=America/New_York:20#0101T080000\n',
    'ATTENDEE;CN="P #";ROLE=CHAIR;RSVP=TRUE:mailto:p#@example.com\n',
    'EXDATE;TZID=Z#:20261101T080000\n',
  ),
);
const lines = fc
  .array(fc.oneof({ weight: 3, arbitrary: property }, grown(property)), { maxLength: 6 })
  .map((all) => all.join(''));
const START = 'UID:a\nDTSTART;TZID=Europe/Paris:20200101T080000\nDTEND;TZID=Europe/Paris:20200101T090000\n';
const component = fc
  .tuple(fc.constantFrom('VEVENT', 'VTIMEZONE', 'STANDARD', 'VALARM', 'X'), fc.boolean(), lines)
  .map(([name, starts, own]) => `BEGIN:${name}\n${starts ? START : ''}${own}END:${name}\n`);
const nested = fc
  .tuple(component, fc.constantFrom('VEVENT', 'VTIMEZONE'), grown(component), fc.boolean())
  .map(([first, name, inner, isNested]) =>
    isNested ? `${first}BEGIN:${name}\nTZID:Z10\n${START}${inner}END:${name}\n` : first + inner,
  );

const SERIES = `BEGIN:VEVENT\n${START}RRULE:FREQ=DAILY\nEND:VEVENT\n`;
const calendarOf = (components: string) =>
  received(`BEGIN:VCALENDAR\n${components}${SERIES}END:VCALENDAR\n`.replaceAll('#', '20'));

/** Sizes, repetition and nesting of anything. */
const calendar = fc
  .array(fc.oneof(component, component, nested, nested, namingZone), { minLength: 1, maxLength: 3 })
  .map((parts) => calendarOf(parts.join('')));

const times = (count: number, line: (index: number) => string, separator = ''): string =>
  Array.from({ length: Math.floor(count) }, (_, index) => line(index)).join(separator);
const dayTime = (index: number): string =>
  `${new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10).replaceAll('-', '')}T080000`;
const attendee = (index: number): string =>
  `ATTENDEE;CN="P";ROLE=CHAIR;PARTSTAT=ACCEPTED:mailto:p${index}@example.com\n`;
const RULES = [
  'FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8;BYMINUTE=0,10,20,30,40,50;BYSETPOS=-1',
  'FREQ=DAILY;COUNT=99999999;BYHOUR=3,4',
  'FREQ=YEARLY;BYDAY=MO,TU;BYMONTHDAY=13',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR',
];

/** How much of each limit of src/lib/icalendar/resource-budget.ts is used, from 0 to 1. */
const share = fc.oneof(fc.constantFrom(0, 0, 0.5, 0.98), fc.double({ min: 0, max: 0.98, noNaN: true }));
const shares = fc.record({
  text: share,
  lines: share,
  escapes: share,
  parameters: share,
  alarms: share,
  rules: share,
  exdates: share,
  rdates: share,
  overrides: share,
  future: share,
  attendees: share,
  zones: share,
  observances: share,
  zone: fc.constantFrom('Europe/Paris', 'America/New_York', 'Z0', 'Own'),
  rule: fc.constantFrom(...RULES),
});

/** A calendar that uses several limits up at once, none of them beyond. */
const full = shares.map((of) => {
  const overrideCount = Math.floor(of.overrides * MOST.overrides);
  const guests = Math.floor(of.attendees * MOST.attendees);
  const each = Math.floor(guests / (overrideCount + 1));
  const zoneCount = Math.max(1, Math.floor(of.zones * 24));
  const zones = times(zoneCount, (zone) => {
    const observances = times((of.observances * 500) / zoneCount, (index) => observance(zone + index));
    return `BEGIN:VTIMEZONE\nTZID:Z${zone}\n${observances}END:VTIMEZONE\n`;
  });
  const used = times(zoneCount, (zone) => `EXDATE;TZID=Z${zone}:${dayTime(zone)}\n`);
  const master = [
    times(of.rules * 20, () => `RRULE:${of.rule}\n`),
    `EXDATE;TZID=${of.zone}:${times(of.exdates * 4900, dayTime, ',')}\n`,
    `RDATE;TZID=${of.zone}:${times(of.rdates * 4900, (index) => dayTime(index * 2), ',')}\n`,
    `DESCRIPTION:${'\\n'.repeat(of.escapes * 240_000)}\n`,
    times(of.lines * 40_000, (index) => `X-${index}:1\n`),
    times(of.parameters * 200, () => `X-P${';b=1'.repeat(99)}:x\n`),
    times(of.alarms * 3000, () => 'BEGIN:VALARM\nEND:VALARM\n'),
    `ATTACH:${'A'.repeat(of.text * 3_000_000)}\n`,
    times(each, attendee),
  ].join('');
  const overrides = times(overrideCount, (index) => {
    const range = index < of.future * overrideCount ? ';RANGE=THISANDFUTURE' : '';
    const at = dayTime(index);
    return `BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;TZID=${of.zone}${range}:${at}\nDTSTART;TZID=${of.zone}:${at}\nSUMMARY:x\n${times(each, attendee)}END:VEVENT\n`;
  });
  const start = `UID:a\nDTSTART;TZID=${of.zone}:20200101T080000\nDTEND;TZID=${of.zone}:20200101T090000\n`;
  return received(
    `BEGIN:VCALENDAR\n${zones}BEGIN:VEVENT\n${start}RRULE:FREQ=DAILY\n${master}${used}END:VEVENT\n${overrides}END:VCALENDAR\n`,
  );
});
const MOST = { overrides: 1400, attendees: 7000 };

function observance(index: number): string {
  const offset = `+0${index % 9}17`;
  const next = `+0${(index + 1) % 9}17`;
  return `BEGIN:STANDARD\nDTSTART:${1601 + (index % 400)}0101T020000\nTZOFFSETFROM:${offset}\nTZOFFSETTO:${next}\nRRULE:FREQ=YEARLY;UNTIL=20400101T000000Z\nEND:STANDARD\n`;
}

/** Calendars that grow at random. */
export const growingCalendar: fc.Arbitrary<string> = calendar;

/** Calendars that are as large as allowed, or nearly, in several ways at once. */
export const fullCalendar: fc.Arbitrary<string> = full;

const event = (own: string): string => `BEGIN:VEVENT\n${START}${own}END:VEVENT\n`;

/** Calendars that stalled the service once. Each is a start to grow from. */
export const KNOWN_CALENDARS: readonly string[] = [
  event('RRULE:FREQ=DAILY\n'.repeat(400)),
  event('RRULE:FREQ=DAILY\n'.repeat(150_000)),
  event(`X${';b'.repeat(4_850_000)}:x\n`),
  event(`RRULE:FREQ=DAILY\n${`EXDATE:${times(100_000, dayTime, ',')}\n`.repeat(4)}`),
  event(`RDATE:${times(100_000, dayTime, ',')}\n`),
  event('RRULE:FREQ=DAILY;COUNT=99999999;BYHOUR=3\n').replace(
    /TZID=Europe\/Paris:20\d\d/g,
    'TZID=Europe/Paris:0002',
  ),
  times(
    6000,
    (index) => `BEGIN:VEVENT\n${START}RECURRENCE-ID;RANGE=THISANDFUTURE:${dayTime(index)}\nEND:VEVENT\n`,
  ),
  times(190, (zone) => `BEGIN:VTIMEZONE\nTZID:Z${zone}\n${observance(zone)}END:VTIMEZONE\n`),
  `BEGIN:VTIMEZONE\nTZID:Own\n${times(200, observance)}END:VTIMEZONE\n${event(`EXDATE;TZID=Own:${times(4900, dayTime, ',')}\n`)}`,
  `X-WR-TIMEZONE:(${' '.repeat(498)}x\n`,
  event(times(24, (zone) => `EXDATE;TZID="(${' '.repeat(495)}${zone}x":20261101T080000\n`)),
  event(times(24, (zone) => `EXDATE;TZID="${'('.repeat(495)}^n${zone}":20261101T080000\n`)),
  event(`RRULE:FREQ=DAILY;BYDAY=MO,${' '.repeat(9900)}x\n`),
].map(calendarOf);
