/** Resources that are too much, and resources that are much: all are dealt with in a tenth of a second. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { ICalendarError } from '../../../src/lib/icalendar/icalendar-error.ts';
import { TooComplexError } from '../../../src/lib/icalendar/resource-budget.ts';
import { readObject } from '../../../src/providers/caldav/events/calendar-object.ts';
import { parseEventResource } from '../../../src/providers/caldav/events/event-resource.ts';
import { takesUnder } from '../../harness/processor-time.ts';
import { expandMonth } from '../../harness/resource-expansion.ts';

const times = (count: number, line: (index: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, index) => line(index)).join(separator);
const day = (index: number): string =>
  `${new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10).replaceAll('-', '')}T080000`;
const event = (lines: string): string =>
  `BEGIN:VEVENT\nUID:a\nDTSTART;TZID=Europe/Vienna:20200101T080000\nDTEND;TZID=Europe/Vienna:20200101T090000\n${lines}END:VEVENT\n`;
const override = (index: number, lines = '', range = ''): string =>
  `BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;TZID=Europe/Vienna${range}:${day(index)}\nDTSTART;TZID=Europe/Vienna:${day(index)}\n${lines}END:VEVENT\n`;
const calendar = (components: string): string => `BEGIN:VCALENDAR\n${components}END:VCALENDAR\n`;
const observance = (index: number, lines = ''): string =>
  `BEGIN:STANDARD\nDTSTART:${1601 + (index % 400)}0101T020000\nTZOFFSETFROM:+0${index % 9}17\nTZOFFSETTO:+0${(index + 1) % 9}17\n${lines}END:STANDARD\n`;
const zone = (name: string, observances: string): string =>
  `BEGIN:VTIMEZONE\nTZID:${name}\n${observances}END:VTIMEZONE\n`;

const daily = 'RRULE:FREQ=DAILY\n';
const rules = (count: number) => times(count, (index) => `RRULE:FREQ=DAILY;INTERVAL=${(index % 99) + 1}\n`);
const attendee = (index: number) =>
  `ATTENDEE;CN="P";ROLE=CHAIR;PARTSTAT=ACCEPTED:mailto:p${index}@example.com\n`;

const read = (icalendar: string) => parseEventResource({ href: '/a.ics', etag: '"1"', icalendar });

describe('a resource over its budget', () => {
  const refused: readonly [what: string, reason: RegExp, icalendar: string][] = [
    ['400 rules', /^it has more than 20 recurrence rules$/, calendar(event(rules(400)))],
    ['8,000 rules', /more than 20 recurrence rules/, calendar(event(rules(8000)))],
    ['150,000 rules', /more than 75,000 lines/, calendar(event(rules(150_000)))],
    [
      '9.7 MB of parameters',
      /more than 5,000,000 characters/,
      calendar(event(`X${';b'.repeat(4_850_000)}:x\n`)),
    ],
    [
      'a line of 2,000,000 parameters',
      /more than 100 parameters/,
      calendar(event(`ATTENDEE${';b'.repeat(2_000_000)}:x\n`)),
    ],
    [
      '100,000 EXDATEs',
      /more than 5,000 excluded dates/,
      calendar(event(`${daily}EXDATE:${times(100_000, day, ',')}\n`)),
    ],
    [
      '5,001 EXDATEs on a line each',
      /more than 5,000 excluded dates/,
      calendar(event(times(5001, (i) => `EXDATE:${day(i)}\n`))),
    ],
    [
      '100,000 RDATEs',
      /more than 5,000 additional dates/,
      calendar(event(`RDATE:${times(100_000, day, ',')}\n`)),
    ],
    [
      '2,000 overrides',
      /more than 1,500 changed occurrences/,
      calendar(event(daily) + times(2000, (i) => override(i))),
    ],
    [
      '190 zones',
      /more than 50 time zones/,
      calendar(times(190, (i) => zone(`Z${i}`, observance(i))) + event(daily)),
    ],
    [
      '600 observances',
      /more than 500 changes of offset/,
      calendar(
        zone(
          'Own',
          times(600, (i) => observance(i)),
        ) + event(daily),
      ),
    ],
    [
      'a zone of 200 observances on 5,000 dates',
      /more than 2,000,000 characters of rules/,
      calendar(
        zone(
          'Own',
          times(200, (i) => observance(i)),
        ) + event(`${daily}EXDATE;TZID=Own:${times(5000, day, ',')}\n`),
      ),
    ],
    ['9,000 attendees', /more than 7,500 attendees/, calendar(event(times(9000, attendee)))],
    [
      '500,000 escapes',
      /more than 300,000 escaped characters/,
      calendar(event(`SUMMARY:${'\\n'.repeat(200_000)}\nDESCRIPTION:${'\\n'.repeat(200_000)}\n`)),
    ],
    [
      '700,000 quotes and carets in parameters',
      /more than 300,000 escaped characters/,
      calendar(event(times(20, () => `ATTENDEE;X="${'"a",'.repeat(5000)}${'^n'.repeat(12_000)}":x\n`))),
    ],
    [
      '3,001 percent-encoded addresses',
      /more than 3,000 percent-encoded addresses/,
      calendar(event(times(3001, () => 'ATTENDEE:%zz@example.com\n'))),
    ],
    [
      '60 custom texts of 10,000 characters',
      /more than 500,000 characters of custom data/,
      calendar(times(60, (i) => override(i, `X-KALENDS-CUSTOM:{"a":"${'x'.repeat(10_000)}${i}"}\n`))),
    ],
    [
      'much of everything',
      /too many lines, dates, attendees and changed occurrences together/,
      calendar(
        event(
          `${daily}EXDATE:${times(4900, day, ',')}\nRDATE:${times(4900, day, ',')}\n${times(3000, attendee)}`,
        ) + times(1400, (i) => override(i, times(2, attendee))),
      ),
    ],
    ['components in components', /nests components too deeply/, calendar(event('BEGIN:A\n'.repeat(4000)))],
    [
      '6,000 alarms',
      /more than 5,000 components/,
      calendar(event('BEGIN:VALARM\nEND:VALARM\n'.repeat(6000))),
    ],
  ];
  for (const [what, reason, icalendar] of refused)
    it(`a resource with ${what} is refused by name, at once`, () => {
      let failure: unknown;
      const reading = () => {
        try {
          read(icalendar);
        } catch (error) {
          failure = error;
        }
      };

      assert.ok(takesUnder(100, reading));
      assert.ok(failure instanceof TooComplexError && failure instanceof ICalendarError);
      assert.match(failure.message, reason);
    });

  it('a resource over its budget is not changed either, and the error says why', () => {
    const isNamed = (error: unknown) =>
      error instanceof ProviderError &&
      error.kind === 'invalid_response' &&
      /it has more than 20 recurrence rules$/.test(error.message);

    assert.throws(() => readObject(calendar(event(rules(21)))), isNamed);
  });
});

describe('a resource within its budget', () => {
  const whole: [what: string, icalendar: string][] = [
    ['a line without "=" of 4.8 MB', calendar(event(`X${';b'.repeat(2_400_000)}:x\n`))],
    [
      'an attachment of 4.9 MB',
      calendar(event(`ATTACH;ENCODING=BASE64:${times(65_000, () => 'A'.repeat(74), '\n ')}\n`)),
    ],
    ['a description of 4.5 MB', calendar(event(`DESCRIPTION:${'lorem ipsum '.repeat(380_000)}\n`))],
    ['74,000 lines', calendar(event(times(74_000, (index) => `X-${index}:1\n`)))],
    [
      '5,000 EXDATEs in another zone',
      calendar(event(`${daily}EXDATE;TZID=America/New_York:${times(5000, day, ',')}\n`)),
    ],
    [
      '5,000 RDATEs that are periods',
      calendar(
        event(
          `RDATE;TZID=America/New_York;VALUE=PERIOD:${times(5000, (i) => `${day(i)}/${day(i + 1)}`, ',')}\n`,
        ),
      ),
    ],
    [
      '1,500 overrides for all later ones',
      calendar(event(daily) + times(1500, (i) => override(i, '', ';RANGE=THISANDFUTURE'))),
    ],
    [
      '500 observances with rules',
      calendar(
        zone(
          'Own',
          times(500, (i) => observance(i, 'RRULE:FREQ=YEARLY;UNTIL=20400101T000000Z\n')),
        ) + event(`${daily}EXDATE;TZID=Own:${day(1)}\n`),
      ),
    ],
    ['7,000 attendees', calendar(event(times(7000, attendee)))],
    [
      '20 rules of 86,400 times a day',
      calendar(
        event(
          times(
            20,
            () =>
              `RRULE:FREQ=DAILY;BYHOUR=${times(24, String, ',')};BYMINUTE=${times(60, String, ',')};BYSECOND=${times(60, String, ',')};BYSETPOS=-1\n`,
          ),
        ),
      ),
    ],
    [
      'an address that ends in 49,000 dots',
      calendar(event(`DESCRIPTION:https://zoom.us/j/${'.'.repeat(49_000)}a\n`)),
    ],
    [
      'a TZID of 49,000 brackets',
      calendar(event(`EXDATE;TZID="${')'.repeat(49_000)}^nx":20200101T080000\n`)),
    ],
  ];
  whole.push(
    [
      'addresses that are nearly those of meetings',
      calendar(times(90, (i) => override(i, `DESCRIPTION:${'https://'.repeat(6000)}\n`))),
    ],
    [
      'the custom data of its master in 1,000 overrides',
      calendar(times(1000, (i) => override(i, `X-KALENDS-CUSTOM:{"a":"${'x'.repeat(2000)}"}\n`))),
    ],
  );
  for (const [what, icalendar] of whole)
    it(`a resource with ${what} is read, placed and expanded at once`, () => {
      assert.ok(takesUnder(100, () => expandMonth(read(icalendar))));
    });

  it('a resource of a series that was kept for years is no more than it may be', () => {
    const years = times(1200, (i) =>
      override(i, `SUMMARY:x\n${times(4, attendee)}BEGIN:VALARM\nEND:VALARM\n`),
    );

    assert.equal(
      read(calendar(event(`${daily}EXDATE:${times(1000, day, ',')}\n`) + years)).events.length,
      1201,
    );
  });
});
