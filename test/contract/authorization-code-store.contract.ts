/** Contract tests for AuthorizationCodeStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AuthorizationCodeStore, Redemption } from '../../src/oauth/authorization-code-store.ts';
import { parseFamilyId } from '../../src/oauth/refresh-token-id.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { rounds } from '../harness/rounds.ts';
import { makeCode, NOW, newAccount, openWithUsers, presentedOf, tenTimes } from './calendar-rows.ts';
import { livingIn, makeAccount, makeFamily, rowsIn, successorOf, type Visit, visit } from './grant-rows.ts';

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
          dpopJkt: undefined,
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
      assert.equal(await livingIn(db), 1);
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
      assert.deepEqual(await families.rotateRefreshToken(first, successorOf(first), { now: NOW }), expected);
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

        assert.equal(await livingIn(db), 0);
        assert.ok(await codes.redeemCode(code, NOW));
      });
    }

    it('a code redeems nothing without the challenge of the approval', async () => {
      const { db, codes, code } = await prepare();
      const codeChallenge = 'c'.repeat(43);
      await db.write('UPDATE token_family SET code_challenge = :codeChallenge', { codeChallenge });

      assert.equal(await codes.redeemCode(code, NOW), undefined);
      assert.ok(await codes.redeemCode({ ...code, codeChallenge }, NOW));
    });

    it('a code that is bound to a key redeems nothing with another key or none', async () => {
      const { db, codes, code } = await prepare();
      await db.write("UPDATE token_family SET dpop_jkt = 'key'");

      for (const dpopJkt of ['other', null])
        assert.equal(await codes.redeemCode({ ...code, dpopJkt }, NOW), undefined);
      assert.equal((await codes.findCodes('acme', 'ada'))[0]?.dpopJkt, 'key');
      assert.ok(await codes.redeemCode({ ...code, dpopJkt: 'key' }, NOW));
    });

    it('a code that is bound to a key is not compared with one that is not given', async () => {
      const { db, codes, code } = await prepare();
      await db.write("UPDATE token_family SET dpop_jkt = 'key'");

      assert.ok(await codes.redeemCode(code, NOW));
    });

    it('a code whose record was withdrawn meanwhile is not redeemed, and the record is kept', async () => {
      const { db, codes, code } = await prepare();
      await db.write('UPDATE token_family SET withdrawn_at = :now', { now: NOW });

      assert.equal(await codes.redeemCode(code, NOW), undefined);
      assert.equal((await codes.findCodes('acme', 'ada'))[0]?.withdrawnAt, NOW);
    });

    it('exactly one of ten concurrent exchanges redeems a code whose accounts become the user’s', async () => {
      const { db, codes, code } = await prepare();
      await db.write('UPDATE token_family SET finishes = 1');

      const redeemed = await tenTimes(() => codes.redeemCode(code, NOW + 1));

      assert.deepEqual([redeemed.filter(Boolean).length, await livingIn(db)], [1, 1]);
    });

    it('a code that is revoked while ten redeem it gives no grant, or one that ended and is counted', async () => {
      for (let round = 0; round < rounds(5); round += 1) {
        const { db, codes, families, code } = await prepare();

        const [ended, ...redeemed] = await Promise.all([
          families.endGrantsOf('acme', 'ada', { now: NOW, by: undefined }),
          ...Array.from({ length: 10 }, () => codes.redeemCode(code, NOW)),
        ]);

        assert.equal(ended, redeemed.filter(Boolean).length);
        assert.equal(await livingIn(db), 0);
        assert.equal(await redeemable(codes, code), false);
      }
    });

    it('a code that an approval replaces while ten redeem it is redeemed or replaced, and no code fails', async () => {
      for (let round = 0; round < rounds(5); round += 1) {
        const { codes, code, ...stores } = await prepare();
        await makeAccount(stores.db, 'acme', 'ada');
        await stores.db.write("INSERT INTO group_device (group_id, device_hash) VALUES ('acme-ada', 'd')");
        const later = await visit({ codes, ...stores }, 'd');

        const [result, ...redeemed] = await Promise.all([
          later.allow(),
          ...Array.from({ length: 10 }, () => codes.redeemCode(code, NOW)),
        ]);

        const first = redeemed.flatMap((family) => family?.grant.coverageId ?? []);
        const left = await codes.findCodes('acme', 'ada');
        assert.equal(result, 'approved');
        assert.equal(new Set(first).size, first.length);
        assert.equal(first.length + left.length, first.includes('approval of ada') ? 2 : 1);
        assert.ok(first.length > 0);
      }
    });

    it('a pending code counts as no grant', async () => {
      const { db, codes, families, users, accounts, streams, userRecords } = await openWithUsers(open);
      await makeAccount(db, 'acme', 'ada');
      await makeCode(db, 'ada');
      const [row] = await db.all<{ familyId: number }>('SELECT family_id FROM token_family');
      const ada = { clientId: 'acme', userId: 'ada' };
      const grant = { ...ada, familyId: row?.familyId ?? 0 };

      const ended = [
        await families.endGrantsWith(grant, NOW),
        await families.deleteEndedGrants(NOW + 1),
        (await users.findUser('acme', 'ada'))?.grants,
      ];
      const seen = [
        await users.livingGrantsOf('acme', 'ada'),
        await accounts.accountsOf({ ...ada, coverageId: undefined }),
        (await Array.fromAsync(userRecords.pagesOf('grants', 'acme', 'ada'))).flat(),
      ];
      const shown = await streams.shownOfAccount({ ...ada, provider: 'caldav', accountId: 'id' });

      assert.equal(await families.findLivingGrant(grant.familyId), undefined);
      assert.deepEqual([ended, seen, shown], [[0, 0, 0], [[], [], []], undefined]);
      assert.equal(await families.endGrantsOf('acme', 'ada', { now: NOW, by: undefined }), 0);
      assert.equal((await codes.findCodes('acme', 'ada'))[0]?.withdrawnAt, NOW);
      const deleted = await users.deleteUser('acme', 'ada', { now: NOW, by: undefined });
      assert.equal(deleted?.grants, 0);
      assert.equal((await codes.findCodes('acme', 'ada')).length, 1);
    });

    it('a pending code is exported with the names of its properties and without its challenge', async () => {
      const { userRecords } = await prepare();

      const [exported] = (await Array.fromAsync(userRecords.pagesOf('codes', 'acme', 'ada'))).flat();

      assert.deepEqual(exported, {
        approval_id: 'approval of ada',
        redirect_uri: 'https://acme.example/cb',
        scope: 'read',
        resource: null,
        finishes: false,
        approved_at: new Date(NOW).toISOString(),
        withdrawn_at: null,
      });
    });

    it('what a grant keeps of its code is forgotten with the codes of that time, and the grant stays', async () => {
      const { db, codes, families, code } = await prepare();
      const family = await codes.redeemCode(code, NOW);
      const kept = () =>
        db.all('SELECT redirect_uri, approved_at, finishes FROM token_family WHERE redirect_uri IS NOT NULL');

      await codes.deleteExpiredCodes(NOW);
      const before = await kept();
      const deleted = await codes.deleteExpiredCodes(NOW + 1);

      assert.deepEqual([before.length, await kept(), deleted], [1, [], 0]);
      assert.ok(await families.findLivingGrant(family?.grant.familyId ?? 0));
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

        assert.equal(await livingIn(db), 0, by);
        assert.equal(await redeemable(codes, code), false, by);
      }
    });

    it('records of codes approved before the instant are forgotten, in parts, and no others', async () => {
      const { db, codes } = await prepare();
      await makeCode(db, 'ben');
      await db.write("UPDATE token_family SET approved_at = :at WHERE user_id = 'ben'", {
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
        await db.write('UPDATE token_family SET approved_at = 0');
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
      const visits: Visit[] = [];
      for (const codeChallenge of challenges) {
        const transactionId = `t ${codeChallenge}`;
        const someone = await visit({ codes, ...stores }, transactionId, { transactionId, codeChallenge });
        await someone.link({ accountId: codeChallenge });
        assert.equal(await someone.allow(NOW + 1), 'approved');
        visits.push(someone);
      }

      const family = await codes.redeemCode({ ...code, codeChallenge: challenges[1] }, NOW + 1);

      assert.equal(family?.grant.coverageId, visits[1]?.approvalId());
      const left = (await codes.findCodes('acme', 'ada')).map(({ codeChallenge }) => codeChallenge);
      assert.deepEqual(left, [challenges[0], undefined]);
    });
  });
}

async function redeemable(codes: AuthorizationCodeStore, code: Redemption): Promise<boolean> {
  return (await codes.redeemCode(code, NOW)) !== undefined;
}
