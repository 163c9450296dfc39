/**
 * Contract tests for AccountStore.requestSync. Each database's test calls them with its own empty, migrated database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { accountApart, grantAll, NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const DAY = 24 * 3_600_000;
const ADA = { clientId: 'acme', userId: 'ada' } as const;

export function accountSyncingContract(database: string, open: () => Promise<Database>): void {
  /** Creates two accounts of Ada's and one of Ben's, each to be synced in a day. */
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const { db, accounts } = stores;
    const one = await accounts.linkAccount(newAccount({ accountId: 'one' }), NOW);
    const two = await accounts.linkAccount(newAccount({ accountId: 'two' }), NOW);
    await accounts.linkAccount(newAccount({ userId: 'ben', accountId: 'ben' }), NOW);
    for (const userId of ['ada', 'ben']) await grantAll(db, { userId });
    await db.write('UPDATE job SET run_at = CAST(:later AS BIGINT)', { later: NOW + DAY });
    /** Returns the keys of the jobs that are due at `NOW`. */
    const due = async () => {
      const rows = await db.all<{ key: string }>('SELECT key FROM job WHERE run_at <= :now', { now: NOW });
      return rows.map(({ key }) => key).toSorted();
    };
    return { ...stores, keys: [one.accountKey, two.accountKey] as const, due };
  };

  describe(`AccountSyncing on ${database}`, () => {
    it('a sync that is asked for is due at once for each account of the user, and for nobody else’s', async () => {
      const { accounts, keys, due } = await prepare();

      assert.equal(await accounts.requestSync(ADA, NOW, undefined), 2);

      assert.deepEqual(await due(), keys.toSorted());
    });

    it('of one account it is due for that account alone, and only where it is the user’s', async () => {
      const { accounts, keys, due } = await prepare();

      assert.equal(await accounts.requestSync({ ...ADA, accountKey: keys[1] }, NOW, undefined), 1);
      assert.deepEqual(await due(), [keys[1]]);
      assert.equal(
        await accounts.requestSync({ ...ADA, userId: 'ben', accountKey: keys[0] }, NOW, undefined),
        0,
      );
      assert.deepEqual(await due(), [keys[1]]);
    });

    it('an account that is not the user’s yet is left alone', async () => {
      const { db, accounts, due } = await prepare();
      const open = await accounts.linkAccount(accountApart('open', { accountId: 'three' }), NOW);
      await db.write('UPDATE job SET run_at = CAST(:later AS BIGINT)', { later: NOW + DAY });

      assert.equal(await accounts.requestSync({ ...ADA, accountKey: open.accountKey }, NOW, undefined), 0);
      assert.deepEqual(await due(), []);
    });

    it('calendars that are pushed are looked at too, and those that the user left out are not', async () => {
      const { db, accounts, keys, due } = await prepare();
      for (const [key, state] of [
        ['pushed', 'live'],
        ['polled', 'failed'],
        ['left out', 'live'],
      ] as const) {
        const values = { key, state, accountKey: keys[0], now: NOW };
        await db.write(
          `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
           VALUES (:key, :accountKey, :key, 0, :key, 'UTC', 'read', '{}')`,
          { key, accountKey: keys[0] },
        );
        await db.write(
          `INSERT INTO provider_watch (watch_id, account_key, calendar_key, token_hash, state, made_at, trusted_from,
             renew_at, expires_at)
           VALUES (:key, :accountKey, :key, 'h', :state, :now, :now, :now, :now)`,
          values,
        );
      }
      await db.write("UPDATE calendar SET left_out = 1 WHERE calendar_key = 'left out'");

      await accounts.requestSync({ ...ADA, accountKey: keys[0] }, NOW, undefined);

      assert.deepEqual(await due(), [keys[0], 'pushed'].toSorted());
    });
  });
}
