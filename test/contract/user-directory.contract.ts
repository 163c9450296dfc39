/** Contract tests for UserDirectory. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { UserPlace, UserSearch } from '../../src/user-data/user-directory.ts';
import { accountApart, grantAll, NOW, newAccount, sealer } from './calendar-rows.ts';

const IDS = ['ada', 'Adam', 'bob', '%', 'ä', '😀', '\uffee', 'ad', 'ada/..'];

export function userDirectoryContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const stores = openStores(db, { sealer });
    for (const clientId of ['acme', 'other'])
      await db.write(
        `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
         VALUES (:clientId, 'A', 'https://acme.example/cb', :now, :now)`,
        { clientId, now: NOW },
      );
    for (const userId of IDS) await stores.users.loadOrCreateUser('acme', userId, NOW);
    await stores.users.loadOrCreateUser('other', 'ada', NOW);
    /** Returns the users of all pages of `limit` users, as `application user`. */
    const found = async (search: UserSearch, limit = 100) => {
      const names: string[] = [];
      let after: UserPlace | undefined;
      do {
        const page = await stores.userDirectory.findUsers(search, { after, limit });
        assert.ok(page.users.length <= limit);
        names.push(...page.users.map(({ clientId, userId }) => `${clientId} ${userId}`));
        after = page.next;
      } while (after !== undefined);
      return names;
    };
    const link = async (userId: string, display: string) => {
      await stores.accounts.linkAccount(newAccount({ userId, accountId: display, display }), NOW);
      await grantAll(db, { userId });
    };
    return { db, ...stores, found, link };
  };
  const ofAcme = (...ids: string[]) => ids.map((id) => `acme ${id}`);

  describe(`UserDirectory on ${database}`, () => {
    it('users are found by the beginning of their ids, each character for itself', async () => {
      const { found } = await prepare();

      assert.deepEqual(await found({ beginning: 'ada' }), ['acme ada', 'other ada', 'acme ada/..']);
      assert.deepEqual(await found({ beginning: 'Ad' }), ofAcme('Adam'));
      assert.deepEqual(await found({ beginning: '%' }), ofAcme('%'));
      assert.deepEqual(await found({ beginning: '😀' }), ofAcme('😀'));
      assert.deepEqual(await found({ beginning: 'ada', isWhole: true }), ['acme ada', 'other ada']);
      assert.deepEqual(await found({ beginning: 'a\0' }), []);
    });

    it('every user is on one page, whatever the size of pages, in the order of bytes', async () => {
      const { found } = await prepare();
      const all = await found({});

      assert.deepEqual(all, [
        ...ofAcme('%', 'Adam', 'ad', 'ada'),
        'other ada',
        ...ofAcme('ada/..', 'bob', 'ä', '\uffee', '😀'),
      ]);
      for (const limit of [1, 2, 3, 7]) assert.deepEqual(await found({}, limit), all);
    });

    it('users are those of the applications that are named, on every page', async () => {
      const { found } = await prepare();

      assert.deepEqual(await found({ clientIds: ['other'] }, 1), ['other ada']);
      assert.deepEqual(await found({ clientIds: ['other', 'acme'] }, 2), await found({}));
      assert.deepEqual(await found({ clientIds: [] }), []);
    });

    it('users are found by the beginnings of their accounts’ addresses, in upper or lower case', async () => {
      const { found, link, userDirectory } = await prepare();
      await link('bob', 'Grace@example.com');
      await link('ä', 'grace.h@example.com');

      assert.deepEqual(await found({ beginning: 'gRaCe' }, 1), ofAcme('ä', 'bob'));
      assert.deepEqual(await found({ beginning: 'GRACE@example.com', isWhole: true }), ofAcme('bob'));
      assert.deepEqual(await found({ beginning: 'grace', clientIds: ['other'] }), []);
      const { users } = await userDirectory.findUsers({ beginning: 'grace@' }, { limit: 5 });
      assert.deepEqual(
        users.map(({ address, accounts, ailing, grants }) => [address, accounts, ailing, grants]),
        [['Grace@example.com', 1, 0, 1]],
      );
    });

    it('who is found by id comes before who is found by an account, and who is found by both is there once', async () => {
      const { found, link } = await prepare();
      await link('bob', 'ada@example.com');
      await link('ada', 'ADA@example.com');

      const all = ['acme ada', 'other ada', 'acme ada/..', 'acme bob'];
      assert.deepEqual(await found({ beginning: 'ada' }), all);
      assert.deepEqual([...new Set(await found({ beginning: 'ada' }, 1))], all);
    });

    it('an account that is not the user’s yet finds nobody and is not counted', async () => {
      const { accounts, found, userDirectory } = await prepare();
      await accounts.linkAccount(accountApart('open', { userId: 'ada', display: 'new@example.com' }), NOW);

      assert.deepEqual(await found({ beginning: 'new' }), []);
      const { users } = await userDirectory.findUsers({ beginning: 'ada' }, { limit: 1 });
      const [ada] = users;
      assert.deepEqual([ada?.accounts, ada?.worst, ada?.address], [0, undefined, undefined]);
    });

    it('accounts that do not work are counted', async () => {
      const { db, link, userDirectory } = await prepare();
      await link('ada', 'a@example.com');
      await link('ada', 'b@example.com');
      await db.write("UPDATE account SET health = 'degraded' WHERE display = 'a@example.com'");

      const { users } = await userDirectory.findUsers(
        { clientIds: ['acme'], beginning: 'ada' },
        { limit: 1 },
      );
      assert.deepEqual([users[0]?.accounts, users[0]?.ailing, users[0]?.worst], [2, 1, 'degraded']);
    });
  });
}
