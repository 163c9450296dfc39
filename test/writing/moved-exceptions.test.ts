/** A weekly series that moves or gets another length: its exceptions move with it, or keep their own times. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { occurrencesOf, openWitnessSite, type WitnessSite } from './witness-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];
const times = (start: string, end: string, timeZone = 'UTC') => ({
  start: `2027-01-${start}:00`,
  end: `2027-01-${end}:00`,
  allDay: false,
  timeZone,
});
const days = (start: string, end: string) => ({
  start: `2027-01-${start}`,
  end: `2027-01-${end}`,
  allDay: true,
});

type Case = {
  /** The times of the series, of its second occurrence and of the changed series. */
  readonly series: object;
  readonly second: object;
  readonly change: object;
  /** The id of the second occurrence, without the series'. */
  readonly named: string;
  readonly expected: readonly string[];
};
const TOKYO = {
  series: days('04', '05'),
  second: times('11T09:00', '11T09:30', 'Asia/Tokyo'),
  named: '20270111',
};
const CASES: Readonly<Record<string, Case>> = {
  'moves a longer occurrence, which stays longer': {
    series: times('04T09:00', '04T10:00'),
    second: times('11T09:00', '11T11:00'),
    change: times('04T14:00', '04T15:00'),
    named: '20270111T090000Z',
    expected: ['04T14:00 04T15:00', '11T14:00 11T16:00', '18T14:00 18T15:00'],
  },
  'keeps a timed exception at midnight UTC when the all-day series moves': {
    ...TOKYO,
    change: days('05', '06'),
    expected: ['05T00:00 06T00:00', '11T00:00 11T00:30', '19T00:00 20T00:00'],
  },
  'keeps a timed exception at midnight UTC when the all-day series gets longer': {
    ...TOKYO,
    change: days('04', '06'),
    expected: ['04T00:00 06T00:00', '11T00:00 11T00:30', '18T00:00 20T00:00'],
  },
  'keeps an all-day exception when the series, which is at midnight UTC, moves': {
    series: times('04T00:00', '04T01:00', 'Europe/London'),
    second: days('11', '12'),
    change: times('05T00:00', '05T01:00', 'Europe/London'),
    named: '20270111T000000Z',
    expected: ['05T00:00 05T01:00', '11T00:00 12T00:00', '19T00:00 19T01:00'],
  },
};

for (const kind of KINDS)
  describe(`a weekly series at ${kind}`, () => {
    for (const [title, example] of Object.entries(CASES))
      it(title, async () => {
        const site = await openWitnessSite(kind);
        try {
          assert.deepEqual(await shownAfter(site, example), example.expected);
        } finally {
          await site.close();
        }
      });
  });

/** Returns start and end of the occurrences, on which Kalends, the provider and a published client agree. */
async function shownAfter(site: WitnessSite, { series, second, change, named }: Case): Promise<string[]> {
  const send = async (...request: Parameters<WitnessSite['send']>): Promise<string> => {
    const { status, body } = await site.send(...request);
    assert.equal(status, 200, JSON.stringify(body));
    return body.id;
  };
  const recurrence = { frequency: 'WEEKLY', count: 3 };
  const eventId = await send('POST', { title: 'Series', ...series, recurrence });
  await send('PUT', { eventId: `${eventId}_${named}`, ...second, updateMode: 'this' });

  await send('PUT', { eventId, ...change, updateMode: 'all' });

  site.pass();
  const read = occurrencesOf(await site.listed());
  assert.deepEqual([await site.atProvider(), await site.published()], [read, read]);
  return read.map((text) => `${text.slice(8, 16)} ${text.slice(25, 33)}`);
}
