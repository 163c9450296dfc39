/** Contract tests for what an AccountStore keeps of an account besides its health. Each database's test calls them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AccountProblem } from '../../src/calendars/account-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { grantAll, NOW, newAccount, openWithUsers } from './calendar-rows.ts';

const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
const DOWN = { state: 'degraded', reason: 'provider_unavailable', message: 'Down' } as const;
const NOT_ALLOWED = { ...REFUSED, reason: 'calendar_permission_missing' } as const;

export function accountFactsContract(database: string, open: () => Promise<Database>): void {
  describe(`what is kept of an account on ${database}`, () => {
    it('an account knows when it last changed whether its user has to connect it again, and nothing before', async () => {
      const { accounts } = await openWithUsers(open);
      const account = await accounts.linkAccount(newAccount(), NOW);
      const changedAt = async () => (await accounts.findAccount(account.accountKey))?.syncStateAt;
      const after = async (problem: AccountProblem, now: number) => {
        await accounts.setHealth(account, problem, now);
        return changedAt();
      };

      assert.equal(account.syncStateAt, undefined);
      assert.equal(await after(DOWN, NOW + 1), undefined);
      assert.equal(await after(NOT_ALLOWED, NOW + 2), undefined);
      assert.equal(await after(REFUSED, NOW + 3), NOW + 3);
      assert.equal(await after({ ...REFUSED, reason: 'access_revoked' }, NOW + 4), NOW + 3);
      assert.equal(await after(NOT_ALLOWED, NOW + 5), NOW + 5);
      assert.equal(await after(REFUSED, NOW + 6), NOW + 6);
      await accounts.recover(account.accountKey, NOW + 7);
      assert.equal(await changedAt(), NOW + 7);
    });

    it('an account whose user connects it again has changed only where that was needed', async () => {
      const { accounts } = await openWithUsers(open);
      const linked = await accounts.linkAccount(newAccount(), NOW);
      const again = await accounts.linkAccount(newAccount(), NOW + 1);
      await accounts.setHealth(again, REFUSED, NOW + 2);
      const mended = await accounts.linkAccount(newAccount(), NOW + 3);

      assert.deepEqual(
        [linked.syncStateAt, again.syncStateAt, mended.syncStateAt],
        [undefined, undefined, NOW + 3],
      );
    });

    it('an account keeps its user’s addresses until others replace them, and has to read them again after a new link', async () => {
      const { db, accounts, events } = await openWithUsers(open);
      const account = await accounts.linkAccount(newAccount(), NOW);
      const grant = await grantAll(db);
      const addresses = async () => (await events.accountsOf(grant))[0]?.addresses;
      const readAt = async () => (await accounts.findAccount(account.accountKey))?.addressesReadAt;

      assert.deepEqual([await addresses(), await readAt()], [[], undefined]);
      await accounts.keepAddresses(account, ['ada@example.com', 'ünï@example.com'], NOW + 1);
      await accounts.keepAddresses(account, undefined, NOW + 2);
      assert.deepEqual(
        [await addresses(), await readAt()],
        [['ada@example.com', 'ünï@example.com'], NOW + 2],
      );
      await accounts.linkAccount(newAccount(), NOW + 3);
      assert.deepEqual([(await addresses())?.length, await readAt()], [2, undefined]);
    });
  });
}
