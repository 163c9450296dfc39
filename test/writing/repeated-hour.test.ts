/** Series and exceptions in the hour that a clock repeats: Sydney's goes back from 3 to 2 o'clock on 2027-04-04. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { occurrencesOf, openWitnessSite, type WitnessSite } from './witness-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];
const FIRST = '2027-04-04T02:30:00+11:00';
const SECOND = '2027-04-04T02:30:00+10:00';
const DAILY = {
  title: 'Series',
  timeZone: 'Australia/Sydney',
  recurrence: { frequency: 'DAILY', count: 3 },
};

/** Returns the occurrences as Kalends reads them back, which is as the provider shows them. */
async function shown(site: WitnessSite): Promise<string[]> {
  const saved = occurrencesOf(await site.listed());
  site.pass();
  const read = occurrencesOf(await site.listed());
  assert.deepEqual([saved, await site.atProvider()], [read, read]);
  return read.map((text) => text.slice(5));
}

for (const kind of KINDS)
  describe(`a series in a repeated hour at ${kind}`, () => {
    const cases = {
      'keeps its length if it ends at the second of two equal times': {
        times: { start: FIRST, end: SECOND },
        expected: ['04-03T15:30 2027-04-03T16:30', '04-04T16:30 2027-04-04T17:30'],
      },
      'keeps its length if it begins at the second of two equal times': {
        times: { start: SECOND, end: '2027-04-04T02:45:00+10:00' },
        expected: ['04-03T15:30 2027-04-03T15:45', '04-04T16:30 2027-04-04T16:45'],
      },
    };
    for (const [rule, { times, expected }] of Object.entries(cases))
      it(rule, async () => {
        const site = await openWitnessSite(kind);
        try {
          const { status, body } = await site.send('POST', { ...DAILY, ...times });
          assert.equal(status, 200, JSON.stringify(body));
          const second = { eventId: `${body.id}_20270404T163000Z`, updateMode: 'this', title: 'Changed' };
          assert.equal((await site.send('PUT', second)).status, 200);

          const read = await shown(site);

          const third = expected[1]?.replaceAll('04-04', '04-05');
          assert.deepEqual(read, [`${expected[0]} Series`, `${expected[1]} Changed`, `${third} Series`]);
        } finally {
          await site.close();
        }
      });

    it('takes the length of an occurrence that ends at the second of two equal times', async () => {
      const site = await openWitnessSite(kind);
      try {
        const times = { start: '2027-04-03T02:30:00+11:00', end: '2027-04-03T02:45:00+11:00' };
        const { body } = await site.send('POST', { ...DAILY, ...times });
        const change = { eventId: `${body.id}_20270403T153000Z`, start: FIRST, end: SECOND };
        const answer = await site.send('PUT', { ...change, updateMode: 'all' });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));

        assert.deepEqual(await shown(site), [
          '04-02T15:30 2027-04-02T16:30 Series',
          '04-03T15:30 2027-04-03T16:30 Series',
          '04-04T16:30 2027-04-04T17:30 Series',
        ]);
      } finally {
        await site.close();
      }
    });

    it('has exceptions that begin at the second of two equal times', async () => {
      const site = await openWitnessSite(kind);
      try {
        const times = { start: '2027-04-02T09:00:00+11:00', end: '2027-04-02T10:00:00+11:00' };
        const { body } = await site.send('POST', { ...DAILY, ...times });
        const change = { eventId: `${body.id}_20270403T230000Z`, start: SECOND, end: '2027-04-03T17:00:00Z' };
        await site.send('PUT', { ...change, updateMode: 'this' });

        assert.equal((await shown(site)).at(-1), '04-03T16:30 2027-04-03T17:00 Series');
      } finally {
        await site.close();
      }
    });
  });
