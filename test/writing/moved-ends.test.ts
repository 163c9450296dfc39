/** Series that move and end on a day: their UNTIL is a date, although they have times. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { calendarObject, vevent } from '../servers/icalendar.ts';
import { openOddSite } from './odd-site.ts';
import { occurrencesOf, openWitnessSite } from './witness-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];
const MOVES = {
  'moves as a whole': {
    named: '',
    change: { start: '2027-01-05T08:00:00Z', end: '2027-01-05T09:00:00Z', updateMode: 'all' },
    expected: ['01-05T08:00', '01-12T08:00', '01-19T08:00', '01-26T08:00'],
  },
  'moves from an occurrence on': {
    named: '_20270111T220000Z',
    change: { start: '2027-01-12T08:00:00Z', end: '2027-01-12T09:00:00Z', updateMode: 'following' },
    expected: ['01-04T22:00', '01-12T08:00', '01-19T08:00', '01-26T08:00'],
  },
  'moves to a zone where it is the next day': {
    named: '',
    change: { timeZone: 'Asia/Tokyo', updateMode: 'all' },
    expected: ['01-04T22:00', '01-11T22:00', '01-18T22:00', '01-25T22:00'],
  },
};

for (const kind of KINDS)
  describe(`a series that ends on a day at ${kind}`, () => {
    for (const [rule, { named, change, expected }] of Object.entries(MOVES))
      it(`keeps its last occurrence if it ${rule}`, async () => {
        const site = await openWitnessSite(kind);
        try {
          const times = { start: '2027-01-04T22:00:00Z', end: '2027-01-04T23:00:00Z' };
          const recurrence = { frequency: 'WEEKLY', until: '2027-01-25' };
          const series = { title: 'Series', ...times, timeZone: 'Europe/Berlin', recurrence };
          const { body } = await site.send('POST', series);
          site.pass();
          await site.listed();

          const answer = await site.send('PUT', { eventId: `${body.id}${named}`, ...change });

          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          site.pass();
          const read = occurrencesOf(await site.listed());
          assert.deepEqual([await site.atProvider(), await site.published()], [read, read]);
          assert.deepEqual(
            read.map((text) => text.slice(5, 16)),
            expected,
          );
        } finally {
          await site.close();
        }
      });
  });

describe('a series whose UNTIL is a date', () => {
  const ends = {
    'a later day': [['T100000', '2027-01-05T09:00:00Z'], 'UNTIL=20270126'],
    'a later time of the day': [['T100000', '2027-01-04T11:00:00Z'], 'UNTIL=20270125'],
  } as const;
  for (const [to, [[time, start], until]] of Object.entries(ends))
    it(`keeps its last occurrence if it moves to ${to} with its exceptions`, async () => {
      const at = await openOddSite();
      try {
        const lines = [`DTSTART:20270104${time}Z`, `EXDATE:20270111${time}Z`];
        const rule = 'RRULE:FREQ=WEEKLY;UNTIL=20270125';
        await at.given('a.ics', calendarObject(vevent('series', 'Series', ...lines, rule)));
        const eventId = await at.idAt('2027-01-04');

        const answer = await at.send('PUT', { eventId, start, end: start, updateMode: 'all' });

        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        const shown = await at.shown();
        assert.equal(shown.length, 3, shown.join());
        const written = at
          .texts()
          .get('a.ics')
          ?.find((line) => line.startsWith('RRULE'));
        assert.ok(written?.includes(until), String(written));
      } finally {
        await at.close();
      }
    });
});
