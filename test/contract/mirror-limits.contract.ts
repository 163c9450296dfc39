/**
 * Contract tests for the limits of a MirrorStore: counted sizes, quotas, events that are left out, and unfinished
 * syncs. Each database's test calls them with its own empty, migrated database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import type { StorageQuotas } from '../../src/calendars/too-large-error.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NO_QUOTAS } from '../../src/store/mirror/mirror-quotas.ts';
import { mirrorStore } from '../../src/store/mirror/mirror-store.ts';
import { NOW, newAccount, tenTimes } from './calendar-rows.ts';
import {
  calendar,
  changes,
  changesTo,
  event,
  LATER,
  leased,
  listed,
  mirrorWith,
  removalOf,
  resource,
} from './mirror-rows.ts';

const DAY = 24 * 3_600_000;
const meeting = (name: string, change: Partial<CalendarEvent> = {}) =>
  resource(name, event('2026-11-02T09:00:00', change));

export function mirrorLimitsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async (quotas: Partial<StorageQuotas> = {}) => {
    const made = await mirrorWith(await open(), calendar('/a/'), calendar('/b/'));
    const mirror = mirrorStore(made.db, { ...NO_QUOTAS, ...quotas });
    const counted = async (key = made.calendarKey) =>
      made.db.get<{ events: number; bytes: number }>(
        'SELECT event_count AS "events", bytes FROM calendar WHERE calendar_key = :key',
        { key },
      );
    const recounted = async (key = made.calendarKey) =>
      made.db.get<{ events: number; bytes: number }>(
        `SELECT COUNT(DISTINCT href) AS "events", CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS "bytes"
           FROM event WHERE calendar_key = :key`,
        { key },
      );
    return { ...made, mirror, counted, recounted };
  };

  type Prepared = Awaited<ReturnType<typeof prepare>>;

  describe(`MirrorLimits on ${database}`, () => {
    it('the size of a calendar after every write equals a new count', async () => {
      const { mirror, calendarKey, counted, recounted } = await prepare();
      const lease = await leased(mirror, calendarKey);
      const recurrenceId = { type: 'zoned', local: '2026-11-03T09:00:00', zone: 'Europe/Paris' } as const;
      const apart = { ...meeting('o', { recurrenceId }), href: 'o', seriesId: 's' };
      const steps = [
        changesTo(meeting('x'), meeting('y', { description: 'é'.repeat(500) }), resource('empty')),
        changesTo({ ...meeting('s'), href: 's' }, apart),
        changesTo(meeting('x', { title: 'Much longer than it was before' })),
        changes({ leftOut: [{ kind: 'too_complex', href: '/y.ics', etag: '1', reason: 'it is too large' }] }),
        removalOf('s', '/unknown.ics'),
      ];

      const counts = [];
      for (const step of steps) {
        assert.equal(await mirror.applyChanges(lease, step, LATER), true);
        assert.deepEqual(await counted(), await recounted());
        counts.push((await counted())?.events);
      }
      await mirror.dropUnlisted(lease, ['/x.ics', '/y.ics', '/empty.ics'], LATER);

      assert.deepEqual(counts, [3, 5, 5, 5, 3]);
      assert.deepEqual({ ...(await counted()) }, { events: 0, bytes: 0 });
    });

    it('racing writers of one calendar count nothing twice and nothing not at all', async () => {
      const { mirror, calendarKey, counted, recounted } = await prepare();
      const lease = await leased(mirror, calendarKey);

      await tenTimes((i) =>
        mirror.applyChanges(
          lease,
          i % 3 === 0 ? removalOf('/shared.ics') : changesTo(meeting(`e${i}`), meeting('shared')),
          LATER,
        ),
      );

      assert.deepEqual(await counted(), await recounted());
      assert.ok(((await counted())?.events ?? 0) >= 6);
    });

    it('no more events of a calendar are kept than its quota', async () => {
      const { mirror, calendarKey, counted } = await prepare({ eventsPerCalendar: 2 });
      const lease = await leased(mirror, calendarKey);
      await mirror.applyChanges(lease, changesTo(meeting('x'), meeting('y')), LATER);

      await assert.rejects(mirror.applyChanges(lease, changesTo(meeting('z')), LATER), {
        kind: 'too_large',
        reason: 'calendar_too_large',
        retryAfter: DAY,
        message:
          'The calendar “Calendar /a/” has more than 2 events, the limit of one calendar. Delete events that are no longer needed, or deselect the calendar',
      });
      assert.equal((await counted())?.events, 2);

      assert.equal(
        await mirror.applyChanges(lease, changesTo(meeting('y', { title: 'Changed' })), LATER),
        true,
      );
      const moved = changes({ changed: [meeting('z')], removed: ['/x.ics'] });
      assert.equal(await mirror.applyChanges(lease, moved, LATER), true);
    });

    it('no more bytes of a calendar are kept than its quota, and taking away is always possible', async () => {
      const { mirror, calendarKey, counted } = await prepare({ bytesPerCalendar: 20_000 });
      const lease = await leased(mirror, calendarKey);
      const large = (name: string, length: number) => meeting(name, { description: 'x'.repeat(length) });
      await mirror.applyChanges(lease, changesTo(large('x', 4_000), large('y', 4_000)), LATER);

      const refused = mirror.applyChanges(lease, changesTo(large('z', 9_000)), LATER);

      await assert.rejects(refused, { kind: 'too_large' });
      assert.equal((await counted())?.events, 2);
      assert.equal(await mirror.applyChanges(lease, removalOf('/x.ics'), LATER), true);
      assert.equal(await mirror.applyChanges(lease, changesTo(large('z', 4_000)), LATER), true);
    });

    it('no more bytes of a user are kept than the quota, whichever account they are in', async () => {
      const { db, accounts, mirror, calendarKey } = await prepare({ bytesPerUser: 20_000 });
      const other = newAccount({ accountId: 'https://dav.example/other/' });
      const { accountKey } = await accounts.linkAccount(other, NOW);
      const [there = ''] = await listed({ mirror }, accountKey, [calendar('/there/')]);
      const large = meeting('x', { description: 'x'.repeat(5_000) });
      await mirror.applyChanges(await leased(mirror, calendarKey), changesTo(large), LATER);

      const refused = mirror.applyChanges(await leased(mirror, there), changesTo(large), LATER);

      await assert.rejects(refused, { kind: 'too_large', message: /events in all calendars/ });
      const unlimited = mirrorStore(db, NO_QUOTAS);
      assert.equal(
        await unlimited.applyChanges({ key: there, holder: 'run' }, changesTo(large), LATER),
        true,
      );
    });

    it('a calendar that was too large is read again once something was taken out of it', async () => {
      const { mirror, calendarKey } = await prepare();
      const lease = await leased(mirror, calendarKey);
      await mirror.applyChanges(lease, changesTo(meeting('x')), LATER);
      await mirror.failSync(lease, { kind: 'too_large', message: 'Full', retryAt: NOW + DAY }, NOW);
      const full = await mirror.findCalendar(calendarKey);

      const write = await leased(mirror, calendarKey, 'write');
      await mirror.applyChanges(write, changesTo(meeting('x', { title: 'Longer than it was' })), LATER);
      const grown = await mirror.findCalendar(calendarKey);
      await mirror.applyChanges(write, removalOf('/x.ics'), LATER);

      assert.equal(full?.syncedAt, 0);
      assert.equal(grown?.failure?.kind, 'too_large');
      assert.equal((await mirror.findCalendar(calendarKey))?.failure, undefined);
    });

    it('a resource that is left out is known by its etag and has no event', async () => {
      const { db, mirror, calendarKey } = await prepare();
      const lease = await leased(mirror, calendarKey);
      await mirror.applyChanges(lease, changesTo(meeting('x')), LATER);

      const leftOut = [
        { kind: 'too_complex', href: '/x.ics', etag: '"2"', reason: 'it has more than 20 recurrence rules' },
      ] as const;
      await mirror.applyChanges(lease, changes({ leftOut }), LATER);

      assert.deepEqual(await mirror.storedVersions(calendarKey), new Map([['/x.ics', '"2"']]));
      const rows = await db.all('SELECT shape, too_complex AS "why" FROM event');
      assert.deepEqual(
        rows.map((row) => ({ ...(row as object) })),
        [{ shape: 'hidden', why: 'it has more than 20 recurrence rules' }],
      );
    });

    it('a calendar says what its last sync left out, until nothing is', async () => {
      const { mirror, calendarKey } = await prepare();
      const out = (name: string) =>
        ({
          kind: 'too_complex',
          href: `/c/${name}.ics`,
          etag: '1',
          reason: 'it has more than 5 MB',
        }) as const;
      const sync = async (change: Parameters<typeof changes>[0]) => {
        const lease = await leased(mirror, calendarKey);
        await mirror.applyChanges(lease, changes(change), LATER);
        await mirror.finishSync(lease, 'token', NOW);
        return (await mirror.findCalendar(calendarKey))?.tooComplex;
      };

      assert.deepEqual(await sync({ leftOut: [out('a%20b')] }), {
        count: 1,
        name: 'a b.ics',
        message: 'The event “a b.ics” of the calendar “Calendar /a/” is left out: it has more than 5 MB',
        eventIds: ['a b.ics'],
      });
      assert.equal((await sync({ leftOut: [out('b'), out('c')] }))?.count, 3);
      assert.equal(
        await sync({ changed: [meeting('x')], removed: ['/c/a%20b.ics', '/c/b.ics', '/c/c.ics'] }),
        undefined,
      );
    });

    it('an account is not well while any of its calendars has something left out', async () => {
      const { accounts, accountKey, mirror, calendarKey } = await prepare();
      const account = await accounts.findAccount(accountKey);
      assert.ok(account);
      const lease = await leased(mirror, calendarKey);
      await mirror.applyChanges(
        lease,
        changes({ leftOut: [{ kind: 'too_complex', href: '/x', etag: '1', reason: 'it is' }] }),
        LATER,
      );
      await mirror.finishSync(lease, 'token', NOW);
      await accounts.setHealth(
        account,
        { state: 'degraded', reason: 'event_too_complex', message: 'Left out' },
        NOW,
      );

      await accounts.recover(accountKey, NOW);
      const still = (await accounts.findAccount(accountKey))?.health.state;
      const again = await leased(mirror, calendarKey);
      await mirror.applyChanges(again, removalOf('/x'), LATER);
      await mirror.finishSync(again, 'token', NOW);
      await accounts.recover(accountKey, NOW);

      assert.equal(still, 'degraded');
      assert.equal((await accounts.findAccount(accountKey))?.health.state, 'active');
    });

    it('syncs that do not come to their end are counted in a row, and writes are not', async () => {
      const { mirror, calendarKey } = await prepare();
      let now = NOW;
      const begin = async () => {
        now += 10_000;
        const lease = { key: calendarKey, holder: `run ${now}` };
        const begun = await mirror.leaseForSync(lease, now, now + 5_000);
        return { lease, unfinished: begun?.unfinished };
      };
      assert.deepEqual([(await begin()).unfinished, (await begin()).unfinished], [1, 2]);
      now += 10_000;
      const write = { key: calendarKey, holder: 'write' };
      await mirror.leaseCalendar(write, now, now + 5_000);
      await mirror.releaseCalendar(write);
      const third = await begin();
      await mirror.noteFailure(third.lease, { kind: 'set_aside', message: 'Aside' }, now);
      await mirror.releaseCalendar(third.lease);
      assert.equal((await mirror.findCalendar(calendarKey))?.failure?.kind, 'set_aside');
      const fourth = await begin();

      assert.deepEqual([third.unfinished, fourth.unfinished], [3, 4]);
      const ends = {
        finished: (lease: typeof write) => mirror.finishSync(lease, undefined, now),
        failed: (lease: typeof write) => mirror.failSync(lease, { kind: 'unavailable', message: '' }, now),
        paused: (lease: typeof write) => mirror.pauseSync(lease),
      };
      for (const [how, end] of Object.entries(ends)) {
        await end((await begin()).lease);
        assert.equal((await begin()).unfinished, 1, how);
      }
    });

    it('syncs of a list that do not come to their end are counted in a row', async () => {
      const { mirror, accountKey } = await prepare();
      const lease = (holder: string) => ({ key: accountKey, holder });
      const first = await mirror.leaseList(lease('1'), NOW, NOW + 1);
      const second = await mirror.leaseList(lease('2'), NOW + 1, NOW + 2);
      const aside = { kind: 'set_aside', message: 'Aside' } as const;
      await mirror.noteListFailure(lease('2'), aside, { now: NOW, goesOn: true });
      const held = await mirror.leaseList(lease('3'), NOW + 1, LATER);
      await mirror.noteListFailure(lease('2'), aside, { now: NOW, goesOn: false });
      const third = await mirror.leaseList(lease('3'), NOW + 1, LATER);
      await mirror.failList(lease('3'), aside, NOW);
      const afterFailure = await mirror.leaseList(lease('4'), NOW, NOW);
      await listed({ mirror }, accountKey, [calendar('/a/')]);

      assert.deepEqual([first, second, held, third, afterFailure], [1, 2, undefined, 3, 1]);
      assert.equal(await mirror.leaseList(lease('5'), NOW, LATER), 1);
    });

    it('a sync of a process that was told to stop is not counted, for who has its lease', async () => {
      const { mirror, accountKey, calendarKey } = await prepare();
      const begin = async (holder: string, at: number) => {
        const begun = await mirror.leaseForSync({ key: calendarKey, holder }, at, at + 1);
        return [begun?.unfinished, await mirror.leaseList({ key: accountKey, holder }, at, at + 1)];
      };
      const excuse = async (holder: string) => {
        await mirror.excuseSync({ key: calendarKey, holder });
        await mirror.excuseList({ key: accountKey, holder });
      };
      await begin('1', NOW);
      await begin('2', NOW + 1);

      await excuse('2');
      await excuse('1');

      assert.deepEqual(await begin('3', NOW + 2), [2, 2]);
    });

    it('who renders for a zone that the calendar no longer has loses the lease', async () => {
      const { mirror, accountKey, calendarKey } = await prepare();
      const lease = await leased(mirror, calendarKey);

      await listed({ mirror }, accountKey, [calendar('/a/', { timeZone: 'Asia/Tokyo' })]);

      assert.equal(await mirror.applyChanges(lease, changesTo(meeting('x')), LATER), false);
      assert.ok(await mirror.leaseCalendar({ key: calendarKey, holder: 'next' }, NOW, LATER));
    });

    it('a large calendar is deleted in parts, and each of its events is reported as deleted', async () => {
      const ways = {
        unlisted: ({ mirror, accountKey }: Prepared) => listed({ mirror }, accountKey, [calendar('/b/')]),
        disconnected: ({ accounts, grant }: Prepared) =>
          accounts.disconnect({ ...grant, provider: 'caldav' }, NOW),
        unchosen: ({ calendarChoices, accountKey }: Prepared) =>
          calendarChoices.chooseCalendars(accountKey, { chosen: [], onlyThese: true }, NOW),
      };
      for (const [how, remove] of Object.entries(ways)) {
        const made = await prepare();
        const { db, mirror, calendarKey } = made;
        await made.changes.follow({ clientId: 'acme', userId: 'ada' }, NOW);
        const lease = await leased(mirror, calendarKey);
        const names = Array.from({ length: 501 }, (_, i) => meeting(`e${i}`));
        await mirror.applyChanges(lease, changesTo(...names), LATER);

        await remove(made);

        assert.equal(await mirror.applyChanges(lease, changesTo(meeting('late')), LATER), false, how);
        assert.deepEqual(await db.all('SELECT href FROM event'), [], how);
        const told = await db.all<{ seq: number }>('SELECT seq FROM event_change WHERE deleted = 1');
        assert.equal(told.length, 501, how);
        assert.equal(new Set(told.map(({ seq }) => seq)).size, 3, how);
      }
    });

    it('a large calendar is listed in full once its zone changed', async () => {
      const { mirror, accountKey, calendarKey } = await prepare();
      const lease = await leased(mirror, calendarKey);
      const names = Array.from({ length: 501 }, (_, i) => resource(`e${i}`));
      await mirror.applyChanges(lease, changesTo(...names), LATER);

      await listed({ mirror }, accountKey, [calendar('/a/', { timeZone: 'Asia/Tokyo' })]);

      const versions = await mirror.storedVersions(calendarKey);
      assert.equal(versions.size, 501);
      assert.deepEqual(new Set(versions.values()), new Set([undefined]));
    });

    it('the versions of any number of resources are known', async () => {
      const { mirror, calendarKey } = await prepare();
      const lease = await leased(mirror, calendarKey);
      const names = Array.from({ length: 2_001 }, (_, i) => `e${i}`);
      await mirror.applyChanges(lease, changesTo(...names.map((name) => resource(name))), LATER);

      const versions = await mirror.storedVersions(calendarKey);

      assert.equal(versions.size, 2_001);
      assert.equal(versions.get('/e1999.ics'), '"e1999"');
    });
  });
}
