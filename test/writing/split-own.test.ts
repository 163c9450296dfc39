/** A conference, or times of another type, of one occurrence when its series is split. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { get } from '../harness/calendar-server.ts';
import { onSandbox } from './write-site.ts';

const WEEKLY = {
  title: 'Weekly',
  start: '2027-01-04T09:00:00Z',
  end: '2027-01-04T10:00:00Z',
  timeZone: 'Europe/Paris',
  recurrence: { frequency: 'WEEKLY', count: 4 },
};
const DAILY = { ...WEEKLY, start: '2027-01-04', end: '2027-01-05', allDay: true };

type Shown = { id: string; start: string; end: string; allDay: boolean; conference?: string };

/** Creates a series, gives its third occurrence something of its own, and splits it before the second. */
async function splitAt(kind: ProviderKind, t: TestContext) {
  const site = await onSandbox(kind);
  t.after(() => site.close());
  const { server, provider, calendarId } = site;
  const token = await server.token('read-write');
  const send = async (method: 'POST' | 'PUT', body: object) => {
    const payload = { provider, calendarId, ...body };
    const headers = { authorization: `Bearer ${token}` };
    const answer = await server.app.inject({ method, url: '/event', headers, payload });
    assert.equal(answer.statusCode, 200, answer.body);
  };
  const shown = async (): Promise<Shown[]> => {
    site.pass();
    return (await get(server, '/events?start=2027-01-01&end=2027-01-31', token)).json().events;
  };
  return async (series: object, own: object, change: object = { location: 'Roof' }) => {
    await send('POST', { ...WEEKLY, ...series });
    await send('PUT', { eventId: (await shown())[2]?.id, updateMode: 'this', ...own });
    await send('PUT', { eventId: (await shown())[1]?.id, updateMode: 'following', ...change });
    return shown();
  };
}

const CONFERENCES: Readonly<Record<string, { readonly conference: object; readonly expected: RegExp }>> = {
  none: { conference: { url: '' }, expected: /^$/ },
  'a link': { conference: { url: 'https://zoom.us/j/1' }, expected: /^https:\/\/zoom\.us\/j\/1$/ },
  'another link': { conference: { url: 'https://webex.com/m/2' }, expected: /^https:\/\/webex\.com\/m\/2$/ },
  'a Meet': { conference: { autoGenerate: true }, expected: /^https:\/\/meet\.google\.com\// },
};

describe('a conference of an occurrence whose series is split at Google', () => {
  for (const [name, series] of Object.entries(CONFERENCES))
    for (const [ownName, own] of Object.entries(CONFERENCES))
      it(`stays the occurrence’s own: ${ownName}, in a series with ${name}`, async (t) => {
        const split = await splitAt('google', t);

        const events = await split({ conference: series.conference }, { conference: own.conference });

        const urls = events.map(({ conference }) => conference ?? '');
        assert.equal(urls.length, 4);
        assert.match(urls[1] ?? '', series.expected);
        assert.match(urls[2] ?? '', own.expected);
        assert.match(urls[3] ?? '', series.expected);
      });
});

const KINDS: readonly ProviderKind[] = ['google', 'apple', 'caldav'];
const ALL_DAY = { start: '2027-01-18', end: '2027-01-20', allDay: true };
const TIMED = {
  start: '2027-01-18T13:00:00Z',
  end: '2027-01-18T14:30:00Z',
  allDay: false,
  timeZone: 'Europe/Paris',
};
const timesOf = ({ start, end, allDay }: Shown) => `${start} ${end} ${allDay}`;

describe('an occurrence of another type than its series, which is split', () => {
  for (const kind of KINDS) {
    it(`keeps its type and its times at ${kind}`, async (t) => {
      for (const [series, own] of [
        [WEEKLY, ALL_DAY],
        [DAILY, TIMED],
      ] as const) {
        const split = await splitAt(kind, t);
        const events = await split(series, own);

        const [first, second, third, fourth] = events.map(timesOf);
        assert.match(
          third ?? '',
          new RegExp(`^${own.start.slice(0, 16)}.* ${own.end.slice(0, 16)}.* ${own.allDay}$`),
        );
        for (const other of [first, second, fourth])
          assert.match(other ?? '', new RegExp(` ${!own.allDay}$`));
      }
    });

    it(`keeps its times at ${kind} if the later half gets its type`, async (t) => {
      const split = await splitAt(kind, t);
      const times = { start: '2027-01-11', end: '2027-01-12', allDay: true };

      const events = await split(WEEKLY, ALL_DAY, times);

      const later = events.slice(1).map(({ start, allDay }) => `${start.slice(0, 10)} ${allDay}`);
      assert.deepEqual(later, ['2027-01-11 true', '2027-01-18 true', '2027-01-25 true']);
      assert.equal(events[2]?.end.slice(0, 10), '2027-01-20');
    });
  }
});
