/** Contract tests for approvals that join groups. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import { NOW, openWithUsers } from './calendar-rows.ts';
import { makeEvent, rowsIn, visit } from './grant-rows.ts';

const ADA = { clientId: 'acme', userId: 'ada' };
const NEW = { credentials: { password: 'new' } };
const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;

export function joinGroupsContract(database: string, open: () => Promise<Database>): void {
  const prepare = () => openWithUsers(open);
  const listed = async ({ accounts }: Stores) => {
    const all = await accounts.listAccounts('acme', 'ada');
    return all.map(({ accountId }) => accountId);
  };
  /** Creates two groups of Ada's, `a` connected by one browser and `b` by another, and returns their grants. */
  const prepareTwo = async (scopes: { a?: 'free-busy' | 'read'; b?: 'free-busy' | 'read' } = {}) => {
    const stores = await prepare();
    const one = await visit(stores, 'one', { scope: scopes.a ?? 'read' });
    const ofA = await one.connect({ accountId: 'a' });
    const two = await visit(stores, 'two', { transactionId: 't2', scope: scopes.b ?? 'read' });
    const ofB = await two.connect({ accountId: 'b' }, NOW + 1);
    return { ...stores, ofA, ofB };
  };
  /** Signs in to `b` too in the first browser, which proves the other group, and allows. */
  const joinBoth = async (stores: Stores, change: object = {}, more: string[] = []) => {
    const both = await visit(stores, 'one', { transactionId: 't3', ...change });
    for (const accountId of ['b', ...more]) await both.link({ accountId, ...NEW }, NOW + 2);
    assert.equal(await both.allow(NOW + 2), 'approved');
    return both;
  };

  describe(`Joining on ${database}`, () => {
    it('signing in to an account again keeps its row, with the new credentials from Allow on', async () => {
      const stores = await prepare();
      const { db, accounts } = stores;
      const first = await visit(stores, 'browser');
      const account = await first.link({ provider: 'google', accountId: 'a', display: 'Old' });
      await first.allow();
      await first.redeem();
      await accounts.setHealth(account, REFUSED, NOW + 1);
      await db.write("UPDATE account SET lease_holder = 'old', lease_until = 1, unfinished_syncs = 2");
      await db.write('DELETE FROM job');
      const again = await visit(stores, 'other', { transactionId: 't2' });

      await again.link({ provider: 'google', accountId: 'a', display: 'New', ...NEW }, NOW + 2);
      const before = await accounts.credentialsOf(account.accountKey);
      await again.allow(NOW + 3);

      assert.deepEqual(before, { username: 'ada', password: 'canary-secret' });
      const [kept, ...others] = await accounts.listAccounts('acme', 'ada');
      assert.deepEqual(others, []);
      assert.deepEqual(
        [kept?.accountKey, kept?.display, kept?.timesLinked, kept?.health.state, kept?.linkedAt],
        [account.accountKey, 'New', 2, 'active', NOW],
      );
      assert.deepEqual(await accounts.credentialsOf(account.accountKey), NEW.credentials);
      const row = await db.get<{ holder: string | undefined; version: number; unfinished: number }>(
        `SELECT lease_holder AS "holder", credentials_version AS "version", unfinished_syncs AS "unfinished"
           FROM account`,
      );
      // A sync that loses its lease because of this does not count as unfinished.
      assert.deepEqual([row?.holder, row?.version, row?.unfinished], [undefined, 1, 0]);
      const jobs = await db.all<{ kind: string; key: string }>('SELECT kind, key FROM job');
      assert.deepEqual(
        jobs.map(({ kind, key }) => `${kind} ${key}`),
        [`sync-account ${account.accountKey}`],
      );
      assert.equal(await rowsIn(db, 'ended_access'), 0);
    });

    it('of an account that two transactions signed in to, the later sign-in counts', async () => {
      const stores = await prepare();
      const [one, two] = [await visit(stores, 'x'), await visit(stores, 'x', { transactionId: 't2' })];
      await two.link({ accountId: 'a', credentials: { password: 'first' } }, NOW);
      await one.link({ accountId: 'a', credentials: { password: 'last' } }, NOW + 1);

      await one.allow(NOW + 2);
      await one.redeem(NOW + 2);

      const [account, ...others] = await stores.accounts.listAccounts('acme', 'ada');
      assert.deepEqual(others, []);
      assert.deepEqual(await stores.accounts.credentialsOf(account?.accountKey ?? ''), {
        password: 'last',
      });
    });

    it('two groups proved in one approval become one, and each grant reads all of it', async () => {
      const stores = await prepareTwo();
      await joinBoth(stores);

      for (const grant of [stores.ofA, stores.ofB]) {
        const read = await stores.accounts.accountsOf(grant);
        assert.deepEqual(
          read.map(({ accountId }) => accountId),
          ['a', 'b'],
        );
      }
      assert.equal(await rowsIn(stores.db, 'account_group'), 1);
      for (const device of ['one', 'two']) {
        const { groups } = await stores.requests.groupsOf(ADA, device, NOW + 3);
        assert.deepEqual(
          groups.map(({ isOfThisBrowser }) => isOfThisBrowser),
          [true],
        );
      }
    });

    it('a grant that covered joined groups at different scopes covers them at the narrower', async () => {
      for (const scopes of [{ a: 'free-busy' }, { b: 'free-busy' }] as const) {
        const stores = await prepareTwo(scopes);
        const three = await visit(stores, 'three', { transactionId: 't4' });
        await three.connect({ accountId: 'c' }, NOW + 1);
        const pushed = { transactionId: 'pushed', isPushed: true, isVouched: true };
        const all = await visit(stores, 'third', pushed);
        await all.allow(NOW + 1);
        await all.redeem(NOW + 1);

        const both = await joinBoth(stores, { scope: 'read-write' }, ['c']);

        const rows = await stores.db.all<{ id: string; scope: string }>(
          'SELECT coverage_id AS "id", scope FROM grant_coverage',
        );
        const scopeOf = Object.fromEntries(rows.map(({ id, scope }) => [id, scope]));
        assert.equal(rows.length, 5);
        const scopesOf = [all, both].map((one) => scopeOf[one.approvalId()]);
        assert.deepEqual(scopesOf, ['free-busy', 'read-write'], JSON.stringify(scopes));
      }
    });

    it('of an account that two groups of the user have, the one that works stays', async () => {
      for (const broken of ['t1', 't2']) {
        const stores = await prepare();
        const { accounts } = stores;
        const keys = new Map<string, string>();
        for (const [i, transactionId] of ['t1', 't2'].entries()) {
          const one = await visit(stores, transactionId, { transactionId });
          // The second sign-in does not prove the first: a server may accept any password.
          const account = await one.link({ accountId: 'a', provesOwner: false }, NOW + i);
          keys.set(transactionId, account.accountKey);
          await one.allow(NOW + i);
          await one.redeem(NOW + i);
          if (transactionId === broken) await accounts.setHealth(account, REFUSED, NOW + 2);
        }
        await stores.db.write("UPDATE group_device SET device_hash = 'both'");

        await (await visit(stores, 'both', { transactionId: 't3' })).allow(NOW + 3);

        const left = await accounts.listAccounts('acme', 'ada');
        const works = keys.get(broken === 't1' ? 't2' : 't1');
        assert.deepEqual(
          left.map(({ accountKey, health }) => [accountKey, health.state]),
          [[works, 'active']],
        );
        assert.equal((await stores.requests.groupsOf(ADA, 'both', NOW)).groups.length, 1);
      }
    });

    it('the events of an account that joins are told to earlier grants, and no others again', async () => {
      const stores = await prepare();
      const { db, changes } = stores;
      const first = await visit(stores, 'browser');
      const { accountKey } = await first.link({ accountId: 'a' });
      await makeEvent(db, accountKey, 'old');
      await first.allow();
      const grant = await first.redeem();
      assert.ok(grant);
      const seq = (await changes.follow(ADA, NOW))?.seq ?? 0;
      const later = await visit(stores, 'browser', { transactionId: 't2' });
      await later.link({ accountId: 'a' }, NOW + 1);
      const joining = await later.link({ accountId: 'b' }, NOW + 1);
      await makeEvent(db, joining.accountKey, 'new');

      await later.allow(NOW + 2);

      const told = await changes.changesAfter(grant, { seq }, 10);
      assert.deepEqual(
        told.map(({ id, deleted, createdSeq }) => [id, deleted, createdSeq > seq]),
        [['new', 0, true]],
      );
    });

    it('the events of joined groups are told to the grants of both', async () => {
      const stores = await prepareTwo();
      const { db, changes, accounts, ofA, ofB } = stores;
      for (const { accountId, accountKey } of await accounts.listAccounts('acme', 'ada')) {
        await makeEvent(db, accountKey, accountId);
      }
      const seq = (await changes.follow(ADA, NOW))?.seq ?? 0;

      await joinBoth(stores);

      for (const grant of [ofA, ofB]) {
        const told = await changes.changesAfter(grant, { seq }, 10);
        assert.deepEqual(told.map(({ id, deleted }) => [id, deleted]).toSorted(), [
          ['a', 0],
          ['b', 0],
        ]);
      }
    });

    it('changes of a group before it joined another are reported to its grants afterwards too', async () => {
      const stores = await prepareTwo();
      const { db, changes, accounts, ofB } = stores;
      const more = await visit(stores, 'two', { transactionId: 'more' });
      const { accountKey } = await more.link({ accountId: 'x' }, NOW + 1);
      await makeEvent(db, accountKey, 'x');
      await more.allow(NOW + 1);
      const seq = (await changes.follow(ADA, NOW))?.seq ?? 0;
      await accounts.disconnect({ ...ofB, provider: 'caldav', accountId: 'x' }, NOW + 1);

      await joinBoth(stores);

      const told = await changes.changesAfter(ofB, { seq }, 10);
      assert.deepEqual(
        told.map(({ id, deleted }) => [id, deleted]),
        [['x', 1]],
      );
    });

    it('if two groups had one account, the events under the removed name are reported as deleted', async () => {
      const stores = await prepare();
      const { db, changes } = stores;
      const grants = [];
      for (const [i, name] of ['old', 'new'].entries()) {
        const one = await visit(stores, name, { transactionId: name });
        const twin = { accountId: name, identity: 'same', provesOwner: false };
        const { accountKey } = await one.link(twin, NOW + i);
        await makeEvent(db, accountKey, name);
        await one.allow(NOW + i);
        grants.push(await one.redeem(NOW + i));
      }
      const seq = (await changes.follow(ADA, NOW))?.seq ?? 0;
      await db.write("UPDATE group_device SET device_hash = 'both'");

      await (await visit(stores, 'both', { transactionId: 't3' })).allow(NOW + 3);

      for (const grant of grants) {
        const told = await changes.changesAfter(grant ?? assert.fail(), { seq }, 10);
        assert.deepEqual(
          told.map(({ accountId, deleted }) => [accountId, deleted]),
          [
            ['new', 1],
            ['old', 0],
          ],
        );
      }
    });

    it('what a stranger linked under the user’s id joins nothing', async () => {
      const stores = await prepareTwo();
      const eve = await visit(stores, 'eve', { transactionId: 't3' });
      await eve.link({ accountId: 'a', identity: 'eve at a server that claims to be a' });

      await eve.allow();
      await eve.redeem();

      assert.deepEqual(await listed(stores), ['a', 'a', 'b']);
      assert.equal((await stores.accounts.accountsOf(stores.ofA)).length, 1);
      assert.equal(await rowsIn(stores.db, 'account_group'), 3);
    });
  });
}
