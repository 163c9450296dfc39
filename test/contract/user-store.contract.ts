/** Contract tests for UserStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { userDirectory } from '../../src/store/users/user-directory.ts';
import { beginGrant } from '../harness/begin-grant.ts';
import { codeIsWithdrawn, makeCode, NOW, newAccount, openWithUsers, tenTimes } from './calendar-rows.ts';
import { makeAccount, makeFamily, rowsIn, successorOf } from './grant-rows.ts';

const ada = { clientId: 'acme', userId: 'ada' };

async function usersOf(db: Database): Promise<string[]> {
  const { users } = await userDirectory(db).findUsers({ clientIds: ['acme'] }, { limit: 100 });
  return users.map(({ userId }) => userId);
}

export function userStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = () => openWithUsers(open);

  describe(`UserStore on ${database}`, () => {
    it('a user is made once, however many load it at once', async () => {
      const { db, users } = await prepare();

      await tenTimes((i) => users.loadOrCreateUser('acme', 'new', NOW + i));

      const user = await users.findUser('acme', 'new');
      assert.ok(user);
      assert.equal(user.lastSeenAt, NOW + 9);
      assert.deepEqual([user.accounts, user.grants], [0, 0]);
      assert.equal((await usersOf(db)).length, 3);
    });

    it('a user never looks less recently seen than it was', async () => {
      const { users } = await prepare();
      await users.loadOrCreateUser('acme', 'ada', NOW + 5);

      await users.loadOrCreateUser('acme', 'ada', NOW + 1);

      const user = await users.findUser('acme', 'ada');
      assert.deepEqual([user?.createdAt, user?.lastSeenAt], [NOW, NOW + 5]);
    });

    it('users are distinguished by every character of their ids, within their application', async () => {
      const { users } = await prepare();
      const ids = ['Ada', 'ada ', 'ädа', '😀', 'é', 'e\u0301', "a'); --", '%', '\u0001'];
      for (const userId of ids) await users.loadOrCreateUser('acme', userId, NOW);

      for (const userId of ids) assert.equal((await users.findUser('acme', userId))?.userId, userId);
      assert.equal(await users.findUser('other', 'ada'), undefined);
      assert.equal(await users.findUser('acme', 'ada\0'), undefined);
    });

    it('a user id that no database can hold is refused with 400', async () => {
      const { users } = await prepare();

      for (const userId of ['a\0b', 'a\ud800b']) {
        await assert.rejects(users.loadOrCreateUser('acme', userId, NOW), { status: 400 });
      }
    });

    it('the accounts and the living grants of a user are counted, and no account that is not the user’s yet', async () => {
      const { db, users, accounts } = await prepare();
      await makeAccount(db, 'acme', 'ada');
      await accounts.linkAccount(newAccount(), NOW);
      await makeFamily(db, ada);
      await makeFamily(db, { ...ada, userId: 'ben' });

      const user = await users.findUser('acme', 'ada');

      assert.deepEqual([user?.accounts, user?.grants], [1, 1]);
    });

    it('lists the living grants of a user only, the oldest first', async () => {
      const { db, families, users } = await prepare();
      const begin = (userId: string, scope: 'read' | 'read-write', at: number) =>
        db.transaction((tx) => beginGrant(tx, { clientId: 'acme', userId, scope, coverageId: userId }, at));
      await begin('ada', 'read', NOW);
      await families.endGrantsOf('acme', 'ada', { now: NOW + 1, by: undefined });
      await begin('ada', 'read-write', NOW + 3);
      const { first } = await begin('ada', 'read', NOW + 2);
      await begin('ben', 'read', NOW);
      await families.rotateRefreshToken(first, successorOf(first), { now: NOW + 9 });

      assert.deepEqual(await users.livingGrantsOf('acme', 'ada'), [
        { scope: 'read', createdAt: NOW + 2, refreshedAt: NOW + 9 },
        { scope: 'read-write', createdAt: NOW + 3, refreshedAt: NOW + 3 },
      ]);
      assert.deepEqual(await users.livingGrantsOf('other', 'ada'), []);
    });

    it('a user is deleted once, with accounts, jobs and requests; grants end, the code is withdrawn', async () => {
      const { db, users } = await prepare();
      await makeAccount(db, 'acme', 'ada');
      await makeFamily(db, ada);
      await makeFamily(db, { ...ada, userId: 'ben' });
      await makeCode(db, 'ada');

      const deleted = await tenTimes(() => users.deleteUser('acme', 'ada', { now: NOW + 1, by: undefined }));

      assert.equal(deleted.filter(Boolean).length, 1);
      assert.equal(await users.findUser('acme', 'ada'), undefined);
      const left = ['account', 'account_group', 'grant_coverage', 'job'].map((table) => rowsIn(db, table));
      assert.deepEqual(await Promise.all(left), [0, 0, 0, 0]);
      assert.equal(await codeIsWithdrawn(db, 'ada'), true);
      const living = await db.all('SELECT user_id AS "userId" FROM token_family WHERE token_hash <> \'\'');
      assert.deepEqual(
        living.map((row) => ({ ...(row as object) })),
        [{ userId: 'ben' }],
      );
    });

    it('users without account and grant that were last seen before the instant are deleted, no others', async () => {
      const { db, users } = await prepare();
      await makeAccount(db, 'acme', 'connected');
      await users.loadOrCreateUser('acme', 'granted', NOW);
      await makeFamily(db, { ...ada, userId: 'granted' });
      await users.loadOrCreateUser('acme', 'recent', NOW + 10);

      assert.equal(await users.deleteIdleUsers(NOW + 10), 2);

      assert.deepEqual(await usersOf(db), ['connected', 'granted', 'recent']);
    });
  });
}
