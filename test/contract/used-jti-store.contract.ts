/** Contract tests for UsedJtiStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';

export function usedJtiStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`UsedJtiStore on ${database}`, () => {
    it('accepts an id once from ten concurrent callers', async () => {
      const { usedJtis } = await openWithUsers(open);

      const results = await tenTimes(() => usedJtis.use('hash', NOW + 1000));

      assert.equal(results.filter((isFirst) => isFirst).length, 1);
    });

    it('deletes only expired ids', async () => {
      const { usedJtis } = await openWithUsers(open);
      await usedJtis.use('old', NOW - 1);
      await usedJtis.use('valid', NOW);

      await usedJtis.deleteExpired(NOW);

      assert.deepEqual([await usedJtis.use('old', NOW), await usedJtis.use('valid', NOW)], [true, false]);
    });
  });
}
