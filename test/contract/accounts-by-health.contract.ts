/** Contract tests for AccountsByHealth. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import type {
  ConnectedPosition,
  UnhealthyFilter,
  UnhealthyPosition,
} from '../../src/user-data/accounts-by-health.ts';
import { listReasons, type Turn } from '../../src/user-data/responsible-party.ts';
import { accountApart, grantAll, NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const DOWN = { state: 'degraded', reason: 'provider_unavailable', message: 'Down' } as const;
const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;

export function accountsByHealthContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const { db, accounts } = stores;
    /** Five accounts of Ada's are down, one after the other except for two at once; one account is healthy. */
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'well'].entries()) {
      const account = await accounts.linkAccount(newAccount({ accountId: name, display: name }), NOW);
      if (name !== 'well') await accounts.setHealth(account, DOWN, NOW + Math.min(index, 3));
    }
    const ben = newAccount({ userId: 'ben', accountId: 'ben', display: 'ben' });
    await accounts.setHealth(await accounts.linkAccount(ben, NOW), REFUSED, NOW + 9);
    for (const userId of ['ada', 'ben']) await grantAll(db, { userId });
    return stores;
  };

  describe(`AccountsByHealth on ${database}`, () => {
    it('counts unhealthy accounts by reason, up to the requested limit', async () => {
      const { accountsByHealth } = await prepare();

      assert.deepEqual(
        [...(await accountsByHealth.countUnhealthy({}, 3))],
        [
          ['password_refused', 1],
          ['provider_unavailable', 3],
        ],
      );
      assert.equal(
        (await accountsByHealth.countUnhealthy({ clientIds: ['acme'] }, 100)).get('provider_unavailable'),
        5,
      );
      assert.equal((await accountsByHealth.countUnhealthy({ clientIds: ['other'] }, 3)).size, 0);
      assert.equal((await accountsByHealth.countUnhealthy({ clientIds: [] }, 3)).size, 0);
    });

    it('lists each unhealthy account on exactly one page, the newest problem first', async () => {
      const { accountsByHealth } = await prepare();

      for (const clientIds of [undefined, ['acme', 'other']])
        for (const limit of [1, 2, 10]) {
          const seen: string[] = [];
          const since: number[] = [];
          let after: UnhealthyPosition | undefined;
          for (;;) {
            const filter = { clientIds, reason: DOWN.reason };
            const page = await accountsByHealth.listUnhealthy(filter, { after, limit });
            seen.push(...page.map(({ display }) => display));
            since.push(...page.map(({ health }) => health.since));
            const last = page.at(-1);
            if (last === undefined) break;
            after = { since: last.health.since, accountKey: last.accountKey };
          }
          assert.deepEqual(seen.toSorted(), ['a', 'b', 'c', 'd', 'e']);
          assert.deepEqual(
            since,
            since.toSorted((one, other) => other - one),
          );
        }
    });

    it('an account is shown with its user, provider and trouble, where the application is one that is named', async () => {
      const { accountsByHealth } = await prepare();
      const filter = { reason: REFUSED.reason, clientIds: ['acme'] };

      const [account] = await accountsByHealth.listUnhealthy(filter, { limit: 5 });

      assert.deepEqual(
        { ...account, accountKey: '' },
        {
          ...{ accountKey: '', accountId: 'ben', clientId: 'acme', userId: 'ben' },
          ...{ provider: 'caldav', display: 'ben' },
          health: { ...REFUSED, since: NOW + 9 },
        },
      );
      assert.deepEqual(
        await accountsByHealth.listUnhealthy({ ...filter, clientIds: ['other'] }, { limit: 5 }),
        [],
      );
    });

    it('finds the account whose problem is the oldest, of the requested applications', async () => {
      const { accountsByHealth } = await prepare();
      const filter = { reason: DOWN.reason };

      for (const clientIds of [undefined, ['acme', 'other']])
        assert.equal((await accountsByHealth.findOldest({ ...filter, clientIds }))?.display, 'a');
      assert.equal(await accountsByHealth.findOldest({ ...filter, clientIds: ['other'] }), undefined);
      assert.equal(await accountsByHealth.findOldest({ reason: 'quota_exhausted' }), undefined);
    });

    it('an account that is not the user’s yet is neither counted nor shown', async () => {
      const { accountsByHealth, accounts } = await prepare();
      const account = await accounts.linkAccount(accountApart('open'), NOW);
      await accounts.setHealth(account, REFUSED, NOW + 1);

      assert.equal((await accountsByHealth.countUnhealthy({}, 9)).get('password_refused'), 1);
      assert.equal(
        (await accountsByHealth.listUnhealthy({ reason: 'password_refused' }, { limit: 9 })).length,
        1,
      );
      assert.equal((await accountsByHealth.findOldest({ reason: 'password_refused' }))?.userId, 'ben');
    });

    it('lists and counts only accounts with the requested state, provider and responsible party', async () => {
      const { accountsByHealth } = await prepare();
      const both = [5, 1];
      const filters: readonly (readonly [UnhealthyFilter, readonly number[]])[] = [
        [{}, both],
        [{ state: 'degraded' }, [5, 0]],
        [{ state: 'reauth_required' }, [0, 1]],
        [{ provider: 'caldav' }, both],
        [{ provider: 'google' }, [0, 0]],
        [{ reasons: listReasons('user') }, [0, 1]],
        [{ reasons: listReasons('provider'), clientIds: ['acme'] }, [5, 0]],
        [{ reasons: listReasons('operator') }, [0, 0]],
      ];
      for (const [filter, [down = 0, refused = 0]] of filters) {
        const counts = await accountsByHealth.countUnhealthy(filter, 9);
        const accounts = await accountsByHealth.listUnhealthy(filter, { limit: 9 });

        assert.equal(counts.get(DOWN.reason) ?? 0, down, JSON.stringify(filter));
        assert.equal(counts.get(REFUSED.reason) ?? 0, refused, JSON.stringify(filter));
        assert.equal(accounts.length, down + refused, JSON.stringify(filter));
      }
    });

    it('lists problems of a provider app by who maintains it: the operator or the application', async () => {
      const { accountsByHealth, accounts, db } = await prepare();
      const input = newAccount({ provider: 'google', accountId: 'g', display: 'g' });
      const account = await accounts.linkAccount(input, NOW);
      await accounts.setHealth(account, { ...DOWN, reason: 'app_secret_expired' }, NOW);
      await grantAll(db, { userId: 'ada' });
      const namesFor = async (turn: Turn) =>
        (await accountsByHealth.listUnhealthy({ reasons: listReasons(turn) }, { limit: 9 })).map(
          ({ display }) => display,
        );

      assert.deepEqual([await namesFor('operator'), await namesFor('application')], [['g'], []]);
      await db.write(
        `INSERT INTO provider_app (client_id, provider, app_client_id, app_client_secret, updated_at)
         VALUES ('acme', 'google', 'id', '', 1)`,
      );
      assert.deepEqual([await namesFor('operator'), await namesFor('application')], [[], ['g']]);
    });

    it('lists each connected account on exactly one page by address, or each that works', async () => {
      const { accountsByHealth, accounts } = await prepare();
      await accounts.linkAccount(accountApart('open'), NOW);

      for (const clientIds of [undefined, ['acme', 'other']])
        for (const [isWorking, expected] of [
          [true, ['well']],
          [false, ['a', 'b', 'ben', 'c', 'd', 'e', 'well']],
        ] as const) {
          const seen: string[] = [];
          for (let after: ConnectedPosition | undefined; ; ) {
            const [account] = await accountsByHealth.listConnected(
              { clientIds, isWorking },
              { after, limit: 1 },
            );
            if (account === undefined) break;
            seen.push(account.display);
            after = account;
          }
          assert.deepEqual(seen, expected);
        }
    });
  });
}
