/** Contract tests for EndedAccessStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/store/drivers/database.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import { grantAll, NOW, newAccount, openWithUsers, tenTimes } from './calendar-rows.ts';

const ADAS_GOOGLE = {
  clientId: 'acme',
  userId: 'ada',
  coverageId: undefined,
  provider: 'google',
} as const;

export function endedAccessStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const { db, endedAccess: ended } = stores;
    const jobNames = async () => {
      const rows = await db.all<{ kind: string; key: string }>('SELECT kind, key FROM job ORDER BY kind');
      return rows.map(({ kind, key }) => `${kind} ${key}`);
    };
    return { ...stores, ended, jobNames };
  };
  const google = (userId = 'ada', provider: 'google' | 'microsoft' = 'google') =>
    newAccount({ userId, provider, accountId: 'ada@example.com', credentials: { token: `of ${userId}` } });

  describe(`EndedAccessStore on ${database}`, () => {
    it('the access of a disconnected account is kept, with the job that ends it', async () => {
      const { db, accounts, ended, jobNames } = await prepare();
      const { accountKey } = await accounts.linkAccount(google(), NOW);
      await grantAll(db);

      await accounts.disconnect(ADAS_GOOGLE, NOW + 1);

      assert.deepEqual(await ended.findEndedAccess(accountKey), {
        accountKey,
        clientId: 'acme',
        provider: 'google',
        accountId: 'ada@example.com',
        identity: 'id:ada@example.com',
        credentials: { token: 'of ada' },
        endedAt: NOW + 1,
      });
      assert.deepEqual(await jobNames(), [`end-access ${accountKey}`]);
    });

    it('the access of the accounts of a deleted user is kept', async () => {
      const { users, accounts, ended, jobNames } = await prepare();
      const { accountKey } = await accounts.linkAccount(google('ada', 'microsoft'), NOW);

      await users.deleteUser('acme', 'ada', { now: NOW + 1, by: undefined });

      assert.deepEqual((await ended.findEndedAccess(accountKey))?.credentials, { token: 'of ada' });
      assert.deepEqual(await jobNames(), [`end-access ${accountKey}`]);
    });

    for (const [what, remove] of [
      [
        'a user',
        async ({ users }: Stores) =>
          Boolean(await users.deleteUser('acme', 'ada', { now: NOW + 1, by: undefined })),
      ],
      ['an application', ({ clients }: Stores) => clients.deleteClient('acme', NOW + 1, undefined)],
    ] as const)
      it(`access is kept once however many delete ${what} at once`, async () => {
        const stores = await prepare();
        const { db, accounts, ended, jobNames } = stores;
        const { accountKey } = await accounts.linkAccount(google(), NOW);
        // Without this, locks on the job rows would serialize the ten calls.
        await db.write('DELETE FROM job RETURNING kind');

        const deleted = await tenTimes(() => remove(stores));

        assert.equal(deleted.filter(Boolean).length, 1);
        assert.deepEqual((await ended.findEndedAccess(accountKey))?.credentials, { token: 'of ada' });
        assert.deepEqual(await jobNames(), [`end-access ${accountKey}`]);
      });

    it('access that no account holds is taken, sealed, with the job that ends it', async () => {
      const { db, ended, jobNames } = await prepare();
      const access = {
        clientId: 'acme',
        provider: 'google',
        accountId: 'ada@example.com',
        identity: 'sub:1',
      } as const;

      await ended.addEndedAccess({ ...access, credentials: { token: 'of nobody' } }, NOW);

      const [row] = await db.all<{ key: string; credentials: string }>(
        'SELECT account_key AS "key", credentials FROM ended_access',
      );
      assert.ok(row && !row.credentials.includes('of nobody'));
      assert.deepEqual(await ended.findEndedAccess(row.key), {
        ...access,
        accountKey: row.key,
        credentials: { token: 'of nobody' },
        endedAt: NOW,
      });
      assert.deepEqual(await jobNames(), [`end-access ${row.key}`]);
    });

    it('no access is taken for an application that is gone: its app at the provider went with it', async () => {
      const { db, ended, jobNames } = await prepare();
      const access = {
        clientId: 'gone',
        provider: 'google',
        accountId: 'ada@example.com',
        identity: 'sub:1',
      } as const;

      await ended.addEndedAccess({ ...access, credentials: { token: 'of nobody' } }, NOW);

      assert.deepEqual(await db.all('SELECT * FROM ended_access'), []);
      assert.deepEqual(await jobNames(), []);
    });

    it('no password is kept: there is nothing to end at a server that only checks it', async () => {
      const { db, accounts, jobNames } = await prepare();
      await accounts.linkAccount(newAccount(), NOW);
      await grantAll(db);

      const gone = await accounts.disconnect({ ...ADAS_GOOGLE, provider: 'caldav' }, NOW);

      assert.equal(gone, 1);
      assert.deepEqual(await db.all('SELECT * FROM ended_access'), []);
      assert.deepEqual(await jobNames(), []);
    });

    it('the accounts that are the same one at the provider are named, unfinished ones too', async () => {
      const { db, accounts, ended } = await prepare();
      const { accountKey } = await accounts.linkAccount(google(), NOW);
      await accounts.linkAccount(google('ben'), NOW);
      await accounts.linkAccount(
        { ...google('ben'), accountId: 'other@example.com', identity: 'other' },
        NOW,
      );
      await accounts.linkAccount(google('ben', 'microsoft'), NOW);
      await grantAll(db);
      await accounts.disconnect(ADAS_GOOGLE, NOW);
      const access = await ended.findEndedAccess(accountKey);
      assert.ok(access);

      assert.deepEqual(await ended.credentialsOfSameAccount(access), [{ token: 'of ben' }]);
    });

    it('credentials of ended access are kept sealed, and forgotten when told to', async () => {
      const { db, accounts, ended } = await prepare();
      const { accountKey } = await accounts.linkAccount(google(), NOW);
      await grantAll(db);
      await accounts.disconnect(ADAS_GOOGLE, NOW);
      const [row] = await db.all<{ credentials: string }>('SELECT credentials FROM ended_access');

      await ended.deleteEndedAccess(accountKey);

      assert.ok(row && !row.credentials.includes('of ada'));
      assert.equal(await ended.findEndedAccess(accountKey), undefined);
    });
  });
}
