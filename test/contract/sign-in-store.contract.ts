/** Contract tests for SignInStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { SignInId, StoredSignIn } from '../../src/connect/flow/sign-in-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';
import { MOST_OPEN, newRequest, rowsIn } from './grant-rows.ts';

const id: SignInId = { transactionId: 't1', kind: 'google', stateHash: 'hash-1' };
const signIn: StoredSignIn = {
  pending: { nonce: 'n', codeVerifier: 'canary' },
  appClientId: 'app',
  scope: 'read',
  accountKey: 'key',
};

export function signInStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    await stores.requests.createRequest(newRequest(), MOST_OPEN);
    return stores;
  };

  describe(`SignInStore on ${database}`, () => {
    it('a sign-in goes to exactly one of ten who ask at once', async () => {
      const { signIns } = await prepare();
      await signIns.beginSignIn(id, signIn);

      const answers = await tenTimes(() => signIns.takeSignIn(id));

      const winners = answers.filter((answer) => answer !== undefined && 'signIn' in answer);
      assert.deepEqual(winners, [{ signIn }]);
      assert.equal(answers.filter((answer) => answer !== undefined && 'outcome' in answer).length, 9);
    });

    it('a repeated request for a sign-in returns how it ended', async () => {
      const { signIns } = await prepare();
      await signIns.beginSignIn(id, signIn);
      await signIns.takeSignIn(id);

      const open = await signIns.takeSignIn(id);
      await signIns.endSignIn(id, 'google');
      const ended = await signIns.takeSignIn(id);

      assert.deepEqual([open, ended], [{ outcome: undefined }, { outcome: 'google' }]);
    });

    it('a sign-in is known by no other state, provider or transaction', async () => {
      const { signIns } = await prepare();
      await signIns.beginSignIn(id, signIn);

      for (const other of [
        { ...id, stateHash: 'hash-2' },
        { ...id, kind: 'microsoft' as const },
        { ...id, transactionId: 't2' },
      ]) {
        assert.equal(await signIns.takeSignIn(other), undefined);
      }
      assert.deepEqual(await signIns.takeSignIn(id), { signIn });
    });

    it('a sign-in replaces one at the same provider, and leaves the other provider’s alone', async () => {
      const { signIns } = await prepare();
      const microsoft = { ...id, kind: 'microsoft' as const };
      await signIns.beginSignIn(id, signIn);
      await signIns.beginSignIn(microsoft, signIn);

      await signIns.beginSignIn({ ...id, stateHash: 'hash-2' }, { ...signIn, scope: 'read-write' });
      await signIns.endSignIn(id, 'google');

      assert.equal(await signIns.takeSignIn(id), undefined);
      assert.deepEqual(await signIns.takeSignIn({ ...id, stateHash: 'hash-2' }), {
        signIn: { ...signIn, scope: 'read-write' },
      });
      assert.deepEqual(await signIns.takeSignIn(microsoft), { signIn });
    });

    it('a sign-in is kept sealed, and nothing of it once it was taken', async () => {
      const { db, signIns } = await prepare();
      await signIns.beginSignIn(id, signIn);
      const read = () => db.get<{ kept: string | undefined }>('SELECT kept FROM sign_in');

      const before = await read();
      await signIns.takeSignIn(id);

      assert.doesNotMatch(String(before?.kept), /canary/);
      assert.deepEqual({ ...(await read()) }, { kept: undefined });
    });

    it('a sign-in does not begin without a request, and is forgotten with it', async () => {
      const { db, requests, signIns } = await prepare();
      await signIns.beginSignIn({ ...id, transactionId: 'gone' }, signIn);
      await signIns.beginSignIn(id, signIn);

      const before = await rowsIn(db, 'sign_in');
      await requests.deleteExpiredRequests(NOW + 1);

      assert.deepEqual([before, await rowsIn(db, 'sign_in')], [1, 0]);
    });
  });
}
