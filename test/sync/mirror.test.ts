/** Guarantees of syncing: nothing is lost if tokens are forgotten or syncs fail, and one sync runs at a time. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ProviderError } from '../../src/calendars/provider-error.ts';
import { makeUsers, sealer } from '../contract/calendar-rows.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';

describe('a sync', () => {
  let server: CalendarServer;
  let token: string;
  beforeEach(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar('/a/'));
    server.provider.put('/a/', resource('one', event('2026-11-10T09:00:00', { title: 'One' })));
    token = await server.token();
  });
  afterEach(() => server.close());

  const read = () => get(server, '/events', token);
  const titles = async () => (await read()).json().events.map(({ title }: { title: string }) => title);
  const later = (ms: number) => {
    server.clock.now += ms;
  };
  const down = new ProviderError('unavailable', 'The server is down');
  const health = async () => (await server.deps.accounts.listAccounts('acme', 'ada'))[0]?.health;

  it('a sync recovers every deletion after the provider forgot the token', async () => {
    server.provider.put('/a/', resource('two', event('2026-11-11T09:00:00', { title: 'Two' })));
    await link(server);
    await read();
    server.provider.remove('/a/', '/one.ics');
    server.provider.put('/a/', resource('three', event('2026-11-12T09:00:00', { title: 'Three' })));
    server.provider.forgetTokens();

    later(11_000);

    assert.deepEqual(await titles(), ['Two', 'Three']);
    assert.equal((await health())?.state, 'active');
  });

  it('a sync loses no deletion when the full listing after a forgotten token fails halfway', async () => {
    const many = Array.from({ length: 120 }, (_, i) =>
      resource(`m${i}`, event('2026-11-11T09:00:00', { title: `M${i}` })),
    );
    server.provider.put('/a/', ...many);
    await link(server);
    await read();
    server.provider.remove('/a/', '/m5.ics');
    server.provider.forgetTokens();
    server.provider.beforePart = async (part) => {
      if (part === 2) throw down;
    };
    later(11_000);
    const failed = (await read()).json();

    server.provider.beforePart = async () => {};
    later(11_000);
    const mirrored = await titles();

    assert.equal(failed.errors[0].code, 'unavailable');
    assert.equal(mirrored.length, 120);
    assert.ok(!mirrored.includes('M5'));
  });

  it('one sync is shared among twenty reads at once', async () => {
    await link(server);
    server.provider.latency = 30;

    const answers = await Promise.all(Array.from({ length: 20 }, read));

    assert.ok(answers.every(({ statusCode }) => statusCode === 200));
    assert.deepEqual(server.provider.calls, ['list', 'changes /a/ all']);
  });

  it('a sync whose account is disconnected while it runs ends, and leaves nothing behind', async () => {
    await link(server);
    let started = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    let goOn = () => {};
    const release = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    server.provider.beforePart = async () => {
      started();
      await release;
    };
    const answer = read();
    await running;
    await server.deps.accounts.disconnect(
      { clientId: 'acme', userId: 'ada', provider: 'caldav', coverageId: undefined },
      server.clock.now,
    );
    goOn();

    assert.deepEqual((await answer).json().events, []);
    assert.deepEqual(await server.db.all('SELECT * FROM calendar'), []);
    assert.deepEqual(await server.db.all('SELECT * FROM event'), []);
  });
});

onEachDatabase((database, open) => {
  describe(`two instances on ${database}`, () => {
    it('two instances ask the provider once for twenty reads at the same time', async () => {
      const db = await open();
      await makeUsers(db);
      const one = await openCalendarServer({ db, sealer });
      one.provider.addCalendar(calendar('/a/'));
      one.provider.put('/a/', resource('one', event('2026-11-10T09:00:00')));
      one.provider.latency = 60;
      const two = await openCalendarServer({ db, sealer, caldav: one.provider.asProvider() });
      await link(one);
      const tokens = [await one.token(), await two.token()];

      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => get(i % 2 ? one : two, '/events', tokens[i % 2 ? 0 : 1] ?? '')),
      );

      assert.deepEqual(
        answers.map((answer) => answer.json().events?.length),
        Array(20).fill(1),
      );
      assert.deepEqual(one.provider.calls, ['list', 'changes /a/ all']);
      await one.close();
      await two.close();
    });

    it('two instances take over what another left when it died in the middle of a sync', async () => {
      const db = await open();
      await makeUsers(db);
      const server = await openCalendarServer({ db, sealer });
      server.provider.addCalendar(calendar('/a/'));
      server.provider.put('/a/', resource('one', event('2026-11-10T09:00:00')));
      const { accountKey } = await link(server);
      const { mirror } = server.deps;
      const dead = { key: accountKey, holder: 'dead' };
      await mirror.leaseList(dead, server.clock.now, server.clock.now + 90_000);
      const waiting = server.deps.sync.syncNewCalendars(accountKey, server.clock.now);

      server.clock.now += 90_000;

      assert.equal(await waiting, undefined);
      assert.equal((await mirror.listCalendars(accountKey)).length, 1);
      assert.equal(await mirror.replaceCalendars(dead, [], server.clock.now), false);
      await server.close();
    });
  });
});
