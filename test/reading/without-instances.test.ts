/** A series without instances: it is in no time window, and everything else works beside it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const HOME = 'https://dav.example/ada/home/';
const START = '2026-11-10T09:00:00';
const excluded = [{ type: 'zoned', local: START, zone: 'Europe/Paris' }] as const;
const SERIES: Readonly<Record<string, CalendarEvent['recurrence'] & {}>> = {
  over: { rrules: ['FREQ=DAILY;UNTIL=20261109T225959Z'], rdates: [], exdates: [] },
  only: { rrules: [], rdates: [], exdates: excluded },
  once: { rrules: ['FREQ=DAILY;COUNT=1'], rdates: [], exdates: excluded },
};

describe('a series without instances', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    const { provider } = server;
    provider.addCalendar(calendar(HOME, { primary: true }));
    for (const [name, recurrence] of Object.entries(SERIES))
      provider.put(HOME, resource(name, event(START, { title: `Nothing ${name}`, recurrence })));
    provider.put(HOME, resource('there', event('2026-11-10T15:00:00', { title: 'Nothing but this' })));
    await link(server);
    token = await server.token();
  });
  after(() => server.close());

  const ask = async (url: string) => {
    const answer = await get(server, url, token);
    return { status: answer.statusCode, body: answer.json() };
  };
  const idsIn = async (query: string): Promise<string[]> => {
    const { body } = await ask(`/events?start=2026-11-01&end=2026-12-01${query}`);
    assert.equal(body.errors, undefined);
    return body.events.map(({ id }: { id: string }) => id);
  };

  it('a series without instances is in no listing and no search, expanded or not', async () => {
    assert.deepEqual(await idsIn(''), ['there']);
    assert.deepEqual(await idsIn('&singleEvents=false'), ['there']);
    assert.deepEqual(await idsIn('&q=nothing'), ['there']);
  });

  it('a series without instances makes nobody busy', async () => {
    const { body } = await ask('/free-busy?start=2026-11-10T00:00:00Z&end=2026-11-11T00:00:00Z');

    assert.deepEqual(
      body.busy.map((one: { start: string }) => one.start),
      ['2026-11-10T14:00:00.000Z'],
    );
  });

  it('a series without instances is found by its id, and none of its instances is', async () => {
    for (const name of Object.keys(SERIES)) {
      const { status, body } = await ask(`/events/${name}`);
      assert.deepEqual([status, body.title], [200, `Nothing ${name}`]);
      assert.equal((await ask(`/events/${name}_20261110T080000Z`)).status, 404);
    }
  });

  it('a series without instances is in the change feed', async () => {
    const { body } = await ask('/events/changes?initial=true');
    const ids = body.changes.map(({ event }: { event: { id: string } }) => event.id);

    assert.deepEqual(ids.sort(), ['once', 'only', 'over', 'there']);
  });

  it('a series without instances is changed and deleted as any other', async () => {
    const write = async (method: 'PUT' | 'DELETE', body: object) => {
      const payload = { provider: 'caldav', calendarId: HOME, ...body };
      const headers = { authorization: `Bearer ${token}` };
      return (await server.app.inject({ method, url: '/event', headers, payload })).statusCode;
    };

    for (const eventId of Object.keys(SERIES)) {
      assert.equal(await write('PUT', { eventId, title: 'Renamed' }), 200, eventId);
      assert.equal(await write('DELETE', { eventId: `${eventId}_20261110T080000Z` }), 404, eventId);
      assert.equal(await write('DELETE', { eventId }), 200, eventId);
    }
    assert.deepEqual(await idsIn(''), ['there']);
  });
});
