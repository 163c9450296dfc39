/** A monthly series that moves to another month or day: its occurrences are not equally many days apart. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { occurrencesOf, openWitnessSite, type WitnessSite } from './witness-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];
const TIMED = { start: '2027-01-05T09:00:00Z', end: '2027-01-05T10:00:00Z' };

/** Monthly on the fifth, five times. The second occurrence was changed and the third deleted. Returns its id. */
async function monthlySeries({ send }: WitnessSite): Promise<string> {
  const recurrence = { frequency: 'MONTHLY', count: 5 };
  const { body } = await send('POST', { title: 'Series', ...TIMED, timeZone: 'Europe/Paris', recurrence });
  const at = (text: string) => ({ eventId: `${body.id}_${text}T090000Z` });
  const changed = await send('PUT', { ...at('20270205'), title: 'Changed', updateMode: 'this' });
  const deleted = await send('DELETE', { ...at('20270305'), deleteMode: 'this' });
  assert.deepEqual([changed.status, deleted.status], [200, 200]);
  return body.id;
}

/** Returns the starts and titles of the occurrences, on which Kalends, the provider and a published client agree. */
async function shown(site: WitnessSite): Promise<string[]> {
  site.pass();
  const read = occurrencesOf(await site.listed());
  assert.deepEqual([await site.atProvider(), await site.published()], [read, read]);
  return read.map((text) => `${text.slice(5, 16)} ${text.slice(34)}`);
}

type Move = { readonly change: object; readonly expected: readonly string[] };
const MOVES: Readonly<Record<string, Move>> = {
  'to another day of another month': {
    change: { start: '2027-02-07T09:00:00Z', end: '2027-02-07T10:00:00Z' },
    expected: ['02-07T09:00 Series', '03-07T09:00 Changed', '05-07T08:00 Series', '06-07T08:00 Series'],
  },
  'to whole days of another month': {
    change: { start: '2027-02-07', end: '2027-02-08', allDay: true },
    expected: ['02-07', '03-07', '05-07', '06-07'].map(
      (day, index) => `${day}T00:00 ${index === 1 ? 'Changed' : 'Series'} all day`,
    ),
  },
};

for (const kind of KINDS)
  describe(`a monthly series at ${kind}`, () => {
    for (const [to, { change, expected }] of Object.entries(MOVES))
      it(`keeps what was changed and deleted of it when it moves ${to}`, async () => {
        const site = await openWitnessSite(kind);
        try {
          const eventId = await monthlySeries(site);

          const answer = await site.send('PUT', { eventId, ...change, updateMode: 'all' });

          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          assert.deepEqual(await shown(site), expected);
        } finally {
          await site.close();
        }
      });
  });

const LACKING = {
  all: {
    named: '',
    day: '2027-01-31',
    expected: ['01-31T09:00 Series', '05-31T08:00 Fifth', '07-31T08:00 Series', '08-31T08:00 Series'],
  },
  following: {
    named: '_20270205T090000Z',
    day: '2027-03-31',
    expected: [
      '01-05T09:00 Series',
      ...['03-31T08:00 Changed', '05-31T08:00 Series', '07-31T08:00 Series', '08-31T08:00 Series'],
    ],
  },
} as const;

describe('a monthly series that moves to a day that some months lack', () => {
  for (const kind of ['google', 'caldav'] as const)
    for (const updateMode of ['all', 'following'] as const)
      it(`has no exceptions in those months at ${kind} with ${updateMode}`, async () => {
        const site = await openWitnessSite(kind);
        const { named, day, expected } = LACKING[updateMode];
        try {
          const id = await monthlySeries(site);
          const fifth = { eventId: `${id}_20270505T080000Z`, title: 'Fifth', updateMode: 'this' };
          await site.send('PUT', fifth);

          const times = { start: `${day}T10:00:00`, end: `${day}T11:00:00`, timeZone: 'Europe/Paris' };
          const answer = await site.send('PUT', { eventId: `${id}${named}`, ...times, updateMode });

          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          assert.deepEqual(await shown(site), expected);
        } finally {
          await site.close();
        }
      });
});
