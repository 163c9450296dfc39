/** Contract tests for opaque codes in AuthorizationCodeStore and AuthorizationRequestStore. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decideApproval } from '../../src/connect/flow/account-groups.ts';
import type { Redemption } from '../../src/oauth/authorization-code-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import { beginCode } from '../harness/begin-grant.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';
import { livingIn, rowsIn, visit } from './grant-rows.ts';

const HASH = 'a'.repeat(64);
const CODE: Redemption = {
  clientId: 'acme',
  code: 'opaque',
  codeHash: HASH,
  redirectUri: 'https://acme.example/cb',
  codeChallenge: undefined,
  approvedSince: NOW,
};
const REDEEMED = { clientId: 'acme', codeHash: HASH, redeemedSince: NOW };

export function opaqueCodesContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    await begin(stores.db, { codeHash: HASH });
    return stores;
  };

  describe(`OpaqueCodes on ${database}`, () => {
    it('an opaque code is found by its hash alone, pending and redeemed', async () => {
      const { codes } = await prepare();
      const facts = { approvalId: 'opaque', clientId: 'acme', userId: 'ada', scope: 'read' };
      const rest = {
        redirectUri: CODE.redirectUri,
        codeChallenge: undefined,
        dpopJkt: undefined,
        approvedAt: NOW,
      };
      const record = { ...facts, ...rest, withdrawnAt: undefined, redeemedAt: undefined };

      assert.deepEqual(await codes.findOpaqueCode(HASH), record);
      for (const other of ['', 'ada', 'opaque', HASH.toUpperCase(), `${HASH}\0`])
        assert.equal(await codes.findOpaqueCode(other), undefined);
      await codes.redeemCode(CODE, NOW + 1);
      assert.deepEqual(await codes.findOpaqueCode(HASH), { ...record, redeemedAt: NOW + 1 });
    });

    it('the user’s id is no code of an approval with an opaque code', async () => {
      const { db, codes } = await prepare();
      const guess = { ...CODE, code: 'ada', codeHash: undefined };

      assert.equal(await codes.redeemCode(guess, NOW), undefined);
      assert.deepEqual(await codes.findCodes('acme', 'ada'), []);
      assert.equal(await codes.isCodeOfAnotherClient('other', 'ada'), false);
      assert.equal(await livingIn(db), 0);
    });

    it('no hash redeems an approval whose code is the user’s id', async () => {
      const { db, codes } = await openWithUsers(open);
      await begin(db, {});

      assert.equal(await codes.redeemCode({ ...CODE, code: 'ada' }, NOW), undefined);
      assert.ok(await codes.redeemCode({ ...CODE, code: 'ada', codeHash: undefined }, NOW));
    });

    const others: readonly Partial<Redemption>[] = [
      { clientId: 'other' },
      { redirectUri: 'https://acme.example/other' },
      { codeChallenge: 'c'.repeat(43) },
      { approvedSince: NOW + 1 },
      { codeHash: 'b'.repeat(64) },
    ];
    for (const other of others) {
      it(`an opaque code redeems nothing, and stays, with another ${Object.keys(other)[0]}`, async () => {
        const { db, codes } = await prepare();

        assert.equal(await codes.redeemCode({ ...CODE, ...other }, NOW), undefined);

        assert.equal(await livingIn(db), 0);
        assert.equal((await codes.redeemCode(CODE, NOW))?.grant.userId, 'ada');
      });
    }

    for (const finishes of [0, 1]) {
      it(`exactly one of ten concurrent exchanges redeems an opaque code, finishes = ${finishes}`, async () => {
        const { db, codes } = await prepare();
        await db.write('UPDATE token_family SET finishes = :finishes', { finishes });

        const redeemed = await tenTimes(() => codes.redeemCode(CODE, NOW));

        assert.deepEqual([redeemed.filter(Boolean).length, await livingIn(db)], [1, 1]);
      });
    }

    it('exactly one of ten concurrent replays ends the grant, and no other grant of the user', async () => {
      const { db, codes, families } = await prepare();
      const ben = await begin(db, { codeHash: 'b'.repeat(64) });
      const first = await codes.redeemCode(CODE, NOW);
      await codes.redeemCode({ ...CODE, codeHash: 'b'.repeat(64) }, NOW);

      const ended = await tenTimes(() => codes.endRedeemedGrant(REDEEMED, NOW + 1));

      assert.deepEqual(ended.filter(Boolean), [first?.grant]);
      assert.equal(await families.findLivingGrant(first?.grant.familyId ?? 0), undefined);
      assert.ok(await families.findLivingGrant(ben));
    });

    it('a replay ends nothing at another application, before the redemption, or later than a day', async () => {
      const { db, codes } = await prepare();

      const pending = await codes.endRedeemedGrant(REDEEMED, NOW);
      await codes.redeemCode(CODE, NOW);
      const others = [
        await codes.endRedeemedGrant({ ...REDEEMED, clientId: 'other' }, NOW),
        await codes.endRedeemedGrant({ ...REDEEMED, codeHash: 'b'.repeat(64) }, NOW),
        await codes.endRedeemedGrant({ ...REDEEMED, redeemedSince: NOW + 1 }, NOW),
      ];

      assert.deepEqual([pending, ...others], [undefined, undefined, undefined, undefined]);
      assert.equal(await livingIn(db), 1);
    });

    it('ten redemptions beside ten replays leave no living grant once one replay came later', async () => {
      const { db, codes } = await prepare();

      await tenTimes(async () => {
        const family = await codes.redeemCode(CODE, NOW);
        if (family === undefined) await codes.endRedeemedGrant(REDEEMED, NOW);
      });

      assert.equal(await livingIn(db), 0);
    });

    it('the hash is deleted with what the grant keeps of its code, and the grant stays', async () => {
      const { db, codes } = await prepare();
      await codes.redeemCode(CODE, NOW + 5);

      await codes.deleteExpiredCodes(NOW + 5);
      const stored = await codes.findOpaqueCode(HASH);
      await codes.deleteExpiredCodes(NOW + 6);

      assert.equal(stored?.redeemedAt, NOW + 5);
      assert.equal(await codes.findOpaqueCode(HASH), undefined);
      assert.equal(await livingIn(db), 1);
    });

    it('ending a user’s access withdraws opaque codes too', async () => {
      const { codes, families } = await prepare();

      await families.endGrantsOf('acme', 'ada', { now: NOW, by: undefined });

      assert.equal(await codes.redeemCode(CODE, NOW), undefined);
      assert.equal((await codes.findOpaqueCode(HASH))?.withdrawnAt, NOW);
    });

    it('approvals with opaque codes replace no code, of either format, and each is redeemed', async () => {
      const stores = await prepare();
      await begin(stores.db, {});

      const approved = [await approve(stores, 't1'), await approve(stores, 't2')];

      assert.deepEqual(approved, ['approved', 'approved']);
      assert.equal(await rowsIn(stores.db, 'token_family'), 4);
      for (const codeHash of ['hash of t2', HASH, 'hash of t1', undefined])
        assert.ok(await stores.codes.redeemCode({ ...CODE, code: 'ada', codeHash }, NOW));
    });

    it('an approval with the user’s id as code replaces no opaque code and waits for none', async () => {
      const stores = await prepare();
      const stranger = await visit(stores, 'browser', { transactionId: 't3' });
      await stranger.link({ accountId: 'b' });

      assert.equal(await stranger.allow(), 'approved');
      assert.ok(await stores.codes.redeemCode(CODE, NOW));
    });
  });
}

/** Creates a pending code of ada and returns the number of its family. */
const begin = (db: Database, code: { readonly codeHash?: string }): Promise<number> => {
  const owner = { coverageId: 'opaque', clientId: 'acme', userId: 'ada', scope: 'read' } as const;
  return db.transaction((tx) => beginCode(tx, { ...owner, ...code }, NOW));
};

/** Links an account in a browser of its own and approves, with an opaque code. */
async function approve(stores: Stores, transactionId: string) {
  const { request, link } = await visit(stores, transactionId, { transactionId });
  await link({ accountId: transactionId });
  const approver = { request, deviceHash: transactionId, codeHash: `hash of ${transactionId}`, now: NOW };
  const terms = { returningUsers: 'prove', codeFormat: 'opaque', now: NOW } as const;
  return stores.requests.approveRequest(approver, (user) => decideApproval(request, user, terms));
}
