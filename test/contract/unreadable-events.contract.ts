/**
 * Contract tests for events that a MirrorStore cannot read. Each database's test calls them with its own empty
 * database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { LeftOutResource } from '../../src/calendars/event.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW } from './calendar-rows.ts';
import { calendar, changes, event, LATER, leased, mirrorWith, resource } from './mirror-rows.ts';

const meeting = (name: string) => resource(name, event('2026-11-02T09:00:00'));
const unreadable = (href: string, change: Partial<LeftOutResource> = {}): LeftOutResource => ({
  ...{ kind: 'unreadable', href, etag: '"1"', reason: 'it has no readable start' },
  ...change,
});

export function unreadableEventsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const made = await mirrorWith(await open(), calendar('/a/'));
    const { mirror, calendarKey } = made;
    /** Syncs and returns the calendar's unreadable events. */
    const sync = async (...given: Parameters<typeof changes>) => {
      const lease = await leased(mirror, calendarKey);
      await mirror.applyChanges(lease, changes(...given), LATER);
      await mirror.finishSync(lease, 'token', NOW);
      return (await mirror.findCalendar(calendarKey))?.unreadable;
    };
    return { ...made, sync };
  };

  describe(`UnreadableEvents on ${database}`, () => {
    it('a calendar names the first ten events that cannot be read, and how many there are', async () => {
      const { sync } = await prepare();
      const names = Array.from({ length: 12 }, (_, index) => `e%20${String(index).padStart(2, '0')}`);

      const left = await sync({ leftOut: names.map((name) => unreadable(`/a/${name}`)) });

      assert.equal(left?.count, 12);
      assert.deepEqual(
        left?.eventIds,
        names.slice(0, 10).map((name) => decodeURIComponent(name)),
      );
      assert.equal(
        left?.message,
        'The event “e 00” and 11 others of the calendar “Calendar /a/” are missing or incomplete: of “e 00”, it has no readable start',
      );
    });

    it('an event that cannot be read in part is there, and is counted once', async () => {
      const { sync, db } = await prepare();
      const reason = 'the changed occurrence of 2027-01-13 cannot be read';

      const left = await sync({ changed: [{ ...meeting('x'), eventId: 'x.ics', unreadable: reason }] });

      assert.deepEqual([left?.count, left?.eventIds], [1, ['x.ics']]);
      assert.match(left?.message ?? '', /is missing or incomplete: the changed occurrence of 2027-01-13/);
      const row = await db.get<{ shape: string }>('SELECT shape FROM event WHERE unreadable IS NOT NULL');
      assert.equal(row?.shape, 'short');
    });

    it('an event of a feed is named by its UID, whether or not the mirror has the event', async () => {
      const { sync } = await prepare();
      const inPart = { ...meeting('b'), href: 'digest', eventId: 'digest', unreadable: 'it cannot be read' };

      const left = await sync({ changed: [inPart], leftOut: [unreadable('a', { eventId: 'uid-a' })] });

      assert.deepEqual(left?.eventIds, ['uid-a', 'uid']);
    });

    it('nothing is named any more once the event is repaired or deleted', async () => {
      const { sync } = await prepare();
      await sync({ leftOut: [unreadable('/x.ics'), unreadable('/y.ics')] });

      assert.equal((await sync({ changed: [meeting('x')] }))?.count, 1);
      assert.equal(await sync({ removed: ['/y.ics'] }), undefined);
    });

    it('an unreadable exception goes with its series', async () => {
      const { sync } = await prepare();
      await sync({
        changed: [{ ...meeting('s'), href: 's', eventId: 's' }],
        leftOut: [unreadable('s_1', { seriesId: 's' })],
      });

      assert.equal(await sync({ removed: ['s'] }), undefined);
    });

    it('a UID of any length is no obstacle', async () => {
      const { sync } = await prepare();

      const left = await sync({ leftOut: [unreadable('a', { eventId: 'u'.repeat(100_000) })] });

      assert.ok((left?.eventIds?.[0]?.length ?? 0) <= 501);
    });

    it('an account is not well while an event of its calendars cannot be read', async () => {
      const { accounts, accountKey, sync } = await prepare();
      const account = await accounts.findAccount(accountKey);
      assert.ok(account);
      const health = async () => {
        await accounts.recover(accountKey, NOW);
        return (await accounts.findAccount(accountKey))?.health.state;
      };
      await sync({ leftOut: [unreadable('/x.ics')] });
      const problem = { state: 'degraded', reason: 'event_unreadable', message: 'Unreadable' } as const;
      await accounts.setHealth(account, problem, NOW);

      assert.equal(await health(), 'degraded');
      await sync({ removed: ['/x.ics'] });
      assert.equal(await health(), 'active');
    });
  });
}
