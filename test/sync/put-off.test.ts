/** Syncs for which there was no thread: none of the account's faults. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { stoppedBySystem } from '../../src/calendars/stopped-error.ts';
import { type StopReason, WorkStopped } from '../../src/lib/work-pool/work-stopped.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

describe('a sync that the work pool stopped', () => {
  let server: CalendarServer;
  let accountKey: string;
  beforeEach(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar('/a/'));
    server.provider.put('/a/', resource('one', event('2026-11-17T09:00:00', { title: 'One' })));
    ({ accountKey } = await link(server));
    await get(server, '/events', await server.token());
    server.clock.now += 60_000;
  });
  afterEach(() => server.close());

  /** Syncs the calendar while the pool stops all work for this reason. */
  const syncStoppedBy = async (reason: StopReason) => {
    server.provider.beforePart = async () => {
      throw stoppedBySystem(new WorkStopped(reason));
    };
    const [{ calendarKey = '' } = {}] = await server.deps.mirror.listCalendars(accountKey);
    const failure = await server.deps.sync.syncCalendar(calendarKey, server.clock.now);
    server.provider.beforePart = async () => {};
    const account = await server.deps.accounts.findAccount(accountKey);
    const stored = await server.deps.mirror.findCalendar(calendarKey);
    return { calendarKey, failure, health: account?.health, stored };
  };
  const titles = async () => {
    const { events, errors } = (await get(server, '/events', await server.token())).json();
    return [events.map(({ title }: { title: string }) => title), errors];
  };

  it('is put off if no thread was free in time, without a word about the account', async () => {
    const { calendarKey, failure, health, stored } = await syncStoppedBy('busy');

    assert.equal(failure?.kind, 'busy');
    assert.equal(health?.state, 'active');
    assert.equal(stored?.failure, undefined);
    const sql = 'SELECT kind, run_at AS "runAt" FROM job WHERE key = :calendarKey';
    const job = await server.db.get<object>(sql, { calendarKey });
    assert.deepEqual({ ...job }, { kind: 'sync-calendar', runAt: server.clock.now + 1_000 });
    assert.deepEqual(await titles(), [['One'], undefined]);
  });

  it('is not set aside however often it is put off', async () => {
    for (let i = 0; i < 5; i += 1) assert.equal((await syncStoppedBy('busy')).failure?.kind, 'busy');
    assert.deepEqual(await titles(), [['One'], undefined]);
  });

  for (const reason of ['stalled', 'unstarted'] as const)
    it(`fails with internal_fault if threads are ${reason}, and the mirror stays as it is`, async () => {
      const { failure, health } = await syncStoppedBy(reason);

      assert.deepEqual([failure?.kind, failure?.reason], ['unavailable', 'internal_fault']);
      assert.deepEqual([health?.state, health?.reason], ['degraded', 'internal_fault']);
      assert.deepEqual((await titles())[0], ['One']);
    });
});
