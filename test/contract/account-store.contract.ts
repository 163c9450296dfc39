/** Contract tests for AccountStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { NewAccount } from '../../src/calendars/account-store.ts';
import { accountStore } from '../../src/store/accounts/account-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { accountApart, grantAll, NOW, newAccount, openWithUsers, sealer, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';

const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
const DOWN = { state: 'degraded', reason: 'provider_unavailable', message: 'Down' } as const;
const wellSince = (since: number) => ({ state: 'active', reason: undefined, message: undefined, since });

async function makeCalendar(db: Database, accountKey: string): Promise<void> {
  await db.write(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
     VALUES ('c', :accountKey, '/c/', 0, 'C', 'UTC', 'read', '{}')`,
    { accountKey },
  );
}

export function accountStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = () => openWithUsers(open);
  const jobs = (db: Database) => db.all<{ kind: string; key: string }>('SELECT kind, key FROM job');

  describe(`AccountStore on ${database}`, () => {
    it('linking makes an account and schedules its first sync with it', async () => {
      const { db, accounts } = await prepare();

      const linked = await accounts.linkAccount(newAccount(), NOW);

      assert.deepEqual(await accounts.findAccount(linked.accountKey), linked);
      assert.deepEqual(linked.health, wellSince(NOW));
      assert.deepEqual(await accounts.credentialsOf(linked.accountKey), newAccount().credentials);
      assert.deepEqual(
        (await jobs(db)).map((job) => ({ ...job })),
        [{ kind: 'sync-account', key: linked.accountKey }],
      );
    });

    it('linking an account notifies the listener for jobs that one was scheduled', async () => {
      const { db } = await prepare();
      let calls = 0;

      await accountStore(db, sealer, { jobScheduled: () => calls++ }).linkAccount(newAccount(), NOW);

      assert.equal(calls, 1);
    });

    it('each account of a user says how far the first loading of its calendars is', async () => {
      const { db, accounts } = await prepare();
      const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
      const other = await accounts.linkAccount(newAccount({ userId: 'ben' }), NOW);
      const loading = async () => (await accounts.loadingOf('acme', 'ada')).get(accountKey);

      const before = await loading();
      await makeCalendar(db, accountKey);
      await db.write('UPDATE account SET listed_at = :now', { now: NOW });
      const listed = await loading();
      await db.write('UPDATE calendar SET failed_at = :now', { now: NOW });
      const tried = await loading();

      assert.deepEqual(before, { isListed: false, calendars: 0, loaded: 0 });
      assert.deepEqual(listed, { isListed: true, calendars: 1, loaded: 0 });
      assert.deepEqual(tried, { isListed: true, calendars: 1, loaded: 1 });
      assert.equal((await accounts.loadingOf('acme', 'ada')).has(other.accountKey), false);
    });

    it('ten concurrent calls to link in one transaction make one account, in one group', async () => {
      const { db, accounts } = await prepare();

      const linked = await tenTimes((i) =>
        accounts.linkAccount(newAccount({ device: { deviceHash: `d${i}`, formerHash: undefined } }), NOW),
      );

      const keys = new Set(linked.map(({ accountKey }) => accountKey));
      assert.equal(keys.size, 1);
      assert.deepEqual([await rowsIn(db, 'account'), await rowsIn(db, 'account_group')], [1, 1]);
      assert.deepEqual(await accounts.credentialsOf([...keys][0] ?? ''), newAccount().credentials);
    });

    it('the same account linked in two transactions is two, each with its own credentials', async () => {
      const { accounts } = await prepare();

      const one = await accounts.linkAccount(newAccount(), NOW);
      const two = await accounts.linkAccount(accountApart('t2', { credentials: { password: 'two' } }), NOW);

      assert.notEqual(one.accountKey, two.accountKey);
      assert.deepEqual(await accounts.credentialsOf(one.accountKey), newAccount().credentials);
      assert.deepEqual(await accounts.credentialsOf(two.accountKey), { password: 'two' });
    });

    it('accounts that claim one id on the wire are two when other people signed in', async () => {
      const { accounts } = await prepare();

      const one = await accounts.linkAccount(newAccount(), NOW);
      const two = await accounts.linkAccount(newAccount({ identity: 'of a stranger' }), NOW);

      assert.notEqual(one.accountKey, two.accountKey);
      assert.equal(one.accountId, two.accountId);
      assert.equal(one.identity, newAccount().identity);
      assert.deepEqual(await accounts.credentialsOf(one.accountKey), newAccount().credentials);
    });

    const OLD: readonly (readonly [string, Partial<NewAccount>, boolean])[] = [
      ['is taken from who signs in to it', {}, true],
      ['of another id on the wire is not taken', { accountId: 'https://dav.example/eve/' }, false],
      ['of a CalDAV server is not taken by another user name', { display: 'eve@dav.example' }, false],
      ['of another user is not taken', { userId: 'ben' }, false],
    ];
    for (const [rule, change, takes] of OLD)
      it(`the identity of an account that was linked before identities were kept ${rule}`, async () => {
        const { db, accounts } = await prepare();
        const old = await accounts.linkAccount(accountApart('before'), NOW);
        await db.write('UPDATE account SET identity = NULL');

        await accounts.linkAccount(newAccount({ identity: 'who signs in', ...change }), NOW);

        const { identity } = (await accounts.findAccount(old.accountKey)) ?? {};
        assert.equal(identity, takes ? 'who signs in' : undefined);
        assert.deepEqual(await accounts.credentialsOf(old.accountKey), newAccount().credentials);
      });

    it('the identity of an account of old is not taken while its group has another of that identity', async () => {
      const { db, accounts } = await prepare();
      const old = await accounts.linkAccount(accountApart('before'), NOW);
      await db.write('UPDATE account SET identity = NULL');
      const moved = { accountId: 'https://dav.example/elsewhere/', identity: 'same' };
      const known = await accounts.linkAccount(accountApart('before', moved), NOW);

      await accounts.linkAccount(newAccount({ identity: 'same' }), NOW);

      const identities = [old, known].map(async ({ accountKey }) => {
        return (await accounts.findAccount(accountKey))?.identity;
      });
      assert.deepEqual(await Promise.all(identities), [undefined, 'same']);
    });

    it('the identity of a Google account of old is taken whatever it is shown as', async () => {
      const { db, accounts } = await prepare();
      const google = { provider: 'google', accountId: 'ada@example.com' } as const;
      const old = await accounts.linkAccount(accountApart('before', google), NOW);
      await db.write('UPDATE account SET identity = NULL');

      await accounts.linkAccount(newAccount({ ...google, identity: 'sub:1', display: 'Ada' }), NOW);

      assert.equal((await accounts.findAccount(old.accountKey))?.identity, 'sub:1');
    });

    it('linking an account again renews its credentials and health and keeps its key', async () => {
      const { accounts } = await prepare();
      const first = await accounts.linkAccount(newAccount(), NOW);
      await accounts.setHealth(first, REFUSED, NOW + 1);

      const again = await accounts.linkAccount(
        newAccount({ credentials: { password: 'new' }, display: 'Ada' }),
        NOW + 2,
      );

      assert.equal(again.accountKey, first.accountKey);
      assert.equal(again.display, 'Ada');
      assert.equal(again.linkedAt, NOW);
      assert.deepEqual(again.health, wellSince(NOW + 2));
      assert.deepEqual(await accounts.credentialsOf(first.accountKey), { password: 'new' });
    });

    it('credentials are sealed: they stand nowhere in plain and open in their own row only', async () => {
      const { db, accounts } = await prepare();
      const one = await accounts.linkAccount(newAccount(), NOW);
      const two = await accounts.linkAccount(newAccount({ userId: 'ben' }), NOW);
      const rows = await db.all<{ credentials: string }>('SELECT credentials FROM account');

      await db.write(
        `UPDATE account SET credentials =
           (SELECT credentials FROM account WHERE account_key = :one) WHERE account_key = :two`,
        { one: one.accountKey, two: two.accountKey },
      );

      assert.ok(rows.every(({ credentials }) => !credentials.includes('canary')));
      await assert.rejects(accounts.credentialsOf(two.accountKey));
    });

    it('a list of accounts is of the user alone, in provider order, then by when they were linked', async () => {
      const { db, accounts } = await prepare();
      await accounts.linkAccount(newAccount({ accountId: 'later' }), NOW + 1);
      await accounts.linkAccount(newAccount({ accountId: 'earlier' }), NOW);
      await accounts.linkAccount(newAccount({ provider: 'google', accountId: 'g' }), NOW + 2);
      await accounts.linkAccount(newAccount({ userId: 'ben', accountId: 'other' }), NOW);
      await grantAll(db);
      await grantAll(db, { userId: 'ben' });

      const listed = await accounts.listAccounts('acme', 'ada');

      assert.deepEqual(
        listed.map(({ accountId }) => accountId),
        ['g', 'earlier', 'later'],
      );
    });

    it('an account keeps since when it is in a state while only the reason changes', async () => {
      const { accounts } = await prepare();
      const account = await accounts.linkAccount(newAccount(), NOW);

      await accounts.setHealth(account, { ...DOWN, reason: 'quota_exhausted' }, NOW + 1);
      await accounts.setHealth(account, DOWN, NOW + 2);

      const current = await accounts.findAccount(account.accountKey);
      assert.deepEqual(current?.health, { ...DOWN, since: NOW + 1 });
    });

    it('an account keeps telling that the user must act while the provider is down as well', async () => {
      const { accounts } = await prepare();
      const account = await accounts.linkAccount(newAccount(), NOW);
      await accounts.setHealth(account, REFUSED, NOW + 1);

      await accounts.setHealth(account, DOWN, NOW + 2);

      const current = await accounts.findAccount(account.accountKey);
      assert.deepEqual(current?.health, { ...REFUSED, since: NOW + 1 });
    });

    it('an account ignores what a run found out before its user linked it again', async () => {
      const { accounts } = await prepare();
      const before = await accounts.linkAccount(newAccount(), NOW);
      await accounts.linkAccount(newAccount(), NOW + 1);

      await accounts.setHealth(before, REFUSED, NOW + 2);
      await accounts.keepAddresses(before, ['former@example.com'], NOW + 2);

      const current = await accounts.findAccount(before.accountKey);
      assert.deepEqual([current?.health.state, current?.addressesReadAt], ['active', undefined]);
    });

    it('linking an account again takes syncs under way with the old credentials their leases', async () => {
      const { db, accounts } = await prepare();
      const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
      await makeCalendar(db, accountKey);
      await db.write("UPDATE account SET lease_holder = 'old', lease_until = 1");
      await db.write("UPDATE calendar SET lease_holder = 'old', lease_until = 1");

      await accounts.linkAccount(newAccount(), NOW + 1);

      const rows = await db.all(
        `SELECT lease_holder FROM account WHERE lease_holder IS NOT NULL
         UNION ALL SELECT lease_holder FROM calendar WHERE lease_holder IS NOT NULL`,
      );
      assert.deepEqual(rows, []);
    });

    it('an account linked without the calendar permission has the user act', async () => {
      const { accounts } = await prepare();

      const linked = await accounts.linkAccount(newAccount({ calendarPermission: false }), NOW);

      const { state, reason, since } = linked.health;
      assert.deepEqual([state, reason, since], ['reauth_required', 'calendar_permission_missing', NOW]);
    });

    it('an account notes a calendar permission that is missing, and that it is there again', async () => {
      const { accounts } = await prepare();
      const account = await accounts.linkAccount(newAccount({ calendarPermission: true }), NOW);
      const permission = async () => (await accounts.findAccount(account.accountKey))?.calendarPermission;

      await accounts.setHealth(account, { ...REFUSED, reason: 'calendar_permission_missing' }, NOW + 1);
      const missing = await permission();
      await accounts.recover(account.accountKey, NOW + 2);

      assert.equal(missing, false);
      assert.equal(await permission(), true);
    });

    it('an account knows that a calendar permission is there again, whatever else was the matter meanwhile', async () => {
      const { accounts } = await prepare();
      const account = await accounts.linkAccount(newAccount({ calendarPermission: true }), NOW);
      await accounts.setHealth(account, { ...REFUSED, reason: 'calendar_permission_missing' }, NOW + 1);
      await accounts.setHealth(account, { ...REFUSED, reason: 'reauthentication_demanded' }, NOW + 2);

      await accounts.recover(account.accountKey, NOW + 3);

      const { calendarPermission, health } = (await accounts.findAccount(account.accountKey)) ?? {};
      assert.deepEqual([calendarPermission, health?.state], [true, 'active']);
    });

    it('an account recovers only when its list and all its calendars are well', async () => {
      const { db, accounts } = await prepare();
      const account = await accounts.linkAccount(newAccount(), NOW);
      const { accountKey } = account;
      await accounts.setHealth(account, DOWN, NOW + 1);
      await makeCalendar(db, accountKey);
      await db.write("UPDATE calendar SET sync_error = 'x'");

      await accounts.recover(accountKey, NOW + 2);
      const whileCalendarFails = await accounts.findAccount(accountKey);
      await db.write("UPDATE account SET list_error = 'x'");
      await db.write('UPDATE calendar SET sync_error = NULL');
      await accounts.recover(accountKey, NOW + 2);
      const whileListFails = await accounts.findAccount(accountKey);
      await db.write('UPDATE account SET list_error = NULL');
      await accounts.recover(accountKey, NOW + 3);

      assert.equal(whileCalendarFails?.health.state, 'degraded');
      assert.equal(whileListFails?.health.state, 'degraded');
      const after = await accounts.findAccount(accountKey);
      assert.deepEqual(after?.health, wellSince(NOW + 3));
    });
  });
}
