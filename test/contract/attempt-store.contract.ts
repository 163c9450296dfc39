/** Contract tests for AttemptStore, and limits of two instances on one database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import type { RefundableLimit } from '../../src/http/attempt-limit.ts';
import { type AttemptStore, type SharedLimitsDeps, sharedLimits } from '../../src/http/shared-attempts.ts';
import { invalidGrant } from '../../src/oauth/oauth-error.ts';
import { limitWrongCodes, wrongCodeLimits } from '../../src/oauth/wrong-codes.ts';
import { signInLimits } from '../../src/people/sign-in.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { NOW, sealer, tenTimes } from './calendar-rows.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WINDOW = { attempts: 3, seconds: 60 };
const BACK_OFF = {
  ...{ attempts: 2, seconds: 60 },
  backOff: { firstMs: MINUTE, longestMs: 3 * MINUTE, forgetMs: DAY },
};
const attemptKey = Buffer.alloc(32, 7);

export function attemptStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    return { db, store: openStores(db, { sealer }).attemptCounts };
  };
  const instance = (attemptCounts: AttemptStore, deps: Partial<SharedLimitsDeps> = {}) =>
    sharedLimits({ attemptCounts, attemptKey, log: recordingLog().log, now: () => NOW, ...deps });
  /** Tries on each limit in turn, and returns how many attempts were allowed. */
  const spend = async (limits: readonly RefundableLimit[], tries: number) => {
    let allowed = 0;
    for (let at = 0; at < tries; at += 1)
      if ((await limits[at % limits.length]?.('ada')) === undefined) allowed += 1;
    return allowed;
  };

  describe(`AttemptStore on ${database}`, () => {
    it('counts no more of ten concurrent attempts than are allowed, and starts again after the window', async () => {
      const { store } = await prepare();

      const waits = await tenTimes(() => store.countAttempt('a', WINDOW, NOW));

      assert.equal(waits.filter((wait) => wait === undefined).length, 3);
      assert.ok(waits.every((wait) => wait === undefined || wait === MINUTE));
      assert.equal(await store.countAttempt('b', WINDOW, NOW), undefined);
      assert.equal(await store.countAttempt('a', WINDOW, NOW + MINUTE - 1), 1);
      assert.equal(await store.countAttempt('a', WINDOW, NOW + MINUTE), undefined);
    });

    it('doubles the pause after each attempt up to the longest, and forgets them after a day', async () => {
      const { store } = await prepare();
      const pauses: (number | undefined)[] = [];
      let now = NOW;
      for (let at = 0; at < 6; at += 1) {
        assert.equal(await store.countAttempt('a', BACK_OFF, now), undefined);
        pauses.push(at === 0 ? undefined : await store.countAttempt('a', BACK_OFF, now));
        now += pauses.at(-1) ?? 0;
      }
      assert.deepEqual(pauses, [undefined, MINUTE, 2 * MINUTE, 3 * MINUTE, 3 * MINUTE, 3 * MINUTE]);
      await store.countAttempt('a', BACK_OFF, now + DAY);
      assert.equal(await store.countAttempt('a', BACK_OFF, now + DAY), undefined);
    });

    it('allows an attempt more for each that is taken back, and keeps the end of the window', async () => {
      const { store } = await prepare();
      for (let at = 0; at < 3; at += 1) await store.countAttempt('a', WINDOW, NOW);
      await store.refundAttempt('a', WINDOW, NOW + 1);
      await store.refundAttempt('unknown', WINDOW, NOW + 1);

      assert.equal(await store.countAttempt('a', WINDOW, NOW + 2), undefined);
      assert.equal(await store.countAttempt('a', WINDOW, NOW + 2), MINUTE - 2);
      assert.equal(await store.countAttempt('a', WINDOW, NOW + MINUTE), undefined);
    });

    it('ends the window of an attempt that is taken back at the first pause as if there was no pause', async () => {
      const { store } = await prepare();
      for (let at = 0; at < 2; at += 1) await store.countAttempt('a', BACK_OFF, NOW);
      await store.refundAttempt('a', BACK_OFF, NOW);

      assert.equal(await store.countAttempt('a', BACK_OFF, NOW + MINUTE), undefined);
      assert.equal(await store.countAttempt('a', BACK_OFF, NOW + MINUTE), undefined);
    });

    it('writes nothing for a refused attempt, and deletes counts that ended', async () => {
      const { db, store } = await prepare();
      const rows = () => db.all('SELECT key_hash, count, until, next_at FROM attempt ORDER BY key_hash');
      for (let at = 0; at < 3; at += 1) await store.countAttempt('a', WINDOW, NOW);
      await store.countAttempt('b', WINDOW, NOW + 1);
      const before = await rows();
      await store.countAttempt('a', WINDOW, NOW);

      assert.deepEqual(await rows(), before);
      assert.equal(await store.deleteEndedAttempts(NOW + MINUTE), 1);
      assert.equal((await rows()).length, 1);
    });
  });

  describe(`limits of two instances on ${database}`, () => {
    it('allow the attempts of one instance in total, for each limit of a person or an account', async () => {
      const { store } = await prepare();
      const limitsOf = () => {
        const createLimit = instance(store);
        const signIns = signInLimits(() => 0, createLimit);
        const pages = connectAttempts(
          { ...GENEROUS, passwordsPerTransaction: 4, passwordsPerAccount: 5 },
          createLimit,
        );
        return [
          ...[signIns.ofBrowser, signIns.ofBrowserInDay, signIns.ofLogin],
          ...[pages.passwordsInTransaction, pages.passwordsForAccount],
        ];
      };
      const [first, second] = [limitsOf(), limitsOf()];

      const allowed: number[] = [];
      for (const [at, limit] of first.entries()) allowed.push(await spend([limit, second[at] ?? limit], 120));
      assert.deepEqual(allowed, [10, 50, 20, 4, 5]);
    });

    it('allow the wrong codes of one instance for a user, and none of another user less', async () => {
      const { store } = await prepare();
      const limits = { wrongCodesPerMinute: 300, wrongCodesOfUserPerMinute: 6 };
      const both = [1, 2].map(() => wrongCodeLimits(limits, instance(store)));
      const refuse = async (code: string, at: number) => {
        const wrong = () => Promise.reject(invalidGrant('No'));
        const [own = wrongCodeLimits(limits)] = both.slice(at % 2);
        const reason = await limitWrongCodes(wrong, { clientId: 'acme', code }, own).catch((error) => error);
        return reason.code;
      };
      const codes: string[] = [];
      for (let at = 0; at < 20; at += 1) codes.push(await refuse('ada', at));
      assert.equal(codes.filter((code) => code === 'invalid_grant').length, 6);
      assert.equal(await refuse('ben', 0), 'invalid_grant');
    });

    it('refund a success on all instances', async () => {
      const { store } = await prepare();
      const both = [1, 2].map(() => instance(store)('account', WINDOW));
      for (let at = 0; at < 9; at += 1) {
        assert.equal(await both[at % 2]?.('ada'), undefined);
        await both[at % 2]?.refund('ada');
      }
      assert.equal(await spend(both, 10), 3);
    });

    it('store no key', async () => {
      const { db, store } = await prepare();
      await instance(store)('login', WINDOW)('ada@example.com');
      const rows = await db.all<{ keyHash: string }>('SELECT key_hash FROM attempt');
      assert.match(rows[0]?.keyHash ?? '', /^[\w-]{43}$/);
    });
  });
}
