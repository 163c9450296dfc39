/** Syncs that many ask for at once: a user with slow servers holds up nobody else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const BOUNDS = { readBounds: { first: 300, later: 300 } };

/** Ada's calendars, of which every sync waits for `release`; Ben's answer at once. */
async function openWithSlowServer() {
  const server = await openCalendarServer(BOUNDS);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let begun = 0;
  for (let i = 0; i < 12; i += 1) server.provider.addCalendar(calendar(`/slow${i}/`));
  server.provider.beforePart = async () => {
    begun += 1;
    await released;
  };
  server.apple.addCalendar(calendar('/quick/'));
  server.apple.put('/quick/', resource('one', event('2026-11-16T09:00:00')));
  await link(server);
  await link(server, { userId: 'ben', provider: 'apple', accountId: 'ben@icloud.example' });
  return { server, release, begun: () => begun };
}

const events = async (server: CalendarServer, token: string) => {
  const query = 'start=2026-11-15T00:00:00Z&end=2026-11-20T00:00:00Z';
  return get(server, `/events?${query}`, token);
};

describe('syncs that reads ask for', () => {
  it('run four at once at one server of a user, however many reads there are, and others read on', async () => {
    const { server, release, begun } = await openWithSlowServer();
    const [ada, ben] = [await server.token('read', 'ada'), await server.token('read', 'ben')];

    const reads = [];
    for (let i = 0; i < 5; i += 1) {
      reads.push(events(server, ada));
      server.clock.now += 11_000;
    }
    const answer = await events(server, ben);
    await Promise.all(reads);
    const [account] = await server.deps.accounts.listAccounts('acme', 'ada');
    const calendars = await server.deps.mirror.listCalendars(account?.accountKey ?? '');
    for (const { calendarKey } of calendars)
      void server.deps.sync.syncCalendar(calendarKey, server.clock.now);
    await sleep(50);
    const begunWhileSlow = begun();
    release();
    await server.close();

    assert.equal(answer.statusCode, 200);
    assert.equal(answer.json().events.length, 1);
    assert.equal(begunWhileSlow, 4);
  });

  it('join the one that waits for its turn, and each calendar is read once', async () => {
    const { server, release } = await openWithSlowServer();
    const [account] = await server.deps.accounts.listAccounts('acme', 'ada');
    const { accountKey = '' } = account ?? {};
    await server.deps.sync.syncList(accountKey, server.clock.now);
    const calendars = await server.deps.mirror.listCalendars(accountKey);

    const syncs = [];
    for (let i = 0; i < 3; i += 1) {
      for (const { calendarKey } of calendars.slice(4))
        syncs.push(server.deps.sync.syncCalendar(calendarKey, server.clock.now));
      if (i === 0) await sleep(50);
      server.clock.now += 1;
    }
    release();
    const outcomes = await Promise.all(syncs);
    await server.close();

    const changes = server.provider.calls.filter((call) => call.startsWith('changes'));
    assert.deepEqual(new Set(outcomes), new Set([undefined]));
    // The four that had begun before the later calls are read again for those.
    assert.ok(changes.length <= 8 + 2 * 4, `${changes.length}`);
    assert.equal(new Set(changes.slice(-4)).size, 4);
  });
});
