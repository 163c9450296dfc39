/** Several instances on one database: what one of them did holds for all, and of a race one call wins. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { authorizationCodeStore } from '../../src/store/oauth/authorization-code-store.ts';
import { tokenFamilyStore } from '../../src/store/oauth/token-family-store.ts';
import { makeCode, makeUsers, NOW, presentedOf } from '../contract/calendar-rows.ts';
import { makeFamily, successorOf } from '../contract/grant-rows.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { rounds } from '../harness/rounds.ts';

onEachDatabase((name, _, place) => {
  async function withInstances(work: (instances: [Database, Database]) => Promise<void>): Promise<void> {
    const settings = await place();
    const instances: [Database, Database] = [connect(settings), connect(settings)];
    try {
      await migrate(instances[0], Date.now, async () => {});
      await makeUsers(instances[0]);
      await work(instances);
    } finally {
      for (const instance of instances) await instance.close();
    }
  }

  describe(`Two instances on one ${name}`, () => {
    it('two instances on one database let exactly one of ten refreshes, half at each, spend a token', async () => {
      await withInstances(async (instances) => {
        const stores = instances.map((db) => tokenFamilyStore(db));
        let { first: current } = await makeFamily(instances[0], { clientId: 'acme', userId: 'ada' });
        for (let round = 0; round < rounds(20); round++) {
          const successors = Array.from({ length: 10 }, () => successorOf(current));

          const spent = await Promise.all(
            successors.map((next, i) => stores[i % 2]?.rotateRefreshToken(current, next, { now: NOW })),
          );

          assert.equal(spent.filter(Boolean).length, 1);
          current = successors[spent.findIndex(Boolean)] ?? current;
        }
      });
    });

    for (const isRevoked of [false, true])
      it(`two instances on one database let a spent token or its successor win${isRevoked ? ', and end the grant once beside a revocation' : ', never both'}`, async () => {
        await withInstances(async (instances) => {
          const stores = instances.map(tokenFamilyStore);
          const [here, there] = stores;
          const ada = { clientId: 'acme', userId: 'ada' };
          for (let round = 0; round < rounds(20); round++) {
            const { grant, first } = await makeFamily(instances[0], ada);
            const second = successorOf(first);
            await here?.rotateRefreshToken(first, second, { now: NOW });
            const later = { now: NOW + 61_000 };

            const results = await Promise.all(
              Array.from({ length: 12 }, async (__, i) => {
                const store = stores[Math.floor(i / 3) % 2];
                const kind = (i + round) % 3;
                if (kind === 0)
                  return (await store?.endReusedGrant({ ...ada, id: first }, later.now, NOW + 1)) && 'reused';
                if (kind === 1)
                  return (await store?.rotateRefreshToken(second, successorOf(first), later)) && 'rotated';
                return isRevoked && (await store?.endGrantsWith(grant, later.now)) === 1 && 'revoked';
              }),
            );

            const count = (result: string) => results.filter((one) => one === result).length;
            if (isRevoked) assert.equal(count('reused') + count('revoked'), 1);
            assert.ok(count('reused') + count('rotated') <= 1);
            if (!isRevoked) assert.equal(count('reused') + count('rotated'), 1);
            const isAlive = (await there?.findLivingGrant(grant.familyId)) !== undefined;
            assert.equal(isAlive, !isRevoked && count('rotated') === 1);
          }
        });
      });

    it('two instances on one database let exactly one of ten exchanges, half at each, redeem a code', async () => {
      await withInstances(async (instances) => {
        const stores = instances.map(authorizationCodeStore);
        for (let round = 0; round < rounds(10); round++) {
          await makeCode(instances[0], 'ada');
          const [code] = (await stores[1]?.findCodes('acme', 'ada')) ?? [];
          assert.ok(code, 'the other instance sees the code at once');

          const redeemed = await Promise.all(
            Array.from({ length: 10 }, (__, i) => stores[i % 2]?.redeemCode(presentedOf(code), NOW)),
          );

          assert.equal(redeemed.filter(Boolean).length, 1);
        }
      });
    });

    it('two instances on one database agree that a grant has ended as soon as ending it answered', async () => {
      await withInstances(async (instances) => {
        const [here, there] = [tokenFamilyStore(instances[0]), tokenFamilyStore(instances[1])];
        for (let round = 0; round < rounds(50); round++) {
          const { grant } = await makeFamily(instances[0], { clientId: 'acme', userId: 'ada' });
          assert.ok(await there.findLivingGrant(grant.familyId));

          await here.endGrantsWith(grant, NOW);

          assert.equal(await there.findLivingGrant(grant.familyId), undefined);
        }
      });
    });
  });
});
