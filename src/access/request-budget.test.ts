import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { requestBudgets } from './request-budget.ts';
import type { RequestLimitStore } from './request-limit-store.ts';

/** One token for each write. */
const RATE = { requests: 10, per: 60_000 };

describe('a budget of requests', () => {
  it('gives the applications that wait for it tokens in turn, and so their users', async () => {
    const first = Promise.withResolvers<number>();
    let writes = 0;
    const takeTokens = async () => {
      writes += 1;
      return writes === 1 ? first.promise : 0;
    };
    const store: Pick<RequestLimitStore, 'takeTokens' | 'drain'> = { takeTokens, drain: async () => {} };
    const budgets = requestBudgets(store, Date.now);
    const served: string[] = [];
    const take = async (clientId: string, userId: string) => {
      await budgets.take('app google', RATE, { clientId, userId });
      served.push(`${clientId} ${userId}`);
    };

    const all = [
      ...Array.from({ length: 5 }, () => take('busy', 'ada')),
      take('busy', 'bob'),
      take('other', 'cyd'),
    ];
    first.resolve(0);
    await Promise.all(all);

    assert.deepEqual(served.slice(0, 3).toSorted(), ['busy ada', 'busy bob', 'other cyd']);
    assert.equal(writes, 7);
  });
});
