/** Contract tests for the lifetimes, the reuse and the unrotated use of refresh tokens in TokenFamilyStore. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { newTokenIn } from '../../src/oauth/refresh-token-id.ts';
import type { SpentToken } from '../../src/oauth/token-family-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { tokenFamilyStore } from '../../src/store/oauth/token-family-store.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';
import { makeFamily, successorOf, visit } from './grant-rows.ts';

const ada = { clientId: 'acme', userId: 'ada' };

export function refreshTokenUseContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    return { db, families: tokenFamilyStore(db), ...(await makeFamily(db, ada)) };
  };

  /** A grant whose first token was rotated at `NOW`. */
  const rotate = async () => {
    const prepared = await prepare();
    const { families, first } = prepared;
    const second = successorOf(first);
    await families.rotateRefreshToken(first, second, { now: NOW });
    const spent: SpentToken = { ...ada, id: first };
    return { ...prepared, second, spent };
  };

  describe(`RefreshTokenUse on ${database}`, () => {
    it('a token of a grant that was not refreshed after the instant is not rotated', async () => {
      const { families, grant, first } = await prepare();
      const next = successorOf(first);

      assert.equal(
        await families.rotateRefreshToken(first, next, { now: NOW, refreshedAfter: NOW }),
        undefined,
      );
      const terms = { now: NOW + 5, refreshedAfter: NOW - 1 };
      assert.deepEqual(await families.rotateRefreshToken(first, next, terms), grant);
      // The rotation was a refresh.
      const later = { now: NOW + 9, refreshedAfter: NOW + 4 };
      assert.deepEqual(await families.rotateRefreshToken(next, successorOf(next), later), grant);
    });

    it('a token of a grant that did not begin after the instant is not rotated, however fresh it is', async () => {
      const { families, grant, first } = await prepare();
      const next = successorOf(first);
      await families.rotateRefreshToken(first, next, { now: NOW + 5 });

      const over = { now: NOW + 6, createdAfter: NOW };
      assert.equal(await families.rotateRefreshToken(next, successorOf(next), over), undefined);
      const within = { now: NOW + 6, createdAfter: NOW - 1 };
      assert.deepEqual(await families.rotateRefreshToken(next, successorOf(next), within), grant);
    });

    it('a grant is found by any token of its family, with the one that is current and its times', async () => {
      const { families, grant, first } = await prepare();
      const next = successorOf(first);
      const dates = { createdAt: NOW, refreshedAt: NOW };

      assert.deepEqual(await families.findDatedGrant([next, first]), { ...grant, ...dates, current: first });
      await families.rotateRefreshToken(first, next, { now: NOW + 5 });

      const rotated = { ...grant, ...dates, refreshedAt: NOW + 5 };
      assert.deepEqual(await families.findDatedGrant([first, next]), { ...rotated, current: next });
      assert.deepEqual(await families.findDatedGrant([first]), { ...rotated, current: undefined });
    });

    it('each of ten who ask for one grant by different tokens learns the state of its own', async () => {
      const { families, first } = await prepare();

      const found = await tenTimes((i) =>
        families.findDatedGrant([i % 2 === 0 ? first : successorOf(first)]),
      );

      assert.deepEqual(
        found.map((grant) => grant?.current),
        found.map((_, i) => (i % 2 === 0 ? first : undefined)),
      );
    });

    it('a grant that has ended is not found by its tokens', async () => {
      const { families, grant, first } = await prepare();
      await families.endGrantsWith(grant, NOW);

      assert.equal(await families.findDatedGrant([first]), undefined);
    });

    it('a use is noted, and not again before the instant or after the end of the grant', async () => {
      const { db, families, grant, first } = await prepare();
      const refreshedAt = async () => (await families.findDatedGrant([first]))?.refreshedAt;
      const { familyId } = grant;

      await tenTimes(() => families.noteUse(familyId, NOW + 60, NOW + 1));
      assert.equal(await refreshedAt(), NOW + 60);
      await families.noteUse(familyId, NOW + 90, NOW + 60);
      assert.equal(await refreshedAt(), NOW + 60);

      await families.endGrantsWith(grant, NOW + 91);
      await families.noteUse(familyId, NOW + 200, NOW + 140);
      const row = await db.get<{ refreshedAt: number }>('SELECT refreshed_at FROM token_family');
      assert.equal(row?.refreshedAt, NOW + 60);
    });

    it('a spent token ends its grant, and no other grant of the user', async () => {
      const { db, families, grant, second, spent } = await rotate();
      const other = await makeFamily(db, ada);

      assert.ok(await families.endReusedGrant(spent, NOW + 9, NOW + 1));

      assert.equal(await families.findLivingGrant(grant.familyId), undefined);
      assert.equal(
        await families.rotateRefreshToken(second, successorOf(second), { now: NOW + 9 }),
        undefined,
      );
      assert.deepEqual(await families.findLivingGrant(other.grant.familyId), other.grant);
    });

    it('a spent token ends nothing before the instant', async () => {
      const { families, grant, spent } = await rotate();

      assert.equal(await families.endReusedGrant(spent, NOW + 9, NOW), undefined);
      assert.ok(await families.findLivingGrant(grant.familyId));
    });

    it('the current token ends nothing', async () => {
      const { families, grant, second } = await rotate();

      assert.equal(await families.endReusedGrant({ ...ada, id: second }, NOW + 9, NOW + 1), undefined);
      assert.ok(await families.findLivingGrant(grant.familyId));
    });

    it('a spent token of another user or application ends nothing', async () => {
      const { families, grant, spent } = await rotate();

      for (const foreign of [{ userId: 'ben' }, { clientId: 'other' }])
        assert.equal(await families.endReusedGrant({ ...spent, ...foreign }, NOW + 9, NOW + 1), undefined);
      assert.ok(await families.findLivingGrant(grant.familyId));
    });

    it('exactly one of ten who present a spent token ends its grant', async () => {
      const { families, spent } = await rotate();

      const ended = await tenTimes(() => families.endReusedGrant(spent, NOW + 9, NOW + 1));

      assert.equal(ended.filter(Boolean).length, 1);
    });

    it('a grant that is revoked while a spent token is presented ends once', async () => {
      const { families, grant, spent } = await rotate();

      const ended = await tenTimes(async (i) =>
        i % 2 === 0
          ? Number((await families.endReusedGrant(spent, NOW + 9, NOW + 1)) !== undefined)
          : families.endGrantsWith(grant, NOW + 9),
      );

      assert.equal(
        ended.reduce((sum, count) => sum + count, 0),
        1,
      );
    });

    it('the end of a grant by a spent token is in the history of the accounts that it covered', async () => {
      const stores = await openWithUsers(open);
      const { families, healthHistory } = stores;
      const { familyId } = await (await visit(stores, 'browser')).connect();
      const ofBen = await visit(stores, 'another browser', { transactionId: 't2', userId: 'ben' });
      await ofBen.connect();
      const spent: SpentToken = { ...ada, id: newTokenIn(familyId) };

      const ended = await families.endReusedGrant(spent, NOW + 9, NOW + 1);

      assert.match(ended?.user ?? '', /^user_[\w-]{16}$/);
      const happened = async (userId: string) =>
        (await healthHistory.listHealthEvents('acme', userId)).map((one) => [one.happened, one.at - NOW]);
      assert.deepEqual(await happened('ada'), [
        ['refresh_reused', 9],
        ['connected', 0],
      ]);
      assert.deepEqual(await happened('ben'), [['connected', 0]]);
    });
  });
}
