/**
 * Contract tests for every way to remove an account with many events: it belongs to no user at once, and no transaction
 * deletes too many of them. Each database's test calls them with its own empty, migrated database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { openStores, type Stores } from '../../src/store/open-stores.ts';
import { accountApart, grantAll, NOW, newAccount, openWithUsers, sealer } from './calendar-rows.ts';
import { rowsIn, visit } from './grant-rows.ts';

const MANY = 1_200;
const MOST_AT_ONCE = 500;
const ADA = { clientId: 'acme', userId: 'ada' };

export function accountRemovalContract(database: string, open: () => Promise<Database>): void {
  /** Opens stores that fail if one transaction deletes more than `MOST_AT_ONCE` events. */
  const prepare = async () => {
    const { db, ...plain } = await openWithUsers(open);
    const watched: Database = Object.assign(Object.create(db), {
      transaction: (work: Parameters<Database['transaction']>[0]) =>
        db.transaction(async (tx) => {
          const count = 'SELECT COUNT(*) AS "rows" FROM event';
          const before = await tx.get<{ rows: number }>(count);
          const result = await work(tx);
          const after = await tx.get<{ rows: number }>(count);
          assert.ok((before?.rows ?? 0) - (after?.rows ?? 0) <= MOST_AT_ONCE, 'too many rows at once');
          return result;
        }),
    });
    // The driver's own members are private to the object itself.
    for (const name of ['all', 'get', 'write', 'change', 'batch'] as const)
      Object.assign(watched, { [name]: (db[name] as () => unknown).bind(db) });
    return { db, plain, ...openStores(watched, { sealer }) };
  };

  const fill = async (db: Database, accountKey: string) => {
    await db.write(
      `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, event_count)
       VALUES (:accountKey, :accountKey, '/c/', 0, 'C', 'UTC', 'read', '{}', ${MANY})`,
      { accountKey },
    );
    await db.write(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})
       INSERT INTO event (calendar_key, href, recurrence_id, event_id, shape, starts_at, ends_at, uid, content)
       SELECT CAST(:accountKey AS TEXT), 'e' || n, '', 'e' || n, 'short', 0, 1, 'u', '{}' FROM numbers`,
      { accountKey },
    );
  };
  const listed = async ({ accounts }: Pick<Stores, 'accounts'>) =>
    (await accounts.listAccounts('acme', 'ada')).map(({ accountId }) => accountId);
  const told = async (db: Database) =>
    (await db.all<{ deleted: number }>('SELECT deleted FROM event_change')).filter((row) => row.deleted === 1)
      .length;

  describe(`AccountRemoval on ${database}`, () => {
    it('what was linked and never allowed is deleted in parts', async () => {
      const { db, accounts } = await prepare();
      const { accountKey } = await accounts.linkAccount(accountApart('t1'), NOW);
      await fill(db, accountKey);
      await db.write('UPDATE account_group SET expires_at = 5');

      assert.equal(await accounts.dropUnfinished(NOW, NOW), 1);

      assert.deepEqual([await rowsIn(db, 'event'), await rowsIn(db, 'account')], [0, 0]);
      assert.equal(await rowsIn(db, 'account_group'), 0);
    });

    it('disconnecting removes the account from its user and reports each event as deleted, in parts', async () => {
      const { db, accounts, changes, plain } = await prepare();
      const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
      const grant = await grantAll(db);
      await fill(db, accountKey);
      await changes.follow(ADA, NOW);

      await accounts.disconnect({ ...grant, provider: 'caldav' }, NOW);

      assert.deepEqual(await listed(plain), []);
      assert.deepEqual([await rowsIn(db, 'event'), await rowsIn(db, 'account')], [0, 0]);
      assert.equal(await told(db), MANY);
    });

    it('an account that gives way to another belongs to no user at once, and housekeeping deletes it', async () => {
      const { db, accounts } = await prepare();
      const limits = { ofPerson: 1, ofUser: 1 };
      const { accountKey } = await accounts.linkAccount({ ...accountApart('t1'), limits }, NOW);
      await fill(db, accountKey);
      const device = { deviceHash: 'other', formerHash: undefined };
      const other = accountApart('t2', { accountId: 'b', device });

      await accounts.linkAccount({ ...other, limits }, NOW + 1);

      assert.equal(await rowsIn(db, 'event'), MANY);
      const jobs = await db.all<{ kind: string; key: string }>('SELECT kind, key FROM job ORDER BY kind');
      assert.deepEqual(
        jobs.map(({ kind, key }) => [kind, key === accountKey]),
        [
          ['housekeeping', false],
          ['sync-account', false],
        ],
      );
      await accounts.linkAccount(
        { ...other, accountId: 'c', identity: 'c', limits: { ofPerson: 2, ofUser: 2 } },
        NOW + 2,
      );
      assert.equal(await accounts.dropUnfinished(NOW, NOW), 0);
      assert.deepEqual([await rowsIn(db, 'event'), await rowsIn(db, 'account')], [0, 2]);
    });

    it('a transaction that is denied takes what was linked with it', async () => {
      const { db, accounts, requests, codes } = await prepare();
      const one = await visit({ requests, accounts, codes }, 'browser');
      const { accountKey } = await one.link();
      await fill(db, accountKey);

      assert.equal(await requests.denyRequest(one.request.transactionId, NOW), true);

      assert.equal(await rowsIn(db, 'account_group'), 1);
      await accounts.dropUnfinished(NOW, NOW);

      assert.deepEqual([await rowsIn(db, 'event'), await rowsIn(db, 'account')], [0, 0]);
    });

    it('if two groups have one account, one row stays, and the other row’s events are reported to the grants', async () => {
      const stores = await prepare();
      const { db, accounts, changes } = stores;
      const one = await visit(stores, 'one');
      await one.connect({ accountId: 'a' });
      const two = await visit(stores, 'two', { transactionId: 't2' });
      await two.connect({ accountId: 'b' }, NOW + 1);
      const twin = await visit(stores, 'three', { transactionId: 't3' });
      await twin.connect({ accountId: 'c' }, NOW + 1);
      await db.write("UPDATE account SET identity = 'id:a' WHERE account_id = 'c'");
      const keys = await db.all<{ key: string }>(
        'SELECT account_key AS "key" FROM account WHERE account_id = \'c\'',
      );
      for (const { key } of keys) await fill(db, key);
      await changes.follow(ADA, NOW);
      const all = await visit(stores, 'one', { transactionId: 't4' });
      await all.link({ accountId: 'a' }, NOW + 2);
      await all.link({ accountId: 'c', identity: 'id:c2' }, NOW + 2);

      const before = await listed(stores);
      await db.transaction(async (tx) => {
        const groups = await tx.all<{ id: string; account: string }>(
          `SELECT g.group_id AS "id", account_id AS "account" FROM account_group AS g
             JOIN account AS a ON a.group_id = g.group_id WHERE g.expires_at IS NULL ORDER BY a.linked_at, account_id`,
        );
        const { joinGroups } = await import('../../src/store/accounts/join-groups.ts');
        const [into = '', ...from] = groups.map(({ id }) => id);
        await joinGroups(tx, { ...ADA, into, from, now: NOW + 3 }, sealer);
      });

      assert.deepEqual([before.length, (await listed(stores)).length], [3, 2]);
      assert.deepEqual([await rowsIn(db, 'event'), await told(db)], [MANY, 0]);
      await accounts.dropUnfinished(NOW, NOW + 4);
      assert.deepEqual([await rowsIn(db, 'event'), await told(db)], [0, MANY]);
      const groups = await db.all<{ id: string }>('SELECT DISTINCT group_id AS "id" FROM event_change');
      const kept = await db.all<{ id: string }>(
        'SELECT group_id AS "id" FROM account_group WHERE expires_at IS NULL',
      );
      assert.deepEqual(groups, kept);
    });

    it('a user with much is deleted in parts, with all changes', async () => {
      const { db, accounts, changes, users } = await prepare();
      const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
      await grantAll(db);
      await fill(db, accountKey);
      await changes.follow(ADA, NOW);

      assert.equal((await users.deleteUser('acme', 'ada', { now: NOW, by: undefined }))?.events, MANY);

      assert.deepEqual([await rowsIn(db, 'event'), await rowsIn(db, 'event_change')], [0, 0]);
      assert.deepEqual([await users.isUser('acme', 'ada'), await users.isUser('acme', 'ben')], [false, true]);
      assert.equal(await users.deleteUser('acme', 'ada', { now: NOW, by: undefined }), undefined);
    });

    it('an application with much is deleted in parts', async () => {
      const { db, accounts, clients } = await prepare();
      const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
      await grantAll(db);
      await fill(db, accountKey);

      assert.equal(await clients.deleteClient('acme', NOW, undefined), true);

      for (const table of ['event', 'account', 'application_user', 'application', 'token_family'])
        assert.equal(await rowsIn(db, table), 0, table);
      assert.equal(await clients.deleteClient('acme', NOW, undefined), false);
    });
  });
}
