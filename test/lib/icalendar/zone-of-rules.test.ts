/** VTIMEZONEs under names of their own: when they are an IANA zone, and when their rules stay. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseICalendar } from '../../../src/lib/icalendar/parse-icalendar.ts';
import { toInstant } from '../../../src/lib/recurrence/event-instant.ts';
import { temporalQuestions } from '../../../src/lib/recurrence/zone.ts';
import { parseTimeZone } from '../../../src/providers/caldav/dav/calendar-time-zone.ts';

const observance = (name: string, start: string, offsets: readonly [string, string], rule = ''): string =>
  [
    `BEGIN:${name}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${offsets[0]}`,
    `TZOFFSETTO:${offsets[1]}`,
    ...(rule === '' ? [] : [rule]),
    `END:${name}`,
  ].join('\n');

const vtimezone = (tzid: string, ...observances: string[]): string =>
  ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...observances, 'END:VTIMEZONE'].join('\n');

const fixed = (tzid: string, offset: string): string =>
  vtimezone(tzid, observance('STANDARD', '16010101T000000', [offset, offset]));

/** As Outlook writes it: today's rules, as if they had always been so. */
const outlook = (tzid: string): string =>
  vtimezone(
    tzid,
    observance('STANDARD', '16010101T020000', ['-0400', '-0500'], 'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11'),
    observance('DAYLIGHT', '16010101T020000', ['-0500', '-0400'], 'RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3'),
  );

/** Some servers leave out what was before the event: this begins in the autumn of its year. */
const trimmed = (tzid: string): string =>
  vtimezone(
    tzid,
    observance('STANDARD', '20161106T020000', ['-0400', '-0500'], 'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11'),
    observance('DAYLIGHT', '20170312T020000', ['-0500', '-0400'], 'RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3'),
  );

const event = (lines: string): string => `BEGIN:VEVENT\nUID:a\n${lines}\nEND:VEVENT`;

/** The start of the first event. */
function startIn(timezone: string, ...lines: string[]) {
  const [first] = parseICalendar(
    ['BEGIN:VCALENDAR', timezone, ...lines.map(event), 'END:VCALENDAR'].join('\n'),
  );
  assert.ok(first?.start.type === 'zoned');
  const { zone } = first.start;
  const at = new Date(toInstant(first.start, 'UTC')).toISOString();
  return { zone: typeof zone === 'string' ? zone : `rules of ${zone.tzid}`, at };
}

describe('a VTIMEZONE with one offset', () => {
  it('is no country: four hours west are four hours west in 2010 too', () => {
    const { zone, at } = startIn(fixed('Acme', '-0400'), 'DTSTART;TZID=Acme:20100301T090000');

    assert.deepEqual([zone, at], ['Etc/GMT+4', '2010-03-01T13:00:00.000Z']);
  });

  for (const [offset, zone] of [
    ['+0000', 'UTC'],
    ['+0900', 'Etc/GMT-9'],
    ['-1200', 'Etc/GMT+12'],
    ['+1400', 'Etc/GMT-14'],
    ['+0245', 'rules of Acme Custom'],
    ['+0530', 'rules of Acme Custom'],
    ['-1300', 'rules of Acme Custom'],
  ] as const)
    it(`at ${offset} is ${zone}`, () => {
      assert.equal(
        startIn(fixed('Acme Custom', offset), 'DTSTART;TZID=Acme Custom:20260101T090000').zone,
        zone,
      );
    });

  it('is the zone of its name where that zone has this offset', () => {
    assert.equal(startIn(fixed('Tokyo', '+0900'), 'DTSTART;TZID=Tokyo:20260101T090000').zone, 'Asia/Tokyo');
  });

  it('is not the zone of its name where that zone has another offset', () => {
    const { zone } = startIn(fixed('Pacific', '+0900'), 'DTSTART;TZID=Pacific:20260101T090000');

    assert.equal(zone, 'Etc/GMT-9');
  });

  it('has the last offset of its rules for events after them', () => {
    const turkey = vtimezone(
      'Acme',
      observance('DAYLIGHT', '20070325T030000', ['+0200', '+0300'], 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'),
      observance(
        'STANDARD',
        '20071028T040000',
        ['+0300', '+0200'],
        'RRULE:FREQ=YEARLY;UNTIL=20151108T010000Z;BYDAY=-1SU;BYMONTH=10',
      ),
    );

    assert.equal(startIn(turkey, 'DTSTART;TZID=Acme:20200101T090000').zone, 'Etc/GMT-3');
  });
});

describe('a VTIMEZONE with rules', () => {
  it('is the zone that has the same offsets from the first event on', () => {
    assert.equal(startIn(outlook('Acme'), 'DTSTART;TZID=Acme:20080101T090000').zone, 'America/New_York');
    assert.equal(startIn(trimmed('Acme'), 'DTSTART;TZID=Acme:20160701T090000').zone, 'America/New_York');
  });

  it('keeps its rules where the zone had others in a year its events use', () => {
    const { zone, at } = startIn(outlook('Acme'), 'DTSTART;TZID=Acme:20050325T090000\nRRULE:FREQ=YEARLY');

    // New York was five hours west on that day; Acme says four.
    assert.deepEqual([zone, at], ['rules of Acme', '2005-03-25T13:00:00.000Z']);
  });

  it('counts the earliest of all events, of dates added to them and of changed occurrences', () => {
    const start = 'DTSTART;TZID=Acme:20250701T090000';

    for (const earlier of [
      'DTSTART:20050601',
      'RDATE;TZID=Acme:20260101T090000,20050601T090000',
      'RECURRENCE-ID:20050601T090000Z',
    ])
      assert.equal(startIn(outlook('Acme'), start, `${earlier}\n${start}`).zone, 'rules of Acme', earlier);
  });

  it('is the zone of its name where only its past is wrong, as in what Outlook writes', () => {
    const name = '(UTC-05:00) Eastern Time (US & Canada)';

    const { zone, at } = startIn(outlook(name), `DTSTART;TZID="${name}":20050325T090000`);

    assert.deepEqual([zone, at], ['America/New_York', '2005-03-25T14:00:00.000Z']);
  });

  it('is no zone that does otherwise later: a series runs on', () => {
    const ending = outlook('Acme').replaceAll('BYMONTH=', 'UNTIL=20300101T000000Z;BYMONTH=');

    assert.equal(startIn(ending, 'DTSTART;TZID=Acme:20260101T090000').zone, 'rules of Acme');
  });

  it('is compared in the years of an event that lies far ahead', () => {
    const ending = outlook('Acme').replaceAll('BYMONTH=', 'UNTIL=20650101T000000Z;BYMONTH=');

    assert.equal(startIn(outlook('Acme'), 'DTSTART;TZID=Acme:20600701T090000').zone, 'America/New_York');
    assert.equal(startIn(ending, 'DTSTART;TZID=Acme:20600701T090000').zone, 'rules of Acme');
  });
});

describe('looking for a zone among all', () => {
  it('asks Temporal twice of each zone at most, and of those like it once for each change, whatever comes after', () => {
    const look = (tzid: string) => startIn(outlook(tzid), `DTSTART;TZID=${tzid}:20080101T090000`);
    const before = temporalQuestions();
    look('Acme');
    const first = temporalQuestions();
    look('Acme');
    look('Another');
    startIn(fixed('Acme', '-0400'), 'DTSTART;TZID=Acme:20080101T090000');

    assert.ok(first - before < 2 * Intl.supportedValuesOf('timeZone').length + 100);
    assert.equal(temporalQuestions(), first);
  });
});

describe('the time zone of a calendar', () => {
  it('is compared from today on, since it has no events', () => {
    assert.equal(parseTimeZone(`BEGIN:VCALENDAR\n${outlook('Acme')}\nEND:VCALENDAR`), 'America/New_York');
    assert.equal(parseTimeZone(`BEGIN:VCALENDAR\n${fixed('Acme', '-0400')}\nEND:VCALENDAR`), 'Etc/GMT+4');
    assert.equal(parseTimeZone(`BEGIN:VCALENDAR\n${fixed('Acme', '+0245')}\nEND:VCALENDAR`), undefined);
  });

  it('counts no date that is none among the years its events use', () => {
    for (const none of ['00000000T000000', '20050231T000000']) {
      const dates = `DTSTART;TZID=Acme:20050320T100000\nRRULE:FREQ=DAILY;COUNT=2\nRDATE:${none}`;
      const { zone, at } = startIn(outlook('Acme'), dates);

      assert.deepEqual([zone, at], ['rules of Acme', '2005-03-20T14:00:00.000Z'], none);
    }
  });
});
