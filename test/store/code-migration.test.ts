/** Codes in their own table, as they were until migration 74, after it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import { migrate } from '../../src/store/drivers/migrate.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { makeUsers, NOW, sealer } from '../contract/calendar-rows.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { migrateUpTo } from '../harness/old-database.ts';

onEachDatabase((database, _open, place) => {
  describe(`codes of an older database on ${database}`, () => {
    /** Ada has four codes, two of one millisecond in which two grants began, and Ben one that was withdrawn. */
    const prepareCodes = async (t: TestContext) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 74);
      await makeUsers(db);
      const first = (NOW * 1024) % 2 ** 48;
      for (const [familyId, endedAt] of [
        [first, null],
        [first + 2, NOW],
      ])
        await db.write(
          `INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, coverage_id, created_at,
             refreshed_at, ended_at)
           VALUES (:familyId, 'hash', 'acme', 'ada', 'read', 'shared', 0, 0, :endedAt)`,
          { familyId: familyId ?? 0, endedAt: endedAt ?? null },
        );
      await db.write(
        `INSERT INTO account_group (group_id, client_id, user_id, created_at, expires_at, transaction_id)
         VALUES ('own', 'acme', 'ada', 0, NULL, NULL), ('new', 'acme', 'ada', 0, :later, 'a')`,
        { later: NOW + 600_000 },
      );
      const rows: readonly (readonly [string, string, string | null, number, number, number | null])[] = [
        ['a', 'ada', 'a', 1, NOW, null],
        ['b', 'ada', 'b', 0, NOW, null],
        ['shared', 'ada', null, 0, NOW + 1, null],
        ['expired', 'ada', 'e', 0, NOW - 3_600_000, null],
        ['withdrawn', 'ben', 'a', 0, NOW, NOW + 7],
      ];
      for (const [id, user, challenge, finishes, at, withdrawn] of rows) {
        await db.write(
          `INSERT INTO authorization_code (approval_id, client_id, user_id, redirect_uri, scope, code_challenge, finishes,
             approved_at, withdrawn_at)
           VALUES (:id, 'acme', :user, 'https://acme.example/cb', 'read', :challenge, :finishes, :at, :withdrawn)`,
          { id, user, challenge, finishes, at, withdrawn },
        );
        await db.write(
          `INSERT INTO grant_coverage (coverage_id, group_id, scope)
           VALUES (:id, :group, 'read')`,
          { id, group: finishes === 1 ? 'new' : 'own' },
        );
      }
      await migrate(db, Date.now, async () => {});
      return { db, first, ...openStores(db, { sealer }) };
    };
    const PRESENTED = { clientId: 'acme', code: 'ada', redirectUri: 'https://acme.example/cb' };

    it('the codes of an older database are as they were, each under a free number of its millisecond', async (t) => {
      const { db, first, codes } = await prepareCodes(t);

      const found = [...(await codes.findCodes('acme', 'ada')), ...(await codes.findCodes('acme', 'ben'))];

      assert.deepEqual(
        found.map((code) => [code.userId, code.codeChallenge, code.approvedAt, code.withdrawnAt]).sort(),
        [
          ['ada', undefined, NOW + 1, undefined],
          ['ada', 'a', NOW, undefined],
          ['ada', 'b', NOW, undefined],
          ['ada', 'e', NOW - 3_600_000, undefined],
          ['ben', 'a', NOW, NOW + 7],
        ],
      );
      for (const { approvalId, scope, redirectUri } of found) {
        const row = await db.get<{ familyId: number }>(
          'SELECT family_id AS "familyId" FROM token_family WHERE coverage_id = :approvalId',
          { approvalId },
        );
        assert.equal(approvalId, row?.familyId.toString(16).padStart(12, '0'));
        assert.deepEqual([scope, redirectUri], ['read', 'https://acme.example/cb']);
      }
      const numbers = await db.all<{ familyId: number }>(
        'SELECT family_id AS "familyId" FROM token_family ORDER BY family_id',
      );
      assert.deepEqual(
        numbers.map(({ familyId }) => familyId - first),
        [-3_600_000 * 1024, 0, 1, 2, 3, 4, 1024],
      );
    });

    it('the pending codes of an older database are redeemed once, and others not', async (t) => {
      const { codes, families } = await prepareCodes(t);
      const redeem = (codeChallenge: string | undefined, code = 'ada', redirectUri = PRESENTED.redirectUri) =>
        codes.redeemCode({ ...PRESENTED, code, redirectUri, codeChallenge, approvedSince: NOW }, NOW + 9);

      assert.equal(await redeem('a', 'ada', 'https://other.example/cb'), undefined);
      for (const challenge of ['a', 'b', undefined]) {
        const all = await Promise.all([redeem(challenge), redeem(challenge), redeem(challenge)]);
        const [family, ...others] = all.filter((one) => one !== undefined);
        assert.deepEqual(others, []);
        assert.ok(await families.findLivingGrant(family?.grant.familyId ?? 0));
      }
      assert.deepEqual([await redeem('e'), await redeem('a', 'ben')], [undefined, undefined]);
    });

    it('the codes of an older database keep what they cover, and grants that share it keep it too', async (t) => {
      const { db, codes, requests } = await prepareCodes(t);
      const coverage = async () =>
        db.all<{ id: string; group: string }>(
          'SELECT coverage_id AS "id", group_id AS "group" FROM grant_coverage ORDER BY group_id, coverage_id',
        );
      const idOf = async (challenge: string | undefined, user = 'ada') =>
        (await codes.findCodes('acme', user)).find(({ codeChallenge }) => codeChallenge === challenge)
          ?.approvalId;

      const owned = [
        await idOf(undefined),
        await idOf('b'),
        await idOf('e'),
        await idOf('a', 'ben'),
        'shared',
      ];
      const expected = [
        { id: await idOf('a'), group: 'new' },
        ...owned.toSorted().map((id) => ({ id, group: 'own' })),
      ];
      assert.deepEqual(
        (await coverage()).map((row) => ({ ...row })),
        expected,
      );
      await codes.redeemCode({ ...PRESENTED, codeChallenge: 'a', approvedSince: NOW }, NOW + 9);
      const { groups } = await requests.groupsOf({ clientId: 'acme', userId: 'ada' }, undefined, NOW + 9);
      assert.ok(groups.every(({ unfinished }) => unfinished === undefined));
    });
  });
});
