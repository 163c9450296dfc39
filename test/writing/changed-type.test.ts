/** A Google series that changes between timed and all-day: Google keeps its earlier exceptions as cancelled ones. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { get } from '../harness/calendar-server.ts';
import { type Bench, openBench } from '../providers/provider-bench.ts';
import type { Method } from './event-site.ts';

const ADA = 'ada@example.com';
const WINDOW = { start: Date.UTC(2027, 0, 1), end: Date.UTC(2027, 1, 1) };

describe('a Google series that changes its type', () => {
  let bench: Bench;
  let token: string;
  let id: { provider: string; calendarId: string };
  beforeEach(async () => {
    bench = await openBench('google');
    await bench.link({ scope: 'read-write' });
    await bench.read();
    token = await bench.server.token();
    id = { provider: 'google', calendarId: bench.calendarId };
  });
  afterEach(() => bench?.close());

  const send = async (method: Method, body: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const payload = { ...id, ...body };
    const answer = await bench.server.app.inject({ method, url: '/event', headers, payload });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };
  const listed = async (path = '/events?start=2027-01-01&end=2027-02-01') => {
    bench.pass(60_000);
    return (await get(bench.server, path, token)).json();
  };
  const shown = async (): Promise<string[]> =>
    (await listed()).events.map(
      ({ start, title }: { start: string; title: string }) => `${start.slice(5, 16)} ${title}`,
    );

  /** Four Mondays at nine, of which the second was changed and the third cancelled. */
  async function timedSeries(): Promise<string> {
    const times = { start: '2027-01-04T09:00:00Z', end: '2027-01-04T10:00:00Z' };
    const recurrence = { frequency: 'WEEKLY', count: 4 };
    const { id: eventId } = await send('POST', { title: 'Series', ...times, recurrence });
    await send('PUT', { eventId: `${eventId}_20270111T090000Z`, title: 'Changed', updateMode: 'this' });
    await send('DELETE', { eventId: `${eventId}_20270118T090000Z`, deleteMode: 'this' });
    return eventId;
  }
  /** The same, made all-day in Google's own app. */
  async function allDaySeries(): Promise<string> {
    const eventId = await timedSeries();
    const dates = { start: { date: '2027-01-04' }, end: { date: '2027-01-05' } };
    const recurrence = { frequency: 'weekly', count: 4 } as const;
    await bench.manual.updateEvent(ADA, bench.calendarId, {
      id: eventId,
      title: 'Series',
      ...dates,
      recurrence,
    });
    await shown();
    return eventId;
  }

  it('keeps its exceptions if the change is made here', async () => {
    const eventId = await timedSeries();

    const dates = { start: '2027-01-04', end: '2027-01-05', allDay: true };
    await send('PUT', { eventId, ...dates, updateMode: 'all' });

    const expected = ['01-04T00:00 Series', '01-11T00:00 Changed', '01-25T00:00 Series'];
    assert.deepEqual(await shown(), expected);
    assert.equal((await listed(`/events/${eventId}_20270111`)).title, 'Changed');
    const { length } = await bench.manual.instances(ADA, bench.calendarId, WINDOW);
    assert.equal(length, 3);
  });

  const MOVES = {
    'to another day': [{ start: '2027-01-05', end: '2027-01-06' }, ['05T00:00', '12T00:00', '26T00:00']],
    'to another time': [
      { start: '2027-01-04T10:00:00Z', end: '2027-01-04T11:00:00Z', allDay: false },
      ['04T10:00', '11T10:00', '25T10:00'],
    ],
  } as const;
  for (const [name, [times, [first, second, last]]] of Object.entries(MOVES))
    it(`keeps its exceptions if it then moves ${name}`, async () => {
      const eventId = await timedSeries();
      const dates = { start: '2027-01-04', end: '2027-01-05', allDay: true };
      await send('PUT', { eventId, ...dates, updateMode: 'all' });

      await send('PUT', { eventId, ...times, updateMode: 'all' });

      const expected = [`01-${first} Series`, `01-${second} Changed`, `01-${last} Series`];
      assert.deepEqual(await shown(), expected);
      const { length } = await bench.manual.instances(ADA, bench.calendarId, WINDOW);
      assert.equal(length, 3);
    });

  it('has all its occurrences again if the change is made at Google', async () => {
    const eventId = await allDaySeries();
    const instance = `${eventId}_20270111`;
    await send('PUT', { eventId: instance, title: 'Again', updateMode: 'this' });

    const days = ['01-04T00:00 Series', '01-11T00:00 Again', '01-18T00:00 Series', '01-25T00:00 Series'];
    assert.deepEqual(await shown(), days);
    const { changes } = await listed('/events/changes?initial=true');
    const { overrides, cancelledInstances } = changes.find(
      ({ event }: { event: { id: string } }) => event.id === eventId,
    ).event;
    assert.deepEqual([overrides.map((one: { id: string }) => one.id), cancelledInstances], [[instance], []]);
    const { length } = await bench.manual.instances(ADA, bench.calendarId, WINDOW);
    assert.equal(length, 4);
  });

  it('lets a write name an occurrence that a cancelled exception of the other type stood for', async () => {
    const eventId = await allDaySeries();

    const third = await send('PUT', { eventId: `${eventId}_20270118`, title: 'Third', updateMode: 'this' });

    assert.equal((await listed(`/events/${third.id}`)).title, 'Third');
    assert.equal((await shown())[2], '01-18T00:00 Third');
  });

  it('is split with all its occurrences', async () => {
    const eventId = await allDaySeries();

    await send('PUT', { eventId: `${eventId}_20270111`, title: 'Later', updateMode: 'following' });

    const later = ['01-11T00:00 Later', '01-18T00:00 Later', '01-25T00:00 Later'];
    assert.deepEqual(await shown(), ['01-04T00:00 Series', ...later]);
  });
});
