/** Contract tests for RequestLimitStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { SyncFailure } from '../../src/calendars/sync-failure.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, newAccount, openWithUsers, tenTimes } from './calendar-rows.ts';

const UNTIL = NOW + 40_000;
const DOWN: SyncFailure = { kind: 'unavailable', message: 'Down' };

export function requestLimitStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const { db, accounts, requestLimits: limits } = await openWithUsers(open);
    const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
    return { db, accounts, limits, accountKey };
  };
  const slot = (holder: string, at = 0) => ({ mailbox: 'm', slot: at, holder });

  describe(`RequestLimitStore on ${database}`, () => {
    it('exactly one of ten concurrent calls has a slot', async () => {
      const { limits } = await prepare();

      const won = await tenTimes((i) => limits.takeSlot(slot(`h${i}`), NOW, UNTIL));

      assert.equal(won.filter(Boolean).length, 1);
    });

    it('a slot is freed when it is given back by its holder, and by nobody else', async () => {
      const { limits } = await prepare();
      await limits.takeSlot(slot('mine'), NOW, UNTIL);

      await limits.releaseSlot(slot('other'));
      const early = await limits.takeSlot(slot('early'), NOW, UNTIL);
      await limits.releaseSlot(slot('mine'));

      assert.equal(early, false);
      assert.equal(await limits.takeSlot(slot('next'), NOW, UNTIL), true);
    });

    it('a slot whose holder died is freed when its lease ends, for exactly one', async () => {
      const { limits } = await prepare();
      await limits.takeSlot(slot('dead'), NOW, UNTIL);

      const early = await limits.takeSlot(slot('early'), UNTIL - 1, UNTIL + 1);
      const late = await tenTimes((i) => limits.takeSlot(slot(`h${i}`), UNTIL, UNTIL + 40_000));

      assert.equal(early, false);
      assert.equal(late.filter(Boolean).length, 1);
    });

    it('a bucket hands out no more than is in it, however many ask at once', async () => {
      const { limits } = await prepare();

      const first = await tenTimes(() => limits.takeTokens({ bucket: 'b', cost: 100, burst: 400 }, NOW));
      const soon = await limits.takeTokens({ bucket: 'b', cost: 100, burst: 400 }, NOW + 99);
      const later = await limits.takeTokens({ bucket: 'b', cost: 100, burst: 400 }, NOW + 100);

      assert.equal(first.filter((wait) => wait === 0).length, 4);
      assert.deepEqual([soon, later], [1, 0]);
    });

    it('a bucket says when there may be enough tokens, and none are taken until then', async () => {
      const { limits } = await prepare();
      await limits.takeTokens({ bucket: 'b', cost: 300, burst: 400 }, NOW);

      const waits = [
        await limits.takeTokens({ bucket: 'b', cost: 250, burst: 400 }, NOW),
        await limits.takeTokens({ bucket: 'b', cost: 250, burst: 400 }, NOW),
      ];

      assert.deepEqual(waits, [150, 150]);
      assert.equal(await limits.takeTokens({ bucket: 'b', cost: 250, burst: 400 }, NOW + 150), 0);
    });

    it('a bucket is filled no higher than full, however long nobody asked', async () => {
      const { limits } = await prepare();
      await limits.takeTokens({ bucket: 'b', cost: 100, burst: 400 }, NOW);

      const much = NOW + 1_000_000;
      const successes = [];
      for (let i = 0; i < 5; i += 1)
        successes.push((await limits.takeTokens({ bucket: 'b', cost: 100, burst: 400 }, much)) === 0);

      assert.deepEqual(successes, [true, true, true, true, false]);
    });

    it('an emptied bucket stays empty until the instant given, and that is never shortened', async () => {
      const { limits } = await prepare();
      await limits.drain('b', 400, NOW + 500);
      await limits.drain('b', 400, NOW + 100);

      assert.equal(await limits.takeTokens({ bucket: 'b', cost: 100, burst: 400 }, NOW), 600);
      assert.equal(await limits.takeTokens({ bucket: 'b', cost: 100, burst: 400 }, NOW + 600), 0);
    });

    it('every one of ten failures at once counts, and the circuit opens from the one that is enough', async () => {
      const { limits, accountKey } = await prepare();
      const opens = (failures: number) => (failures >= 5 ? NOW + 30_000 : undefined);

      await tenTimes(() => limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW, opens));

      const [circuit] = await limits.circuitsOf(accountKey, ['list', 'other']);
      assert.deepEqual(circuit, { operation: 'list', failure: DOWN, openUntil: NOW + 30_000 });
    });

    it('what fails while the circuit is open changes nothing: it was under way before', async () => {
      const { limits, accountKey } = await prepare();
      const counts: number[] = [];
      const opens = (failures: number) => {
        counts.push(failures);
        return NOW + 30_000;
      };
      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW, opens);

      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW + 29_999, opens);
      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW + 30_000, opens);

      assert.deepEqual([...new Set(counts)], [1, 2]);
    });

    it('exactly one of ten concurrent calls probes, when the circuit has been open long enough', async () => {
      const { limits, accountKey } = await prepare();
      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW, () => NOW + 30_000);
      const probe = (at: number) => limits.leaseProbe({ accountKey, operation: 'list' }, at, at + 90_000);

      const early = await probe(NOW + 29_999);
      const probes = await tenTimes(() => probe(NOW + 30_000));
      const afterLease = await probe(NOW + 30_000 + 90_000);

      assert.equal(early, false);
      assert.equal(probes.filter(Boolean).length, 1);
      assert.equal(afterLease, true);
    });

    it('another call may probe as soon as the failed one opened the circuit for its time', async () => {
      const { limits, accountKey } = await prepare();
      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW, () => NOW + 10);
      await limits.leaseProbe({ accountKey, operation: 'list' }, NOW + 10, NOW + 90_000);

      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW + 20, () => NOW + 40);

      assert.equal(await limits.leaseProbe({ accountKey, operation: 'list' }, NOW + 40, NOW + 90_000), true);
    });

    it('an operation that works again has its failures forgotten, and no other', async () => {
      const { limits, accountKey } = await prepare();
      for (const operation of ['list', 'changes']) {
        await limits.countFailure({ accountKey, operation, failure: DOWN }, NOW, () => NOW + 10);
      }

      await limits.closeCircuit({ accountKey, operation: 'list' });

      const failing = await limits.circuitsOf(accountKey, ['list', 'changes']);
      assert.deepEqual(
        failing.map(({ operation }) => operation),
        ['changes'],
      );
    });

    it('no failure of an account that is gone is kept', async () => {
      const { db, accounts, limits, accountKey } = await prepare();
      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW, () => undefined);
      await accounts.removeAccount(accountKey, NOW, undefined);

      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW, () => undefined);

      assert.deepEqual(await db.all('SELECT * FROM request_circuit'), []);
    });

    it('failures are forgotten when the user links the account again', async () => {
      const { accounts, limits, accountKey } = await prepare();
      await limits.countFailure({ accountKey, operation: 'list', failure: DOWN }, NOW, () => NOW + 30_000);

      await accounts.linkAccount(newAccount(), NOW + 1);

      assert.deepEqual(await limits.circuitsOf(accountKey, ['list']), []);
    });

    it('slots whose lease ran out and full buckets are deleted, and nothing that is in use', async () => {
      const { db, limits } = await prepare();
      await limits.takeSlot(slot('dead', 0), NOW, NOW + 1);
      await limits.takeSlot(slot('alive', 1), NOW, UNTIL);
      await limits.takeTokens({ bucket: 'full', cost: 1, burst: 400 }, NOW);
      await limits.takeTokens({ bucket: 'used', cost: 400, burst: 400 }, NOW);

      const deleted = await limits.deleteUnusedLimits(NOW + 1);

      assert.equal(deleted, 2);
      assert.deepEqual((await db.all<{ slot: number }>('SELECT slot FROM request_slot'))[0]?.slot, 1);
      const buckets = await db.all<{ bucket: string }>('SELECT bucket FROM request_budget');
      assert.deepEqual(
        buckets.map(({ bucket }) => bucket),
        ['used'],
      );
    });
  });
}
