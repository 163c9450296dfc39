/** Contract tests for WatchStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW } from './calendar-rows.ts';
import { makeAccount, makeCalendars } from './grant-rows.ts';

const HOUR = 3_600_000;

export function watchStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const { watches } = openStores(db, { sealer: createSealer(randomBytes(32)) });
    await makeCalendars(db, [NOW, NOW + 1]);
    return { db, watches };
  };
  const asked = (watchId: string, calendarKey = 'c0') => ({
    watchId,
    accountKey: 'acme-ada',
    calendarKey,
    tokenHash: 'hash',
    madeAt: NOW,
    expiresAt: NOW + HOUR,
  });
  const outcome = (state: 'made' | 'live' | 'unsupported' | 'failed', expiresAt = NOW + HOUR) => ({
    state,
    remoteId: 'remote',
    reason: undefined,
    renewAt: NOW + 1,
    expiresAt,
  });
  type Prepared = Awaited<ReturnType<typeof prepare>>;
  const make = async ({ watches }: Prepared, watchId: string, calendarKey?: string) => {
    assert.equal(await watches.addWatch(asked(watchId, calendarKey)), true);
    await watches.settleWatch(watchId, outcome('live'));
  };
  const updates = async ({ watches }: Prepared, now = NOW) =>
    (await watches.listUpdates('acme', 'ada', now))[0];

  describe(`WatchStore on ${database}`, () => {
    it('keeps a watch before and after its provider answers', async () => {
      const { watches } = await prepare();
      assert.equal(await watches.addWatch(asked('w')), true);
      const before = await watches.findNotified('w');
      await watches.settleWatch('w', outcome('made'));

      assert.deepEqual(before, {
        watchId: 'w',
        accountKey: 'acme-ada',
        calendarKey: 'c0',
        state: 'asked',
        tokenHash: 'hash',
        provider: 'caldav',
      });
      const { tokenHash: _, ...watch } = asked('w');
      assert.deepEqual(await watches.listWatches('acme-ada'), [
        { ...watch, ...outcome('made'), trustedFrom: NOW },
      ]);
    });

    it('a watch that sent a push notification before its provider responded stays live', async () => {
      const { watches } = await prepare();
      await watches.addWatch(asked('w'));
      await watches.trustFrom('w', NOW + 5);
      await watches.settleWatch('w', outcome('made'));

      const [watch] = await watches.listWatches('acme-ada');
      assert.equal(watch?.state, 'live');
      assert.equal(watch?.trustedFrom, NOW + 5);
    });

    it('a push notification does not revive a watch that was refused', async () => {
      const { watches } = await prepare();
      await watches.addWatch(asked('w'));
      await watches.settleWatch('w', outcome('unsupported'));
      await watches.trustFrom('w', NOW + 5);
      assert.equal((await watches.findNotified('w'))?.state, 'unsupported');
    });

    it('nothing is watched of what is gone, and what goes takes its watches with it', async () => {
      const { db, watches } = await prepare();
      assert.equal(await watches.addWatch({ ...asked('x'), calendarKey: 'none' }), false);
      assert.equal(await watches.addWatch({ ...asked('x'), accountKey: 'none' }), false);
      await watches.addWatch(asked('w'));
      await watches.addWatch({ ...asked('list'), calendarKey: undefined });
      await db.write("DELETE FROM calendar WHERE calendar_key = 'c0' RETURNING calendar_key", {});
      assert.deepEqual(
        (await watches.listWatches('acme-ada')).map(({ watchId }) => watchId),
        ['list'],
      );
      await db.write("DELETE FROM account WHERE account_key = 'acme-ada' RETURNING account_key", {});
      assert.equal(await watches.findNotified('list'), undefined);
      await watches.settleWatch('list', outcome('live'));
      await watches.removeWatch('list');
      assert.deepEqual(await watches.listWatches('acme-ada'), []);
    });

    it('nothing is watched of a calendar in the name of another account', async () => {
      const { db, watches } = await prepare();
      await makeAccount(db, 'acme', 'ben');

      assert.equal(await watches.addWatch({ ...asked('x'), accountKey: 'acme-ben' }), false);
    });

    it('one that its provider ended is renewed at once, and one that ends soon still counts', async () => {
      const prepared = await prepare();
      await make(prepared, 'soon');
      await make(prepared, 'gone', 'c1');
      await prepared.watches.renewSoon('soon', false);
      await prepared.watches.renewSoon('gone', true);

      const found = (await prepared.watches.listWatches('acme-ada')).toSorted((a, b) =>
        a.watchId < b.watchId ? -1 : 1,
      );
      assert.deepEqual(
        found.map(({ watchId, renewAt, expiresAt }) => [watchId, renewAt, expiresAt]),
        [
          ['gone', 0, 0],
          ['soon', 0, NOW + HOUR],
        ],
      );
    });

    it('an account is pushed when each of its calendars that can be watched is', async () => {
      const prepared = await prepare();
      assert.deepEqual(await updates(prepared), {
        accountKey: 'acme-ada',
        updates: 'polling',
        syncedAt: NOW,
        firstSync: { calendars: 2, calendarsRead: 2, events: 0, eventsExpected: undefined },
      });
      await prepared.db.write('UPDATE account SET listed_at = 1');
      assert.equal((await updates(prepared))?.firstSync, undefined);
      await make(prepared, 'w0', 'c0');
      assert.equal((await updates(prepared))?.updates, 'polling');
      await prepared.watches.addWatch(asked('w1', 'c1'));
      await prepared.watches.settleWatch('w1', outcome('unsupported'));
      assert.equal((await updates(prepared))?.updates, 'push');
      assert.equal((await updates(prepared, NOW + HOUR))?.updates, 'polling');
      await prepared.db.write(
        "UPDATE calendar SET synced_at = NULL WHERE calendar_key = 'c1' RETURNING calendar_key",
        {},
      );
      assert.equal((await updates(prepared))?.syncedAt, undefined);
      assert.deepEqual(await prepared.watches.listUpdates('acme', 'ben', NOW), []);
    });

    it('a first sync counts the events of read calendars, and those that the others have read so far', async () => {
      const prepared = await prepare();
      const { db } = prepared;
      const firstSync = async () => (await updates(prepared))?.firstSync;
      await db.write("UPDATE calendar SET event_count = 7, sync_read = 5 WHERE calendar_key = 'c0'");
      await db.write("UPDATE calendar SET synced_at = NULL WHERE calendar_key = 'c1'");
      const counts = { calendars: 2, calendarsRead: 1, events: 7, eventsExpected: undefined };
      assert.deepEqual(await firstSync(), counts);

      await db.write("UPDATE calendar SET sync_read = 3, sync_expected = 9 WHERE calendar_key = 'c1'");

      assert.deepEqual(await firstSync(), { ...counts, events: 10, eventsExpected: 16 });
      await db.write("UPDATE calendar SET left_out = 1 WHERE calendar_key = 'c1'");
      await db.write('UPDATE account SET listed_at = 1');
      assert.equal(await firstSync(), undefined);
    });
  });
}
