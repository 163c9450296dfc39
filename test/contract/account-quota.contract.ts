/**
 * Contract tests for the account limits of an AccountStore. Each database's test calls them with its own empty
 * database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { AccountLimitReached, type NewAccount } from '../../src/calendars/account-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { accountApart, grantAll, NOW, newAccount, openWithUsers, tenTimes } from './calendar-rows.ts';
import { visit } from './grant-rows.ts';

const LIMITS = { ofPerson: 3, ofUser: 6 };
const isRefused = (most: number) => (failure: unknown) =>
  failure instanceof AccountLimitReached && failure.most === most;

export function accountQuotaContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    let linked = 0;
    /** Links an account with the limits, each a moment after the one before. */
    const link = (change: Partial<NewAccount> = {}) =>
      stores.accounts.linkAccount(
        { limits: LIMITS, ...newAccount({ accountId: `a${linked}`, ...change }) },
        NOW + linked++,
      );
    const apart = (group: string, change: Partial<NewAccount> = {}) => {
      const device = { deviceHash: `device ${group} ${linked}`, formerHash: undefined };
      return link(accountApart(group, { accountId: `a${linked}`, device, ...change }));
    };
    const there = async () =>
      (
        await stores.db.all<{ id: string }>(
          "SELECT account_id AS id FROM account WHERE user_id = 'ada' ORDER BY linked_at, account_id",
        )
      ).map(({ id }) => id);
    const synced = async () =>
      (
        await stores.db.all<{ id: string }>(
          `SELECT account_id AS id FROM account JOIN job ON job.kind = 'sync-account' AND job.key = account.account_key
            ORDER BY linked_at, account_id`,
        )
      ).map(({ id }) => id);
    return { ...stores, link, apart, there, synced };
  };

  describe(`AccountQuota on ${database}`, () => {
    it('a person who has linked as many accounts as one may links no more, and nothing is changed', async () => {
      const { link, there } = await prepare();
      for (let account = 0; account < 3; account += 1) await link();

      await assert.rejects(link({ device: { deviceHash: 'new', formerHash: 'device-1' } }), isRefused(3));

      assert.deepEqual(await there(), ['a0', 'a1', 'a2']);
    });

    it('of ten accounts that a person links at once, as many are linked as one may', async () => {
      const { accounts, there } = await prepare();

      const refused = await tenTimes((i) =>
        accounts
          .linkAccount({ ...newAccount({ accountId: `a${i}` }), limits: LIMITS }, NOW)
          .then(() => false, isRefused(3)),
      );

      assert.equal((await there()).length, 3);
      assert.equal(refused.filter((one) => one).length, 7);
    });

    it('a person who comes back in another transaction is known by the browser', async () => {
      const { db, link, apart, there } = await prepare();
      for (let account = 0; account < 3; account += 1) await link();
      await grantAll(db);

      const again = apart('t2', { device: { deviceHash: 'new', formerHash: 'device-1' } });
      await assert.rejects(again, isRefused(3));
      await apart('t3');

      assert.deepEqual(await there(), ['a0', 'a1', 'a2', 'a4']);
    });

    it('an account that is linked again is none more', async () => {
      const { db, link, apart } = await prepare();
      for (let account = 0; account < 3; account += 1) await link();

      await link({ accountId: 'a1' });
      await grantAll(db);
      const device = { deviceHash: 'new', formerHash: 'device-1' };
      await apart('t2', { accountId: 'a1', identity: 'id:a1', device });
    });

    it('the oldest unfinished accounts of strangers make room, and their empty groups go with them', async () => {
      const { db, apart, there } = await prepare();
      for (let stranger = 0; stranger < 6; stranger += 1) await apart(`stranger ${stranger}`);

      await apart('ada');
      await apart('ada');

      assert.deepEqual(await there(), ['a2', 'a3', 'a4', 'a5', 'a6', 'a7']);
      assert.equal((await db.all('SELECT group_id FROM account_group')).length, 5);
    });

    it('strangers’ accounts that were allowed make room last', async () => {
      const { db, apart, there } = await prepare();
      for (let stranger = 0; stranger < 6; stranger += 1) await apart(`stranger ${stranger}`);
      await db.write("UPDATE account_group SET approved_at = 1 WHERE transaction_id = 'stranger 0'");

      await apart('ada');

      assert.deepEqual(await there(), ['a0', 'a2', 'a3', 'a4', 'a5', 'a6']);
    });

    it('accounts that are the user’s make room for nobody, nor do those of the same browser', async () => {
      const { db, apart, there } = await prepare();
      for (let owner = 0; owner < 5; owner += 1) await apart(`owner ${owner}`);
      await grantAll(db);
      await apart('t2', { device: { deviceHash: 'mine', formerHash: undefined } });

      const other = apart('t3', { device: { deviceHash: 'mine too', formerHash: 'mine' } });
      await assert.rejects(other, isRefused(6));

      assert.deepEqual(await there(), ['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    });

    it('other users’ accounts count for nothing', async () => {
      const { apart } = await prepare();
      for (let account = 0; account < 6; account += 1) await apart(`ben ${account}`, { userId: 'ben' });

      await apart('ada');
    });

    it('of accounts that are not the user’s yet the newest three of a transaction are synced', async () => {
      const stores = await openWithUsers(open);
      const ada = await visit(stores, 'browser');
      for (let account = 0; account < 5; account += 1)
        await ada.link({ accountId: `a${account}` }, NOW + account);
      const jobs = async () =>
        (await stores.db.all<{ key: string }>("SELECT key FROM job WHERE kind = 'sync-account'")).length;

      const linked = await jobs();
      await ada.allow();
      const allowed = await jobs();
      await ada.redeem();

      assert.deepEqual([linked, allowed, await jobs()], [3, 3, 5]);
    });

    it('accounts that join those of their person are synced from Allow on', async () => {
      const stores = await openWithUsers(open);
      await (await visit(stores, 'browser')).connect({ accountId: 'first' });
      const later = await visit(stores, 'browser', { transactionId: 't2' });
      for (let account = 0; account < 5; account += 1)
        await later.link({ accountId: `a${account}` }, NOW + account);

      await later.allow();

      const jobs = await stores.db.all("SELECT key FROM job WHERE kind = 'sync-account'");
      assert.equal(jobs.length, 6);
    });

    it('a running job continues when its account loses its sync slot, and the account’s calendars are not synced', async () => {
      const { db, link, synced } = await prepare();
      const { accountKey } = await link();
      await db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
         VALUES ('c', :accountKey, '/c/', 0, 'C', 'UTC', 'read', '{}')`,
        { accountKey },
      );
      await db.write("INSERT INTO job (kind, key, run_at, attempts) VALUES ('sync-calendar', 'c', 1, 0)");
      await link();
      await db.write(
        "UPDATE job SET lease_holder = 'worker' WHERE key IN (SELECT account_key FROM account WHERE account_id = 'a1')",
      );
      const more = { limits: { ofPerson: 9, ofUser: 9 } };
      for (const accountId of ['b', 'c', 'd']) await link({ accountId, ...more });

      assert.deepEqual(await synced(), ['a1', 'b', 'c', 'd']);
      assert.equal((await db.all("SELECT key FROM job WHERE kind = 'sync-calendar'")).length, 0);
    });
  });
}
