/** Contract tests for HealthHistory. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MOST_HEALTH_EVENTS } from '../../src/calendars/health-history.ts';
import { addReused } from '../../src/store/accounts/health-history.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { grantAll, NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
const DOWN = { state: 'degraded', reason: 'provider_unavailable', message: 'Down' } as const;

export function healthHistoryContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const account = await stores.accounts.linkAccount(newAccount(), NOW);
    const grant = await grantAll(stores.db);
    const happened = async () =>
      (await stores.healthHistory.listHealthEvents('acme', 'ada')).map((event) => [
        event.happened,
        event.reason,
        event.at - NOW,
      ]);
    return { ...stores, account, grant, happened };
  };

  describe(`HealthHistory on ${database}`, () => {
    it('what happens to an account is kept with its reason, the newest first', async () => {
      const { accounts, account, happened } = await prepare();

      await accounts.setHealth(account, DOWN, NOW + 1);
      await accounts.recover(account.accountKey, NOW + 2);
      await accounts.setHealth(account, REFUSED, NOW + 3);
      await accounts.linkAccount(newAccount(), NOW + 4);

      assert.deepEqual(await happened(), [
        ['connected', undefined, 4],
        ['reauth_required', 'password_refused', 3],
        ['recovered', undefined, 2],
        ['degraded', 'provider_unavailable', 1],
        ['connected', undefined, 0],
      ]);
    });

    it('an account that is linked without access to calendars says so from the start', async () => {
      const { db, accounts, happened } = await prepare();
      await accounts.linkAccount(newAccount({ accountId: 'bare', calendarPermission: false }), NOW + 1);
      await grantAll(db);

      assert.deepEqual((await happened()).slice(0, 2), [
        ['reauth_required', 'calendar_permission_missing', 1],
        ['connected', undefined, 1],
      ]);
    });

    it('a problem that continues is one event, whatever its message', async () => {
      const { accounts, account, happened } = await prepare();

      await accounts.setHealth(account, DOWN, NOW + 1);
      await accounts.setHealth(account, DOWN, NOW + 2);
      await accounts.setHealth(account, { ...DOWN, message: 'Still down' }, NOW + 3);
      await accounts.setHealth(account, { ...DOWN, reason: 'quota_exhausted' }, NOW + 4);

      assert.deepEqual(
        (await happened()).map(([, reason, at]) => [reason, at]),
        [
          ['quota_exhausted', 4],
          ['provider_unavailable', 1],
          [undefined, 0],
        ],
      );
    });

    it('each reuse of a refresh token is an event, and a problem that continues after it is none', async () => {
      const { db, accounts, account, grant, happened } = await prepare();
      await accounts.setHealth(account, DOWN, NOW + 1);

      for (const at of [NOW + 2, NOW + 3]) await db.transaction((tx) => addReused(tx, grant.coverageId, at));
      await accounts.setHealth(account, DOWN, NOW + 4);

      assert.deepEqual(
        (await happened()).map(([what, , at]) => [what, at]),
        [
          ['refresh_reused', 3],
          ['refresh_reused', 2],
          ['degraded', 1],
          ['connected', 0],
        ],
      );
    });

    it('an account that flaps has its newest events alone', async () => {
      const { db, accounts, account, happened } = await prepare();
      await accounts.setHealth(account, DOWN, NOW + 1);
      await db.write(
        `UPDATE account_history SET number = ${MOST_HEALTH_EVENTS} WHERE happened = 'degraded' RETURNING number`,
      );

      await accounts.recover(account.accountKey, NOW + 2);

      assert.deepEqual(
        (await happened()).map(([name]) => name),
        ['recovered', 'degraded'],
      );
    });

    it('events go when they are old, and with their account', async () => {
      const { db, accounts, account, healthHistory, happened } = await prepare();
      await accounts.setHealth(account, DOWN, NOW + 5);

      assert.equal(await healthHistory.deleteOldHealthEvents(NOW + 5), 1);
      assert.deepEqual(
        (await happened()).map(([name]) => name),
        ['degraded'],
      );
      await accounts.removeAccount(account.accountKey, NOW + 6, undefined);

      assert.deepEqual(await db.all('SELECT number FROM account_history'), []);
    });

    it('what happens to an account that is not the user’s yet is in no list', async () => {
      const { accounts, healthHistory } = await openWithUsers(open);
      await accounts.linkAccount(newAccount(), NOW);

      assert.deepEqual(await healthHistory.listHealthEvents('acme', 'ada'), []);
    });
  });
}
