/** Contract tests for AilingAccounts. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import type { UnhealthyPosition } from '../../src/user-data/unhealthy-accounts.ts';
import { accountApart, grantAll, NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const DOWN = { state: 'degraded', reason: 'provider_unavailable', message: 'Down' } as const;
const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;

export function ailingAccountsContract(database: string, open: () => Promise<Database>): void {
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

  describe(`AilingAccounts on ${database}`, () => {
    it('counts unhealthy accounts by reason, up to the requested limit', async () => {
      const { ailing } = await prepare();

      assert.deepEqual(
        [...(await ailing.countAiling(undefined, 3))],
        [
          ['password_refused', 1],
          ['provider_unavailable', 3],
        ],
      );
      assert.equal((await ailing.countAiling(['acme'], 100)).get('provider_unavailable'), 5);
      assert.equal((await ailing.countAiling(['other'], 3)).size, 0);
      assert.equal((await ailing.countAiling([], 3)).size, 0);
    });

    it('lists each unhealthy account on exactly one page, the newest problem first', async () => {
      const { ailing } = await prepare();

      for (const clientIds of [undefined, ['acme', 'other']])
        for (const limit of [1, 2, 10]) {
          const seen: string[] = [];
          const since: number[] = [];
          let after: UnhealthyPosition | undefined;
          for (;;) {
            const filter = { clientIds, reason: DOWN.reason };
            const page = await ailing.listAiling(filter, { after, limit });
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
      const { ailing } = await prepare();
      const filter = { reason: REFUSED.reason, clientIds: ['acme'] };

      const [account] = await ailing.listAiling(filter, { limit: 5 });

      assert.deepEqual(
        { ...account, accountKey: '' },
        {
          ...{ accountKey: '', accountId: 'ben', clientId: 'acme', userId: 'ben' },
          ...{ provider: 'caldav', display: 'ben' },
          health: { ...REFUSED, since: NOW + 9 },
        },
      );
      assert.deepEqual(await ailing.listAiling({ ...filter, clientIds: ['other'] }, { limit: 5 }), []);
    });

    it('finds the account whose problem is the oldest, of the requested applications', async () => {
      const { ailing } = await prepare();
      const filter = { reason: DOWN.reason };

      for (const clientIds of [undefined, ['acme', 'other']])
        assert.equal((await ailing.findOldest({ ...filter, clientIds }))?.display, 'a');
      assert.equal(await ailing.findOldest({ ...filter, clientIds: ['other'] }), undefined);
      assert.equal(await ailing.findOldest({ reason: 'quota_exhausted' }), undefined);
    });

    it('an account that is not the user’s yet is neither counted nor shown', async () => {
      const { ailing, accounts } = await prepare();
      const account = await accounts.linkAccount(accountApart('open'), NOW);
      await accounts.setHealth(account, REFUSED, NOW + 1);

      assert.equal((await ailing.countAiling(undefined, 9)).get('password_refused'), 1);
      assert.equal((await ailing.listAiling({ reason: 'password_refused' }, { limit: 9 })).length, 1);
      assert.equal((await ailing.findOldest({ reason: 'password_refused' }))?.userId, 'ben');
    });
  });
}
