/** Contract tests for IdempotencyStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { accountApart, grantAll, NOW, newAccount, openWithUsers, tenTimes } from './calendar-rows.ts';

const DAY = 24 * 3_600_000;
const REQUEST = { clientId: 'acme', userId: 'ada', coverageId: '', keyHash: 'key', requestHash: 'body' };

export function idempotencyStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const { db, accounts, idempotency: store } = await openWithUsers(open);
    const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
    const grant = await grantAll(db);
    const { coverageId } = grant;
    const claim = (holder: string, at = NOW, change: Partial<typeof REQUEST> = {}) => {
      const terms = { holder, seed: `seed of ${holder}`, now: at, until: at + 1_000, forgottenAt: at - DAY };
      return store.claim({ ...REQUEST, coverageId, ...change }, terms);
    };
    return { db, accounts, store, claim, grant, accountKey };
  };

  describe(`IdempotencyStore on ${database}`, () => {
    it('exactly one of ten concurrent requests with one key is carried out', async () => {
      const { claim } = await prepare();

      const claims = await tenTimes((i) => claim(`run ${i}`));

      const states = claims.map(({ state }) => state).sort();
      assert.deepEqual(states, ['claimed', ...Array(9).fill('under_way')]);
    });

    it('a key answers what was answered before, and tells another request apart', async () => {
      const { store, claim, accountKey } = await prepare();
      await claim('first');
      await store.keepAnswer(REQUEST, 'first', { body: 'the answer', accountKey });

      assert.deepEqual(await claim('second'), { state: 'answered', answer: 'the answer' });
      assert.deepEqual(await claim('third', NOW, { requestHash: 'other' }), { state: 'other_request' });
      assert.equal((await claim('fourth', NOW, { userId: 'ben' })).state, 'claimed', 'keys are a user’s own');
    });

    it('what a dead run left goes to the next one with the same seed, to one alone', async () => {
      const { claim } = await prepare();
      await claim('dead');
      assert.equal((await claim('early', NOW + 999)).state, 'under_way');

      const claims = await tenTimes((i) => claim(`late ${i}`, NOW + 1_000));

      const claimed = claims.filter(({ state }) => state === 'claimed');
      assert.deepEqual(claimed, [{ state: 'claimed', seed: 'seed of dead' }]);
      assert.deepEqual(await claim('other', NOW + 5_000, { requestHash: 'other' }), {
        state: 'other_request',
      });
    });

    it('nothing is taken from a run whose claim another took over', async () => {
      const { store, claim, accountKey } = await prepare();
      await claim('slow');
      await claim('next', NOW + 1_000);

      await store.keepAnswer(REQUEST, 'slow', { body: 'late', accountKey });
      await store.release(REQUEST, 'slow');
      await store.forget(REQUEST, 'slow');

      assert.equal((await claim('third', NOW + 1_500)).state, 'under_way');
    });

    it('the seed of a released key is kept, and the seed of a refused request is not', async () => {
      const { store, claim } = await prepare();
      await claim('first');
      await store.release(REQUEST, 'first');
      assert.deepEqual(await claim('second'), { state: 'claimed', seed: 'seed of first' });

      await store.forget(REQUEST, 'second');

      const other = await claim('third', NOW, { requestHash: 'other' });
      assert.deepEqual(other, { state: 'claimed', seed: 'seed of third' });
    });

    it('a key is forgotten after its day, whether or not it was cleared away', async () => {
      const { store, claim, accountKey } = await prepare();
      await claim('first');
      await store.keepAnswer(REQUEST, 'first', { body: 'old', accountKey });
      assert.equal((await claim('same day', NOW + DAY - 1)).state, 'answered');

      const next = await claim('next day', NOW + DAY, { requestHash: 'other' });

      assert.deepEqual(next, { state: 'claimed', seed: 'seed of next day' });
      assert.equal(await store.deleteOldRequests(NOW + DAY - 1), 0);
      assert.equal(await store.deleteOldRequests(NOW + DAY), 1);
      assert.equal((await claim('again', NOW + DAY)).state, 'claimed');
    });

    it('an answer is not shown to a grant that may not write to the account it is about', async () => {
      const { db, accounts, store, claim, accountKey } = await prepare();
      const other = await accounts.linkAccount(accountApart('other', { accountId: 'other' }), NOW);
      const foreign = await grantAll(db, { accountKeys: [other.accountKey] });
      const reading = await grantAll(db, { accountKeys: [accountKey], coveredAt: 'read' });
      await claim('first');
      await store.keepAnswer(REQUEST, 'first', { body: 'secret title', accountKey });

      for (const { coverageId } of [foreign, reading])
        assert.deepEqual(await claim('second', NOW, { coverageId }), { state: 'other_request' });
      assert.equal((await claim('third')).state, 'answered');
    });

    it('an answer is forgotten with the account it shows', async () => {
      const { accounts, store, claim, grant, accountKey } = await prepare();
      await claim('first');
      await store.keepAnswer(REQUEST, 'first', { body: 'secret title', accountKey });

      await accounts.disconnect({ ...grant, provider: 'caldav' }, NOW);

      assert.equal((await claim('second')).state, 'claimed');
    });
  });
}
