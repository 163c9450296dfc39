/** Contract tests for ConnectionCounts. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const HOUR = 3_600_000;

export function connectionCountsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const flow = { transactionId: 't', expiresAt: NOW + 1 };
    const link = async (accountId: string, transaction = flow) =>
      stores.accounts.linkAccount(newAccount({ accountId, identity: accountId, transaction }), NOW);
    const ail = async (accountId: string, reason: 'password_refused' | 'provider_unavailable') => {
      const account = await link(accountId);
      const state = reason === 'password_refused' ? 'reauth_required' : 'degraded';
      await stores.accounts.setHealth(account, { state, reason, message: 'It ails' }, NOW);
    };
    const finish = () => stores.db.write('UPDATE account_group SET expires_at = NULL RETURNING group_id');
    return { ...stores, link, ail, finish };
  };

  describe(`ConnectionCounts on ${database}`, () => {
    it('counts unhealthy accounts by state and reason, but not those of unfinished flows', async () => {
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
    });

    it('counts accounts once their flow is finished, exactly if there are few', async () => {
      const { connectionCounts, link, finish } = await prepare();
      await link('one');
      const count = (clientIds?: string[]) => connectionCounts.countConnections(clientIds);
      assert.deepEqual([await count(), await count(['acme'])], Array(2).fill({ count: 0, isExact: true }));
      await finish();
      await link('two');

      const counts = [await count(), await count(['acme']), await count(['other']), await count([])];

      assert.deepEqual(
        counts,
        [2, 2, 0, 0].map((number) => ({ count: number, isExact: true })),
      );
    });

    it('totals are counted once an hour, per application and over all, without unfinished flows', async () => {
      const { db, connectionCounts, link, finish } = await prepare();
      await link('one');
      await finish();
      const open = { transactionId: 'unfinished', expiresAt: NOW + 1 };
      await link('three', open);
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
