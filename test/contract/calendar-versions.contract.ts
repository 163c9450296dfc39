/**
 * Contract tests for calendar versions in a MirrorStore: a calendar counts as synced only if it certainly did not
 * change. Each database's test calls them with its own database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderCalendar } from '../../src/calendars/calendar.ts';
import type { SyncFailure } from '../../src/calendars/sync-failure.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW } from './calendar-rows.ts';
import { calendar, changes, event, mirrorWith, resource } from './mirror-rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SETTLED = 2_000;
const EVENT = resource('one', event('2026-11-02T09:00:00'));
const DOWN: SyncFailure = { kind: 'unavailable', message: 'Down' };

export function calendarVersionsContract(database: string, open: () => Promise<Database>): void {
  describe(`Versions of calendars on ${database}`, () => {
    const at = (tag: string, readAt: number, change: Partial<ProviderCalendar> = {}) =>
      calendar('/a/', { version: { tag, readAt }, ...change });
    const prepare = async () => {
      const made = await mirrorWith(await open(), calendar('/a/'));
      const { mirror, accountKey, calendarKey } = made;
      const lease = (key: string) => ({ key, holder: `run of ${key}` });
      return {
        ...made,
        lease: lease(calendarKey),
        /** Lists the calendars as requested at `now`. */
        async list(now: number, ...calendars: ProviderCalendar[]) {
          await mirror.leaseList(lease(accountKey), now, now + MINUTE);
          assert.ok(await mirror.replaceCalendars(lease(accountKey), calendars, now));
        },
        begin: (now: number) => mirror.leaseForSync(lease(calendarKey), now, now + MINUTE),
        async sync(now: number) {
          assert.ok(await mirror.leaseForSync(lease(calendarKey), now, now + MINUTE));
          assert.ok(await mirror.finishSync(lease(calendarKey), 'token', now));
        },
        syncedAt: async () => (await mirror.findCalendar(calendarKey))?.syncedAt,
      };
    };
    /** Syncs a listed calendar after its version has settled: the next list with that version counts as a sync. */
    const settled = async () => {
      const made = await prepare();
      await made.list(NOW, at('v1', NOW));
      await made.sync(NOW + SETTLED);
      return made;
    };

    it('a calendar that is listed as it was when its last sync began counts as synced when the list was asked for', async () => {
      const { list, syncedAt } = await settled();

      await list(NOW + MINUTE, at('v1', NOW + MINUTE + 5));

      assert.equal(await syncedAt(), NOW + MINUTE);
    });

    it('a calendar that is listed otherwise, or without a version, does not', async () => {
      const { list, syncedAt } = await settled();

      await list(NOW + MINUTE, at('v2', NOW + MINUTE));
      const changed = await syncedAt();
      await list(NOW + MINUTE, calendar('/a/'));

      assert.deepEqual([changed, await syncedAt()], [NOW + SETTLED, NOW + SETTLED]);
    });

    it('a calendar that was listed otherwise by the time its sync ended is synced again', async () => {
      const { mirror, list, lease, begin, syncedAt } = await settled();
      await list(NOW + MINUTE, at('v2', NOW + MINUTE));
      await begin(NOW + MINUTE + SETTLED);
      await list(NOW + MINUTE + SETTLED + 1, at('v3', NOW + MINUTE + SETTLED + 2));
      await mirror.finishSync(lease, 'token', NOW + MINUTE + SETTLED);

      await list(NOW + 2 * MINUTE, at('v3', NOW + 2 * MINUTE));

      assert.equal(await syncedAt(), NOW + MINUTE + SETTLED);
    });

    it('a version that was new when the sync began is not trusted, since a second change may hide behind it', async () => {
      const { list, sync, syncedAt } = await prepare();
      // The list was requested long before the response arrived.
      await list(NOW - MINUTE, at('v1', NOW));
      await sync(NOW + SETTLED - 1);
      await list(NOW + MINUTE, at('v1', NOW + MINUTE));
      const early = await syncedAt();
      await sync(NOW + MINUTE);

      await list(NOW + 2 * MINUTE, at('v1', NOW + 2 * MINUTE));

      assert.deepEqual([early, await syncedAt()], [NOW + SETTLED - 1, NOW + 2 * MINUTE]);
    });

    it('a sync that brought something is followed by another one, since what it read may be newer than the version', async () => {
      const { mirror, list, sync, lease, begin, syncedAt } = await prepare();
      await list(NOW, at('v1', NOW));
      await begin(NOW + SETTLED);
      await mirror.applyChanges(lease, changes({ changed: [EVENT] }), NOW + HOUR);
      await mirror.finishSync(lease, 'token', NOW + SETTLED);
      // The next sync also starts under the version from before that change.
      await sync(NOW + 2 * SETTLED);
      await list(NOW + MINUTE, at('v1', NOW + MINUTE));
      const after = await syncedAt();
      await sync(NOW + MINUTE);

      await list(NOW + 2 * MINUTE, at('v1', NOW + 2 * MINUTE));

      assert.deepEqual([after, await syncedAt()], [NOW + 2 * SETTLED, NOW + 2 * MINUTE]);
    });

    it('a calendar that was written to is synced, though its version is what it was before', async () => {
      const { mirror, list, lease, syncedAt } = await settled();
      await mirror.leaseCalendar(lease, NOW + SETTLED, NOW + MINUTE);
      await mirror.applyChanges(lease, { ...changes({ changed: [EVENT] }), own: true }, NOW + MINUTE);
      await mirror.releaseCalendar(lease);

      await list(NOW + MINUTE, at('v1', NOW + MINUTE));

      assert.equal(await syncedAt(), NOW + SETTLED);
    });

    it('a sign of life of a slow server says nothing against a version', async () => {
      const { mirror, list, lease, begin, syncedAt } = await prepare();
      await list(NOW, at('v1', NOW));
      await begin(NOW + SETTLED);
      await mirror.applyChanges(lease, changes({}), NOW + HOUR);
      await mirror.finishSync(lease, 'token', NOW + SETTLED);

      await list(NOW + MINUTE, at('v1', NOW + MINUTE));

      assert.equal(await syncedAt(), NOW + MINUTE);
    });

    it('a version is not trusted for longer than an hour after the last sync', async () => {
      const { list, sync, syncedAt } = await settled();
      for (let minutes = 1; minutes < 60; minutes += 1)
        await list(NOW + minutes * MINUTE, at('v1', NOW + minutes * MINUTE));

      await list(NOW + HOUR + SETTLED, at('v1', NOW + HOUR + SETTLED));
      const late = await syncedAt();
      await sync(NOW + HOUR + SETTLED);
      await list(NOW + HOUR + MINUTE, at('v1', NOW + HOUR + MINUTE));

      assert.deepEqual([late, await syncedAt()], [NOW + HOUR - MINUTE, NOW + HOUR + MINUTE]);
    });

    it('a calendar is synced whatever it shows after a failure, until a sync ends well', async () => {
      const { mirror, list, sync, lease, begin, syncedAt } = await settled();
      await begin(NOW + MINUTE);
      await mirror.failSync(lease, DOWN, NOW + MINUTE);
      await list(NOW + 2 * MINUTE, at('v1', NOW + 2 * MINUTE));
      const failed = await syncedAt();
      await sync(NOW + 2 * MINUTE);

      await list(NOW + 3 * MINUTE, at('v1', NOW + 3 * MINUTE));

      assert.deepEqual([failed, await syncedAt()], [NOW + SETTLED, NOW + 3 * MINUTE]);
    });

    it('a calendar is synced whatever it shows while a sync is under way or was cut short', async () => {
      const { list, begin, syncedAt } = await settled();
      await begin(NOW + MINUTE);

      await list(NOW + HOUR / 2, at('v1', NOW + HOUR / 2));

      assert.equal(await syncedAt(), NOW + SETTLED);
    });

    it('a calendar is synced, whatever its version, if it has to be listed in full again', async () => {
      const { mirror, list, lease, begin, syncedAt } = await settled();
      await begin(NOW + MINUTE);
      await mirror.forgetSyncToken(lease);
      await mirror.pauseSync(lease);

      await list(NOW + 2 * MINUTE, at('v1', NOW + 2 * MINUTE));
      const forgotten = await syncedAt();
      const elsewhere = at('v1', NOW + 3 * MINUTE, { timeZone: 'Asia/Tokyo' });
      await list(NOW + 3 * MINUTE, elsewhere);

      assert.deepEqual([forgotten, await syncedAt()], [NOW + SETTLED, 0]);
    });

    it('a calendar is synced whatever it shows while something of it is left out, which each sync tells', async () => {
      const { mirror, list, sync, lease, begin, syncedAt } = await settled();
      await begin(NOW + MINUTE);
      const leftOut = [
        { kind: 'too_complex', href: '/big.ics', etag: '"1"', reason: 'It is too large' },
      ] as const;
      await mirror.applyChanges(lease, changes({ changed: [EVENT], leftOut }), NOW + HOUR);
      await mirror.finishSync(lease, 'token', NOW + MINUTE);
      await list(NOW + 2 * MINUTE, at('v1', NOW + 2 * MINUTE));
      await sync(NOW + 2 * MINUTE);

      await list(NOW + 3 * MINUTE, at('v1', NOW + 3 * MINUTE));

      assert.equal(await syncedAt(), NOW + 2 * MINUTE);
    });

    it('a calendar that was never synced is not made to look so, nor one that comes back after it was left out', async () => {
      const { list, sync, accountKey, calendarKey, calendarChoices, syncedAt } = await prepare();
      await list(NOW, at('v1', NOW));
      await list(NOW + MINUTE, at('v1', NOW + MINUTE));
      const never = await syncedAt();
      await sync(NOW + MINUTE);
      for (const chosen of [[], [calendarKey]])
        await calendarChoices.chooseCalendars(accountKey, { chosen, onlyThese: false }, NOW + MINUTE);

      await list(NOW + 2 * MINUTE, at('v1', NOW + 2 * MINUTE));

      assert.deepEqual([never, await syncedAt()], [undefined, undefined]);
    });

    it('a calendar never looks less fresh for having been listed', async () => {
      const { list, sync, syncedAt } = await settled();
      await sync(NOW + 2 * MINUTE);

      await list(NOW + MINUTE, at('v1', NOW + MINUTE));

      assert.equal(await syncedAt(), NOW + 2 * MINUTE);
    });
  });
}
