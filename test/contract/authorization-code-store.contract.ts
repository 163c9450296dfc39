/** Contract tests for AuthorizationCodeStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AuthorizationCodeStore, Redemption } from '../../src/oauth/authorization-code-store.ts';
import { parseFamilyId } from '../../src/oauth/refresh-token-id.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { makeCode, NOW, newAccount, openWithUsers, presentedOf, tenTimes } from './calendar-rows.ts';
import { makeFamily, rowsIn, successorOf, visit } from './grant-rows.ts';

export function authorizationCodeStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    await makeCode(stores.db, 'ada');
    const [code] = await stores.codes.findCodes('acme', 'ada');
    assert.ok(code);
    return { ...stores, code: presentedOf(code) };
  };

  describe(`AuthorizationCodeStore on ${database}`, () => {
    it("a code's record is answered at its own application only", async () => {
      const { codes } = await prepare();

      assert.deepEqual(await codes.findCodes('acme', 'ada'), [
        {
          approvalId: 'approval of ada',
          clientId: 'acme',
          userId: 'ada',
          redirectUri: 'https://acme.example/cb',
          scope: 'read',
          codeChallenge: undefined,
          approvedAt: NOW,
          withdrawnAt: undefined,
        },
      ]);
      for (const unknown of ['ben', 'ADA', '', 'ada\0', 'ada\ud800']) {
        assert.deepEqual(await codes.findCodes('acme', unknown), []);
      }
      assert.deepEqual(await codes.findCodes('other', 'ada'), []);
    });

    it('each of many who look up codes at once is answered its own record', async () => {
      const { codes } = await prepare();

      const records = await tenTimes((i) => codes.findCodes(i % 2 ? 'acme' : 'other', 'ada'));

      assert.deepEqual(
        records.map(({ length }) => length),
        records.map((_, i) => i % 2),
      );
    });

    it('a code of another application is distinguished from one that does not exist', async () => {
      const { codes } = await prepare();

      assert.equal(await codes.isCodeOfAnotherClient('other', 'ada'), true);
      assert.equal(await codes.isCodeOfAnotherClient('acme', 'ada'), false);
      assert.equal(await codes.isCodeOfAnotherClient('other', 'ada\0'), false);
    });

    it('exactly one of ten concurrent exchanges redeems a code', async () => {
      const { db, codes, code } = await prepare();

      const redeemed = await tenTimes(() => codes.redeemCode(code, NOW + 1));

      assert.equal(redeemed.filter(Boolean).length, 1);
      assert.equal(await rowsIn(db, 'token_family'), 1);
      assert.deepEqual(await codes.findCodes('acme', 'ada'), []);
    });

    it('redeeming a code starts the grant that the code authorizes, with its first refresh token', async () => {
      const { codes, families, code } = await prepare();

      const family = await codes.redeemCode(code, NOW + 1);

      assert.ok(family);
      const { first, grant } = family;
      const owner = { clientId: 'acme', userId: 'ada', scope: 'read', coverageId: 'approval of ada' };
      const expected = { familyId: parseFamilyId(first), ...owner };
      assert.deepEqual(grant, expected);
      assert.deepEqual(await families.findLivingGrant(grant.familyId), expected);
      assert.deepEqual(await families.rotateRefreshToken(first, successorOf(first), NOW), expected);
    });

    const others: readonly (readonly [string, Partial<Redemption>])[] = [
      ['the redirect URI of the approval', { redirectUri: 'https://acme.example/other' }],
      ['no challenge where the approval had none', { codeChallenge: 'c'.repeat(43) }],
      ['an approval that is young enough', { approvedSince: NOW + 1 }],
      ['the application it was issued to', { clientId: 'other' }],
    ];
    for (const [what, other] of others) {
      it(`a code redeems nothing, and keeps the record, without ${what}`, async () => {
        const { db, codes, code } = await prepare();

        assert.equal(await codes.redeemCode({ ...code, ...other }, NOW), undefined);

        assert.equal(await rowsIn(db, 'token_family'), 0);
        assert.ok(await codes.redeemCode(code, NOW));
      });
    }

    it('a code redeems nothing without the challenge of the approval', async () => {
      const { db, codes, code } = await prepare();
      const codeChallenge = 'c'.repeat(43);
      await db.write('UPDATE authorization_code SET code_challenge = :codeChallenge', { codeChallenge });

      assert.equal(await codes.redeemCode(code, NOW), undefined);
      assert.ok(await codes.redeemCode({ ...code, codeChallenge }, NOW));
    });

    it('a code whose record was withdrawn meanwhile is not redeemed, and the record is kept', async () => {
      const { db, codes, code } = await prepare();
      await db.write('UPDATE authorization_code SET withdrawn_at = :now', { now: NOW });

      assert.equal(await codes.redeemCode(code, NOW), undefined);
      assert.equal((await codes.findCodes('acme', 'ada'))[0]?.withdrawnAt, NOW);
    });

    it('no grant stays alive of a user or application that is deleted while its code is redeemed', async () => {
      for (const by of ['user', 'application']) {
        const { db, codes, users, clients, code } = await prepare();

        await Promise.all([
          codes.redeemCode(code, NOW),
          by === 'user'
            ? users.deleteUser('acme', 'ada', { now: NOW, by: undefined })
            : clients.deleteClient('acme', NOW, undefined),
          ...Array.from({ length: 8 }, () => codes.redeemCode(code, NOW)),
        ]);

        const living = await db.all('SELECT family_id FROM token_family WHERE ended_at IS NULL');
        assert.equal(living.length, 0, by);
        assert.equal(await redeemable(codes, code), false, by);
      }
    });

    it('records of codes approved before the instant are forgotten, in parts, and no others', async () => {
      const { db, codes } = await prepare();
      await makeCode(db, 'ben');
      await db.write("UPDATE authorization_code SET approved_at = :at WHERE user_id = 'ben'", {
        at: NOW - 1,
      });

      assert.equal(await codes.deleteExpiredCodes(NOW), 1);
      assert.deepEqual(await codes.findCodes('acme', 'ben'), []);
      assert.equal((await codes.findCodes('acme', 'ada')).length, 1);
    });

    it('what a forgotten code covered is forgotten with it, unless a grant has it', async () => {
      const { db, accounts, codes } = await prepare();
      await accounts.linkAccount(newAccount({ userId: 'ben' }), NOW);
      await makeCode(db, 'ben');
      const held = async () => {
        await db.write('UPDATE authorization_code SET approved_at = 0');
        await codes.deleteExpiredCodes(NOW);
        return rowsIn(db, 'grant_coverage');
      };
      await makeFamily(db, { clientId: 'acme', userId: 'ben', coverageId: 'approval of ben' });

      const ofGrant = await held();
      await db.write('DELETE FROM token_family');
      await db.write('DELETE FROM grant_coverage');
      await makeCode(db, 'ben');

      assert.deepEqual([ofGrant, await held()], [1, 0]);
    });

    it('of several pending codes the challenge chooses, and the others are kept', async () => {
      const { codes, code, ...stores } = await prepare();
      const challenges = ['c'.repeat(43), 'd'.repeat(43)] as const;
      for (const codeChallenge of challenges) {
        const transactionId = `t ${codeChallenge}`;
        const someone = await visit({ codes, ...stores }, transactionId, { transactionId, codeChallenge });
        await someone.link({ accountId: codeChallenge });
        assert.equal(await someone.allow(NOW + 1), 'approved');
      }

      const family = await codes.redeemCode({ ...code, codeChallenge: challenges[1] }, NOW + 1);

      assert.equal(family?.grant.coverageId, `t ${challenges[1]}`);
      const left = (await codes.findCodes('acme', 'ada')).map(({ codeChallenge }) => codeChallenge);
      assert.deepEqual(left, [challenges[0], undefined]);
    });
  });
}

async function redeemable(codes: AuthorizationCodeStore, code: Redemption): Promise<boolean> {
  return (await codes.redeemCode(code, NOW)) !== undefined;
}
