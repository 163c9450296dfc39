/** Contract tests for ConnectionCounts. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const HOUR = 3_600_000;

export function connectionCountsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const link = async (accountId: string) =>
      stores.accounts.linkAccount(
        newAccount({
          accountId,
          identity: accountId,
          transaction: { transactionId: 't', expiresAt: NOW + 1 },
        }),
        NOW,
      );
    const ail = async (accountId: string, reason: 'password_refused' | 'provider_unavailable') => {
      const account = await link(accountId);
      const state = reason === 'password_refused' ? 'reauth_required' : 'degraded';
      await stores.accounts.setHealth(account, { state, reason, message: 'It ails' }, NOW);
    };
    const finish = () => stores.db.write('UPDATE account_group SET expires_at = NULL RETURNING group_id');
    return { ...stores, link, ail, finish };
  };

  describe(`ConnectionCounts on ${database}`, () => {
    it('those that ail are counted by state and reason, but not before they are their user’s', async () => {
      const { connectionCounts, link, ail, finish } = await prepare();
      await link('well');
      await ail('one', 'password_refused');
      await ail('two', 'password_refused');
      await ail('three', 'provider_unavailable');
      const before = await connectionCounts.countByHealth(100);
      await finish();

      const all = await connectionCounts.countByHealth(100);

      const refused = { state: 'reauth_required', reason: 'password_refused', count: 2 };
      const away = { state: 'degraded', reason: 'provider_unavailable', count: 1 };
      assert.deepEqual(before, []);
      assert.deepEqual(all, [refused, away]);
      assert.deepEqual(await connectionCounts.countByHealth(100, ['acme']), all);
      assert.deepEqual(await connectionCounts.countByHealth(100, ['other']), []);
      const few = await connectionCounts.countByHealth(2);
      assert.equal(
        few.reduce((sum, { count }) => sum + count, 0),
        2,
      );
      assert.deepEqual(await connectionCounts.countConnections(), { count: 4, isExact: true });
      assert.deepEqual(await connectionCounts.countConnections([]), { count: 0, isExact: true });
    });

    it('totals are counted once an hour, per application and over all', async () => {
      const { db, connectionCounts, link } = await prepare();
      await link('one');
      assert.ok((await connectionCounts.keepTotals(NOW)) > 0);
      await link('two');
      assert.equal(await connectionCounts.keepTotals(NOW + HOUR - 1), 0);
      const kept = () =>
        db.all(`SELECT client_id AS "id", total FROM connection_total WHERE total > 0 ORDER BY 1`);
      const first = await kept();

      await connectionCounts.keepTotals(NOW + HOUR);

      assert.deepEqual(
        first.map((row) => ({ ...(row as object) })),
        [
          { id: '', total: 1 },
          { id: 'acme', total: 1 },
        ],
      );
      assert.equal((await kept()).length, 2);
      assert.deepEqual({ ...((await kept())[1] as object) }, { id: 'acme', total: 2 });
    });
  });
}
