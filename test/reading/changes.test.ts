/** GET /events/changes: one cursor over all calendars of a user, without a gap. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const zone = 'Europe/Paris';
const weekly = { rrules: ['FREQ=WEEKLY;COUNT=9'], rdates: [], exdates: [] };
const originally = (local: string) => ({ recurrenceId: { type: 'zoned', local, zone } }) as const;
type Change = { changeType: string; event: Record<string, unknown> };
type Answer = { changes: Change[]; cursor: string; more: boolean; code?: string; errors?: unknown[] };

describe('GET /events/changes', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    const { provider } = server;
    provider.addCalendar(calendar('/work/'));
    provider.addCalendar(calendar('/home/'));
    provider.put(
      '/work/',
      resource('x', event('2026-11-10T09:00:00')),
      resource('y', event('2026-11-10T09:00:00')),
    );
    provider.put(
      '/home/',
      resource(
        'weekly',
        event('2026-10-05T09:00:00', { recurrence: weekly }),
        event('2026-10-12T11:00:00', { title: 'Later', ...originally('2026-10-12T09:00:00') }),
        event('2026-10-19T09:00:00', { status: 'cancelled', ...originally('2026-10-19T09:00:00') }),
      ),
    );
    await link(server);
    token = await server.token('read');
  });
  after(() => server.close());

  const ask = async (query: string, bearer = token) => {
    const answer = await get(server, `/events/changes?${query}`, bearer);
    return { status: answer.statusCode, ...answer.json<Answer>() };
  };
  const follow = async (cursor: string, pageSize = 250) => {
    const changes: Change[] = [];
    for (let next = cursor; ; ) {
      const page = await ask(`cursor=${next}&pageSize=${pageSize}`);
      assert.equal(page.status, 200, JSON.stringify(page));
      changes.push(...page.changes);
      if (!page.more) return { changes, cursor: page.cursor };
      next = page.cursor;
    }
  };
  const linesOf = (changes: readonly Change[]) =>
    changes.map(({ changeType, event: { id } }) => `${id} ${changeType}`).sort();
  const minuteLater = () => {
    server.clock.now += 61_000;
  };

  it('GET /events/changes tells the whole state in pages of any size, then what changed since', async () => {
    for (const pageSize of [1, 2, 250]) {
      const first = await ask(`initial=true&pageSize=${pageSize}`);
      const rest = await follow(first.cursor, pageSize);

      assert.deepEqual(linesOf([...first.changes, ...rest.changes]), [
        'weekly created',
        'x created',
        'y created',
      ]);
      assert.deepEqual((await follow(rest.cursor)).changes, []);
    }
  });

  it('a change has each event as GET /event does, and with a series its exceptions', async () => {
    const { changes } = await ask('initial=true');
    const of = (id: string) => changes.find(({ event: changed }) => changed.id === id)?.event ?? {};
    const one = async (id: string, calendarId: string) =>
      (await get(server, `/event?provider=caldav&calendarId=${calendarId}&eventId=${id}`, token)).json();

    assert.deepEqual(of('x'), await one('x', '/work/'));
    const { overrides, cancelledInstances, ...master } = of('weekly');
    assert.deepEqual(master, await one('weekly', '/home/'));
    assert.deepEqual(master.recurrence, { frequency: 'WEEKLY', interval: 1, count: 9 });
    assert.deepEqual(overrides, [await one('weekly_20261012T070000Z', '/home/')]);
    assert.deepEqual(cancelledInstances, ['weekly_20261019T070000Z']);
  });

  it('GET /events/changes tells what the provider changed, and stays at its place until then', async () => {
    const { cursor } = await ask('');
    minuteLater();
    const same = await follow(cursor);
    server.provider.put(
      '/work/',
      resource('x', event('2026-11-11T09:00:00')),
      resource('z', event('2026-11-10T09:00:00')),
    );
    server.provider.remove('/work/', '/y.ics');
    minuteLater();

    const { changes } = await follow(same.cursor, 1);

    assert.deepEqual(same.changes, []);
    assert.deepEqual(linesOf(changes), ['x updated', 'y deleted', 'z created']);
    const gone = changes.find(({ changeType }) => changeType === 'deleted');
    assert.deepEqual(gone?.event, {
      provider: 'caldav',
      account: 'https://dav.example/ada/',
      calendarId: '/work/',
      id: 'y',
    });
    // The older cursor returns the same changes.
    assert.deepEqual(linesOf((await follow(cursor)).changes), linesOf(changes));
  });

  it('GET /events/changes misses nothing when the provider forgot its token and all is listed again', async () => {
    const { cursor } = await ask('');
    server.provider.remove('/work/', '/z.ics');
    server.provider.forgetTokens();
    server.provider.put('/work/', resource('n', event('2026-11-12T09:00:00')));
    minuteLater();

    assert.deepEqual(linesOf((await follow(cursor)).changes), ['n created', 'z deleted']);
  });

  it('GET /events/changes reports events as deleted after a disconnect, and as created after a reconnect', async () => {
    const { cursor } = await ask('');
    await server.app.inject({
      method: 'POST',
      url: '/disconnect?provider=caldav',
      headers: { authorization: `Bearer ${token}` },
    });
    const rest = await follow(cursor);
    await link(server);
    const { changes } = await follow(rest.cursor);

    assert.deepEqual(linesOf(rest.changes), ['n deleted', 'weekly deleted', 'x deleted']);
    assert.deepEqual(linesOf(changes), ['n created', 'weekly created', 'x created']);
  });

  it('a cursor answers 410 with what to do once the changes behind it are forgotten', async () => {
    const { cursor } = await ask('');
    server.provider.put('/work/', resource('x', event('2026-11-13T09:00:00')));
    minuteLater();
    const now = await follow(cursor);
    await server.deps.changes.stateOf(
      { clientId: 'acme', userId: 'ada' },
      server.clock.now + 40 * 86_400_000,
    );
    await server.deps.changes.forgetChanges(server.clock.now + 86_400_000);

    const late = await ask(`cursor=${cursor}`);

    assert.deepEqual([late.status, late.code], [410, 'cursor_expired']);
    assert.equal((await ask(`cursor=${now.cursor}`)).status, 200);
    await server.deps.changes.forgetChanges(server.clock.now + 90 * 86_400_000);
    assert.equal((await ask(`cursor=${now.cursor}`)).status, 410);
    assert.equal((await follow((await ask('initial=true')).cursor)).changes.length, 0);
  });

  it('a cursor answers 410 while the database has lost the changes up to it', async () => {
    const { cursor } = await ask('');
    await server.db.write('UPDATE application_user SET feed_seq = feed_seq - 1');

    assert.equal((await ask(`cursor=${cursor}`)).code, 'cursor_expired');
    await server.db.write('UPDATE application_user SET feed_seq = feed_seq + 1');
    assert.equal((await ask(`cursor=${cursor}`)).status, 200);
  });

  it('a cursor is taken from its own user and application alone', async () => {
    const { cursor } = await ask('');
    const page = (await get(server, '/events?pageSize=1', token)).json().nextPageToken;

    for (const [query, bearer] of [
      [`cursor=${cursor}`, await server.token('read', 'ben')],
      [`cursor=${cursor}`, await server.token('read', 'ada', 'other')],
      [`cursor=${cursor}x`, token],
      ['cursor=nonsense', token],
      [`cursor=${page}`, token],
    ] as const) {
      const answer = await ask(query, bearer);
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_cursor']);
    }
    assert.equal((await ask('initial=perhaps')).status, 400);
    assert.equal((await ask('pageSize=many')).status, 400);
  });

  it('GET /events/changes is forbidden for scope free-busy, and needs a token', async () => {
    const busy = await ask('', await server.token('free-busy'));

    assert.deepEqual([busy.status, busy.code], [403, 'insufficient_scope']);
    assert.equal((await ask('', 'none')).status, 401);
  });

  it('GET /events/changes tells other users nothing', async () => {
    const ben = await ask('initial=true', await server.token('read', 'ben'));

    assert.deepEqual(ben.changes, []);
  });
});
