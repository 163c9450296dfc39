/** Contract tests for TokenFamilyStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { newTokenIn } from '../../src/oauth/refresh-token-id.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { tokenFamilyStore } from '../../src/store/oauth/token-family-store.ts';
import { rounds } from '../harness/rounds.ts';
import { codeIsWithdrawn, makeCode, makeUsers, NOW, tenTimes } from './calendar-rows.ts';
import { makeAccount, makeFamily, rowsIn, successorOf } from './grant-rows.ts';

const ada = { clientId: 'acme', userId: 'ada' };

export function tokenFamilyStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    return { db, families: tokenFamilyStore(db), ...(await makeFamily(db, ada)) };
  };

  describe(`TokenFamilyStore on ${database}`, () => {
    it('a token that was never issued is unknown', async () => {
      const { families } = await prepare();
      const id = newTokenIn(1);

      assert.equal(await families.rotateRefreshToken(id, successorOf(id), NOW), undefined);
      assert.equal(await families.findLivingGrant(1), undefined);
    });

    it('a family draws another number when the one it drew is that of a living grant', async () => {
      const { db } = await prepare();

      const familyIds = new Set<number>();
      // On a slow machine, 1,100 concurrent calls would wait too long for PostgreSQL's few connections.
      for (let round = 0; round < 11; round += 1) {
        const made = await Promise.all(Array.from({ length: 100 }, () => makeFamily(db, ada)));
        for (const { grant } of made) familyIds.add(grant.familyId);
      }

      assert.equal(familyIds.size, 1100);
      assert.equal(await rowsIn(db, 'token_family'), 1101);
    });

    it('families that begin together lie together', async () => {
      const { db, grant } = await prepare();

      const later = await makeFamily(db, ada);

      assert.ok(Math.abs(later.grant.familyId - grant.familyId) < 2 ** 12);
    });

    it('exactly one of ten concurrent refreshes spends a token', async () => {
      const { families, grant, first } = await prepare();

      const spent = await tenTimes(() => families.rotateRefreshToken(first, successorOf(first), NOW));

      assert.deepEqual(spent.filter(Boolean), [grant]);
    });

    it('the winner of a race, and nobody else, holds the current token', async () => {
      const { families, first } = await prepare();
      let current = first;
      for (let round = 0; round < rounds(20); round++) {
        const successors = Array.from({ length: 10 }, () => successorOf(first));

        const spent = await Promise.all(
          successors.map((next) => families.rotateRefreshToken(current, next, NOW)),
        );

        const winner = spent.findIndex(Boolean);
        current = successors[winner] ?? current;
        const again = await Promise.all(
          successors.map((id) => id !== current && families.rotateRefreshToken(id, successorOf(id), NOW)),
        );
        assert.deepEqual([spent.filter(Boolean).length, again.filter(Boolean).length], [1, 0]);
      }
      assert.ok(await families.rotateRefreshToken(current, successorOf(current), NOW));
    });

    it('the token goes to one only, even where all ten drew the same successor', async () => {
      const { families, first } = await prepare();
      const next = successorOf(first);

      const spent = await tenTimes(() => families.rotateRefreshToken(first, next, NOW));

      assert.equal(spent.filter(Boolean).length, 1);
    });

    it('a spent token is refused and leaves the rest of its family valid', async () => {
      const { families, grant, first } = await prepare();
      const next = successorOf(first);
      await families.rotateRefreshToken(first, next, NOW);

      assert.equal(await families.rotateRefreshToken(first, successorOf(first), NOW), undefined);
      assert.deepEqual(await families.rotateRefreshToken(next, successorOf(next), NOW), grant);
    });

    it('a rotated grant is found by its current token, with the time of its rotation, and stays as it is', async () => {
      const { families, grant, first } = await prepare();
      const next = successorOf(first);
      await families.rotateRefreshToken(first, next, NOW + 5);

      const rotated = { ...grant, rotatedAt: NOW + 5 };
      for (const at of [NOW + 5, NOW - 5, NOW + 15])
        assert.deepEqual({ ...(await families.findRotatedGrant(next, at, 10)) }, rotated);
      assert.deepEqual(await families.rotateRefreshToken(next, successorOf(next), NOW), grant);
    });

    it('a rotated grant is not found outside the time, neither before nor after', async () => {
      const { families, first } = await prepare();
      const next = successorOf(first);
      await families.rotateRefreshToken(first, next, NOW);

      for (const at of [NOW - 11, NOW + 11])
        assert.equal(await families.findRotatedGrant(next, at, 10), undefined);
    });

    it('a rotated grant is not found by a token that is not its current one', async () => {
      const { families, first } = await prepare();
      const next = successorOf(first);
      await families.rotateRefreshToken(first, next, NOW);
      await families.rotateRefreshToken(next, successorOf(next), NOW);

      for (const id of [first, next, successorOf(first)])
        assert.equal(await families.findRotatedGrant(id, NOW, 10), undefined);
    });

    it('a rotated grant is not found once it has ended', async () => {
      const { families, grant, first } = await prepare();
      const next = successorOf(first);
      await families.rotateRefreshToken(first, next, NOW);
      await families.endGrantsWith(grant, NOW);

      assert.equal(await families.findRotatedGrant(next, NOW, 10), undefined);
    });

    it('each of a hundred families that refresh at once is answered its own grant', async () => {
      const { db, families } = await prepare();
      const made = await Promise.all(
        Array.from({ length: 100 }, (_, i) => makeFamily(db, { ...ada, userId: `user ${i}` })),
      );

      const spent = await Promise.all(
        made.map(({ first }) => families.rotateRefreshToken(first, successorOf(first), NOW)),
      );
      const grants = await Promise.all(made.map(({ grant }) => families.findLivingGrant(grant.familyId)));

      assert.deepEqual(
        spent,
        made.map(({ grant }) => grant),
      );
      assert.deepEqual(
        grants,
        made.map(({ grant }) => grant),
      );
    });

    it('a refresh adds no row', async () => {
      const { db, families, first } = await prepare();

      await families.rotateRefreshToken(first, successorOf(first), NOW);

      assert.equal(await rowsIn(db, 'token_family'), 1);
    });

    it('any living grant of the user ends every one of them, and nobody else’s', async () => {
      const { db, families, grant, first } = await prepare();
      const second = await makeFamily(db, ada);
      const others = [
        await makeFamily(db, { ...ada, userId: 'ben' }),
        await makeFamily(db, { ...ada, clientId: 'other' }),
      ];

      assert.equal(await families.endGrantsWith(grant, NOW), 2);

      for (const familyId of [grant.familyId, second.grant.familyId]) {
        assert.equal(await families.findLivingGrant(familyId), undefined);
      }
      assert.equal(await families.rotateRefreshToken(first, successorOf(first), NOW), undefined);
      for (const other of others) assert.ok(await families.findLivingGrant(other.grant.familyId));
    });

    it('each grant ends once, however many revoke at once', async () => {
      const { db, families, grant } = await prepare();
      const second = await makeFamily(db, ada);

      const ended = await tenTimes((i) => families.endGrantsWith(i % 2 ? grant : second.grant, NOW));

      assert.equal(
        ended.reduce((sum, count) => sum + count, 0),
        2,
      );
    });

    it('a token of an ended grant cannot end a later authorization', async () => {
      const { db, families, grant } = await prepare();
      await families.endGrantsWith(grant, NOW);
      const later = await makeFamily(db, ada);

      assert.equal(await families.endGrantsWith(grant, NOW), 0);
      assert.deepEqual(await families.findLivingGrant(later.grant.familyId), later.grant);
    });

    it('a family that belongs to another user or application ends nothing', async () => {
      const { db, families, grant } = await prepare();
      await makeFamily(db, { ...ada, userId: 'ben' });
      await makeFamily(db, { ...ada, clientId: 'other' });

      assert.equal(await families.endGrantsWith({ ...grant, userId: 'ben' }, NOW), 0);
      assert.equal(await families.endGrantsWith({ ...grant, clientId: 'other' }, NOW), 0);
      assert.ok(await families.findLivingGrant(grant.familyId));
    });

    it('a grant that is revoked while ten refresh it gives no token', async () => {
      const { families, grant, first } = await prepare();

      const results = await Promise.all([
        ...Array.from({ length: 10 }, () => families.rotateRefreshToken(first, successorOf(first), NOW)),
        families.endGrantsWith(grant, NOW),
      ]);

      assert.ok(results.slice(0, 10).filter(Boolean).length <= 1);
      assert.equal(results[10], 1);
      assert.equal(await families.findLivingGrant(grant.familyId), undefined);
    });

    it('the operator ends the grants of one user', async () => {
      const { db, families, grant } = await prepare();
      const other = await makeFamily(db, { ...ada, userId: 'ben' });

      assert.equal(await families.endGrantsOf('acme', 'ada', { now: NOW, by: undefined }), 1);

      assert.equal(await families.findLivingGrant(grant.familyId), undefined);
      assert.ok(await families.findLivingGrant(other.grant.familyId));
    });

    it('living grants are counted up to a limit, without ended ones and pending codes', async () => {
      const { db, families, grant } = await prepare();
      await makeUsers(db);
      await makeCode(db, 'ada');
      for (const userId of ['ada', 'ben']) await makeFamily(db, { ...ada, userId });
      const counts = () => Promise.all([1, 3, 9].map((most) => families.countLivingGrants('acme', most)));

      assert.deepEqual(await counts(), [1, 3, 3]);
      await families.endGrantsWith(grant, NOW);
      assert.deepEqual(await counts(), [1, 1, 1]);
      assert.equal(await families.countLivingGrants('other', 9), 0);
    });

    it('the operator withdraws the pending code of that user too', async () => {
      const { db, families } = await prepare();
      await makeUsers(db);
      await makeCode(db, 'ada');
      await makeCode(db, 'ben');

      await families.endGrantsOf('acme', 'ada', { now: NOW, by: undefined });

      assert.equal(await codeIsWithdrawn(db, 'ada'), true);
      assert.equal(await codeIsWithdrawn(db, 'ben'), false);
    });

    it('grants that ended before the instant are forgotten, and no living one', async () => {
      const { db, families, grant } = await prepare();
      await families.endGrantsWith(grant, NOW - 1);
      await families.endGrantsWith((await makeFamily(db, ada)).grant, NOW);
      await makeFamily(db, ada);

      assert.equal(await families.deleteEndedGrants(NOW), 1);
      assert.equal(await rowsIn(db, 'token_family'), 2);
    });

    it('what an ended grant covered is forgotten with it, unless another grant or a code is left of it', async () => {
      const { db, families } = await prepare();
      await makeUsers(db);
      await makeAccount(db, 'acme', 'ada');
      await makeCode(db, 'ada');
      const old = [];
      for (const coverageId of ['of one', 'of two', 'approval of ada']) {
        await db.write(
          `INSERT INTO grant_coverage (coverage_id, group_id, scope) VALUES (:coverageId, 'acme-ada', 'read')
           ON CONFLICT (coverage_id, group_id) DO NOTHING`,
          { coverageId },
        );
        old.push(await makeFamily(db, { ...ada, coverageId }));
      }
      for (const { grant } of old) await families.endGrantsWith(grant, NOW - 1);
      await makeFamily(db, { ...ada, coverageId: 'of two' });

      await families.deleteEndedGrants(NOW);

      const left = await db.all<{ id: string }>('SELECT coverage_id AS "id" FROM grant_coverage ORDER BY 1');
      assert.deepEqual(
        left.map(({ id }) => id),
        ['approval of ada', 'of two'],
      );
    });
  });
}
