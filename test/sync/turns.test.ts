/** Syncs that many ask for at once: a user with slow servers holds up nobody else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { holdCalls } from '../harness/hold-calls.ts';
import { controlledReadWait } from '../harness/read-wait.ts';

/** Syncs of Ada's calendars wait at `slow`; Ben's server responds at once. */
async function openWithSlowServer() {
  const { readWait, end: endReads } = controlledReadWait();
  const server = await openCalendarServer({ readWait });
  const slow = holdCalls();
  for (let i = 0; i < 12; i += 1) server.provider.addCalendar(calendar(`/slow${i}/`));
  server.provider.beforePart = slow.pass;
  server.apple.addCalendar(calendar('/quick/'));
  server.apple.put('/quick/', resource('one', event('2026-11-16T09:00:00')));
  await link(server);
  await link(server, { userId: 'ben', provider: 'apple', accountId: 'ben@icloud.example' });
  return { server, slow, endReads };
}

const events = async (server: CalendarServer, token: string) => {
  const query = 'start=2026-11-15T00:00:00Z&end=2026-11-20T00:00:00Z';
  return get(server, `/events?${query}`, token);
};

async function calendarsOf(server: CalendarServer, userId: string): Promise<string[]> {
  const [account] = await server.deps.accounts.listAccounts('acme', userId);
  const calendars = await server.deps.mirror.listCalendars(account?.accountKey ?? '');
  return calendars.map(({ calendarKey }) => calendarKey);
}

describe('syncs that reads ask for', () => {
  it('run four at once at one server of a user, however many reads there are, and others read on', async () => {
    const { server, slow, endReads } = await openWithSlowServer();
    const [ada, ben] = [await server.token('read', 'ada'), await server.token('read', 'ben')];

    const reads = [];
    for (let i = 0; i < 5; i += 1) {
      reads.push(events(server, ada));
      server.clock.now += 11_000;
    }
    await slow.until(4);
    const answer = await events(server, ben);
    endReads();
    await Promise.all(reads);
    for (const calendarKey of await calendarsOf(server, 'ada'))
      void server.deps.sync.syncCalendar(calendarKey, server.clock.now);
    // Begun after them, a sync of Ben's comes to its end: a fifth one of Ada's would have begun by then.
    server.clock.now += 1;
    for (const calendarKey of await calendarsOf(server, 'ben'))
      await server.deps.sync.syncCalendar(calendarKey, server.clock.now);
    const begunWhileSlow = slow.arrived();
    slow.open();
    await server.close();

    assert.equal(answer.statusCode, 200);
    assert.equal(answer.json().events.length, 1);
    assert.equal(begunWhileSlow, 4);
  });

  it('join the one that waits for its turn, and each calendar is read once', async () => {
    const { server, slow } = await openWithSlowServer();
    const [account] = await server.deps.accounts.listAccounts('acme', 'ada');
    const { accountKey = '' } = account ?? {};
    await server.deps.sync.syncList(accountKey, server.clock.now);
    const calendars = await calendarsOf(server, 'ada');

    const syncs = [];
    for (let i = 0; i < 3; i += 1) {
      for (const calendarKey of calendars.slice(4))
        syncs.push(server.deps.sync.syncCalendar(calendarKey, server.clock.now));
      await slow.until(4);
      server.clock.now += 1;
    }
    slow.open();
    const outcomes = await Promise.all(syncs);
    await server.close();

    const changes = server.provider.calls.filter((call) => call.startsWith('changes'));
    assert.deepEqual(new Set(outcomes), new Set([undefined]));
    // The four that had begun before the later calls are read again for those.
    assert.ok(changes.length <= 8 + 2 * 4, `${changes.length}`);
    assert.equal(new Set(changes.slice(-4)).size, 4);
  });
});
