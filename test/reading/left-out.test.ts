/** Calendars that their user left out: for an application they are not there. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const DAY = 'start=2026-11-20T00:00:00Z&end=2026-11-21T00:00:00Z';
const HIDDEN = { provider: 'caldav', calendarId: '/hidden/' };

describe('calendars that were left out', () => {
  let server: CalendarServer;
  let token: string;
  let accountKey: string;
  beforeEach(async () => {
    server = await openCalendarServer();
    for (const name of ['shown', 'hidden']) {
      server.provider.addCalendar(calendar(`/${name}/`, { title: name }));
      server.provider.put(`/${name}/`, resource(name, event('2026-11-20T09:00:00', { title: name })));
    }
    server.provider.put('/hidden/', resource('second', event('2026-11-20T12:00:00', { title: 'second' })));
    ({ accountKey } = await link(server));
    token = await server.token();
    await get(server, '/events', token);
  });
  afterEach(() => server.close());

  const ask = async (url: string) => (await get(server, url, token)).json();
  const titlesOf = (list: readonly { title: string }[]) => list.map(({ title }) => title);
  const choose = async (titles: readonly string[], onlyThese = false) => {
    const { calendarChoices: choices } = server.deps;
    const offered = (await choices.chosenCalendars(accountKey))?.calendars ?? [];
    const chosen = offered.filter(({ title }) => titles.includes(title)).map((one) => one.calendarKey);
    await choices.chooseCalendars(accountKey, { chosen, onlyThese }, server.clock.now);
  };
  const write = async (method: 'POST' | 'PUT' | 'DELETE', url: string, payload: object) => {
    const answer = await server.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      payload,
    });
    return { status: answer.statusCode, ...answer.json() };
  };

  it('a calendar that was left out is in no response, and its events are reported as deleted', async () => {
    const { cursor } = await ask('/events/changes');

    await choose(['shown']);

    assert.deepEqual(titlesOf(await ask('/calendars')), ['shown']);
    assert.deepEqual(titlesOf((await ask('/events')).events), ['shown']);
    assert.deepEqual(titlesOf((await ask('/events?q=second')).events), []);
    assert.equal((await ask(`/free-busy?${DAY}`)).busy.length, 1);
    for (const url of ['/events/second', `/event?${new URLSearchParams({ ...HIDDEN, eventId: 'second' })}`])
      assert.equal((await get(server, url, token)).statusCode, 404, url);
    const { changes } = await ask(`/events/changes?cursor=${cursor}`);
    assert.deepEqual(
      changes.map(({ changeType, event: { id } }: { changeType: string; event: { id: string } }) => [
        changeType,
        id,
      ]),
      [
        ['deleted', 'hidden'],
        ['deleted', 'second'],
      ],
    );
  });

  it('a calendar that was left out is not written to, nor synced', async () => {
    await choose(['shown']);
    server.clock.now += 61_000;
    await ask('/events');
    const before = server.provider.calls.filter((call) => call.includes('/hidden/')).length;
    assert.ok(before > 0, 'it was read while it was in');
    const times = { start: '2026-11-20T09:00:00Z', end: '2026-11-20T10:00:00Z' };

    const answers = [
      await write('POST', '/event', { ...HIDDEN, ...times, title: 'x' }),
      await write('PUT', '/event', { ...HIDDEN, eventId: 'hidden', title: 'x' }),
      await write('DELETE', '/event', { ...HIDDEN, eventId: 'hidden' }),
      await write('PUT', '/calendars', { ...HIDDEN, title: 'x' }),
      await write('DELETE', '/calendars', HIDDEN),
    ];

    for (const { status, code } of answers) assert.deepEqual([status, code], [404, 'calendar_not_found']);
    server.clock.now += 61_000;
    await ask('/events');
    assert.equal(server.provider.calls.filter((call) => call.includes('/hidden/')).length, before);
  });

  it('no calendar takes the place of a main one that was left out', async () => {
    const mains = async (): Promise<readonly string[]> =>
      (await ask('/calendars'))
        .filter(({ primary }: { primary: boolean }) => primary)
        .map(({ id }: { id: string }) => id);
    const listed = async () => titlesOf((await ask(`/events?${DAY}&calendarIds=["primary"]`)).events);
    assert.deepEqual([await mains(), await listed()], [['/hidden/'], ['hidden', 'second']]);

    await choose(['shown']);

    assert.deepEqual([await mains(), await listed()], [[], []]);
    const made = { provider: 'caldav', calendarId: 'primary', title: 'New' };
    const times = { start: '2026-11-20T15:00:00Z', end: '2026-11-20T16:00:00Z' };
    assert.equal((await write('POST', '/event', { ...made, ...times })).status, 404);
  });

  it('a calendar that is chosen again has its events again', async () => {
    await choose(['shown']);

    await choose(['shown', 'hidden']);

    assert.deepEqual(titlesOf((await ask('/events')).events).sort(), ['hidden', 'second', 'shown']);
  });

  it('where only what was chosen is wanted, a new calendar stays out, and one the application makes is in', async () => {
    await choose(['shown'], true);
    server.provider.addCalendar(calendar('/later/', { title: 'later' }));
    server.clock.now += 61_000;
    assert.deepEqual(titlesOf(await ask('/calendars')), ['shown']);

    const made = await write('POST', '/calendars', { provider: 'caldav', title: 'made' });

    assert.deepEqual([made.status, made.calendar?.title], [200, 'made'], JSON.stringify(made));
    assert.deepEqual(titlesOf(await ask('/calendars')), ['shown', 'made']);
  });

  it('an account of which all is left out answers as one without calendars', async () => {
    await choose([]);

    assert.deepEqual(await ask('/calendars'), []);
    const { events, errors } = await ask('/events');
    assert.deepEqual([events, errors], [[], undefined]);
  });
});
