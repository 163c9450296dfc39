/** `primary` instead of a calendar's id (docs/wire.md C18): one rule for all places of an id. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { PROVIDER_KINDS } from '../../src/calendars/provider-facts.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { ADA, openBench } from '../providers/provider-bench.ts';

const DAY = 'start=2026-12-01&end=2026-12-02';
const at = (hour: number) => event(`2026-12-01T${String(hour).padStart(2, '0')}:00:00`);

describe('primary instead of an id', () => {
  let server: CalendarServer;
  let token: string;
  beforeEach(async () => {
    server = await openCalendarServer();
    const { provider, apple } = server;
    for (const [href, access] of [
      ['/z/', 'write'],
      ['/c/', 'write'],
      ['/a/', 'read'],
    ] as const)
      provider.addCalendar(calendar(href, { access }));
    provider.put('/c/', resource('main', at(9)));
    provider.put('/z/', resource('other', at(11)));
    provider.put('/a/', resource('read', at(13)));
    apple.addCalendar(calendar('/apple/'));
    apple.put('/apple/', resource('apple', at(15)));
    await link(server);
    token = await server.token();
  });
  afterEach(() => server.close());

  const filter = (calendarIds: unknown) => `calendarIds=${encodeURIComponent(JSON.stringify(calendarIds))}`;
  const listed = async (calendarIds: unknown, bearer = token): Promise<string[]> => {
    const answer = await get(server, `/events?${DAY}&${filter(calendarIds)}`, bearer);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json().events.map(({ id, calendarId }: Record<string, string>) => `${calendarId} ${id}`);
  };
  const post = async (method: 'POST' | 'PUT' | 'DELETE', url: string, payload: object) => {
    const answer = await server.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      payload,
    });
    return { status: answer.statusCode, body: answer.json() };
  };

  it('a listing of primary has the events of the main calendar, under its real id', async () => {
    assert.deepEqual(await listed({ caldav: ['primary'] }), ['/c/ main']);
    assert.deepEqual(await listed(['primary']), ['/c/ main']);
    assert.deepEqual(await listed({ caldav: ['primary', '/z/'] }), ['/c/ main', '/z/ other']);
    assert.deepEqual(await listed({ apple: ['primary'] }), []);
  });

  it('the main calendar where the server marks none is the first that can be written to, by its id', async () => {
    const all = (await get(server, '/calendars', token)).json();
    assert.deepEqual(
      all.filter((one: { primary: boolean }) => one.primary).map((one: { id: string }) => one.id),
      ['/c/'],
    );
    server.provider.addCalendar(calendar('/zz/', { primary: true }));
    server.clock.now += 61_000;
    await get(server, '/calendars', token);

    assert.deepEqual(await listed(['primary']), []);
    server.provider.put('/zz/', resource('marked', at(9)));
    server.clock.now += 61_000;
    assert.deepEqual(await listed(['primary']), ['/zz/ marked']);
  });

  it('an account whose calendars can all be read only, such as holidays, has no main calendar', async () => {
    server.apple.calendars.clear();
    for (const href of ['/r2/', '/r1/']) server.apple.addCalendar(calendar(href, { access: 'read' }));
    server.apple.put('/r1/', resource('first', at(9)));
    await link(server, { provider: 'apple', userId: 'ben', accountId: 'ben@icloud.example' });

    const bearer = await server.token('read', 'ben');
    assert.deepEqual(await listed(['primary'], bearer), []);
    const all = (await get(server, '/calendars', bearer)).json();
    assert.deepEqual(
      all.map(({ primary }: { primary: boolean }) => primary),
      [false, false],
    );
  });

  it('primary means the main calendar of each account', async () => {
    await link(server, { provider: 'apple', accountId: 'ada@icloud.example' });

    assert.deepEqual(await listed(['primary']), ['/c/ main', '/apple/ apple']);
  });

  it('a calendar whose very id is primary is the one that is meant', async () => {
    server.provider.addCalendar(calendar('primary'));
    server.provider.put('primary', resource('named', at(10)));

    assert.deepEqual(await listed(['primary']), ['primary named']);
    const one = await get(server, '/event?provider=caldav&calendarId=primary&eventId=named', token);
    assert.equal(one.statusCode, 200, one.body);
    const made = await post('POST', '/event', {
      provider: 'caldav',
      calendarId: 'primary',
      title: 'New',
      start: '2026-12-05T09:00:00Z',
      end: '2026-12-05T10:00:00Z',
    });
    assert.deepEqual([made.status, made.body.calendarId], [200, 'primary']);
  });

  it('a listing of primary follows the main calendar when it becomes another one, kept answers and pages too', async () => {
    const query = `/events?${DAY}&pageSize=1&${filter(['primary'])}`;
    server.provider.put('/c/', resource('second', at(12)));
    const first = (await get(server, query, token)).json();
    assert.deepEqual([first.events[0].id, typeof first.nextPageToken], ['main', 'string']);
    server.provider.addCalendar(calendar('/b/'));
    server.provider.put('/b/', resource('earlier', at(8)));
    server.clock.now += 61_000;

    assert.equal((await get(server, query, token)).json().events[0].id, 'earlier');
    const next = (await get(server, `/events?nextPageToken=${first.nextPageToken}`, token)).json();
    assert.deepEqual(
      next.events.map(({ id }: { id: string }) => id),
      ['second'],
    );
  });

  it('a search of primary looks in the main calendar alone', async () => {
    const found = (await get(server, `/events?${DAY}&q=meeting&${filter(['primary'])}`, token)).json();

    assert.deepEqual(
      found.events.map(({ id }: { id: string }) => id),
      ['main'],
    );
  });

  it('a main calendar is never deleted under its alias, and by its own id where the server lets it be', async () => {
    const alias = await post('DELETE', '/calendars', { provider: 'caldav', calendarId: 'primary' });
    assert.deepEqual([alias.status, alias.body.code], [422, 'calendar_not_deletable']);
    assert.ok(!server.provider.calls.some((call) => call.startsWith('drop')));

    assert.equal((await post('DELETE', '/calendars', { provider: 'caldav', calendarId: '/c/' })).status, 200);
  });
});

for (const kind of PROVIDER_KINDS) {
  it(`primary is the main calendar in everything that names one, at ${kind}`, async (t) => {
    const bench = await openBench(kind);
    t.after(() => bench.close());
    await bench.manual.addCalendar(ADA.email, { title: 'Zz', timeZone: 'Europe/Paris' });
    await bench.link({ scope: 'read-write' });
    const token = await bench.server.token();
    const calendars = (await get(bench.server, '/calendars', token)).json();
    const main = calendars.find((one: { primary: boolean }) => one.primary);
    assert.ok(main, 'one calendar is the main one');
    const clear = (await get(bench.server, `/free-busy?${DAY}&calendarIds=["primary"]`, token)).json();
    assert.deepEqual(clear.busy, []);
    const times = [
      { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Paris' },
      { dateTime: '2026-12-01T10:00:00', timeZone: 'Europe/Paris' },
    ] as const;
    await bench.manual.createEvent(ADA.email, main.id, { title: 'Mine', start: times[0], end: times[1] });
    bench.pass(61_000);
    const send = async (method: 'POST' | 'PUT', url: string, payload: object) => {
      const authorization = `Bearer ${token}`;
      const answer = await bench.server.app.inject({ method, url, headers: { authorization }, payload });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json();
    };
    const ids = { [kind]: ['primary'] };

    const listed = (
      await get(bench.server, `/events?${DAY}&calendarIds=${encodeURIComponent(JSON.stringify(ids))}`, token)
    ).json();
    assert.deepEqual(
      listed.events.map((one: Record<string, string>) => [one.title, one.calendarId]),
      [['Mine', main.id]],
    );
    const busy = [{ start: '2026-12-01T08:00:00.000Z', end: '2026-12-01T09:00:00.000Z' }];
    const one = await get(bench.server, `/free-busy?${DAY}&calendarIds=["primary"]`, token);
    assert.deepEqual(one.json().busy, busy);
    const day = { start: '2026-12-01T08:00:00Z', end: '2026-12-01T10:00:00Z', duration: 60 };
    const { slots } = await send('POST', '/availability', { ...day, calendarIds: ids });
    assert.deepEqual(
      slots.map(({ start }: { start: string }) => start),
      ['2026-12-01T09:00:00.000Z'],
    );
    const made = await send('POST', '/event', {
      provider: kind,
      calendarId: 'primary',
      title: 'New',
      start: '2026-12-02T09:00:00Z',
      end: '2026-12-02T10:00:00Z',
    });
    assert.equal(made.calendarId, main.id);
    const named = new URLSearchParams({ provider: kind, calendarId: 'primary', eventId: made.id });
    assert.equal((await get(bench.server, `/event?${named}`, token)).json().calendarId, main.id);
    const changed = await send('PUT', '/event', {
      provider: kind,
      calendarId: 'primary',
      eventId: made.id,
      title: 'Newer',
    });
    assert.deepEqual([changed.title, changed.calendarId], ['Newer', main.id]);
  });
}
