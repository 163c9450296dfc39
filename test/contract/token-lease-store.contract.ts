/** Contract tests for TokenLeaseStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredCredentials, TokenLease } from '../../src/access/token-lease-store.ts';
import type { SyncFailure } from '../../src/calendars/sync-failure.ts';
import { tokenLeaseStore } from '../../src/store/accounts/token-lease-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, newAccount, openWithUsers, sealer, tenTimes } from './calendar-rows.ts';

const UNTIL = NOW + 60_000;
const FAILURE: SyncFailure = { kind: 'unavailable', message: 'Down', retryAt: NOW + 5_000 };

export function tokenLeaseStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const { db, accounts, tokens } = await openWithUsers(open);
    const account = await accounts.linkAccount(google({ accessToken: 'first' }), NOW);
    const { accountKey } = account;
    const current = async (): Promise<StoredCredentials> => {
      const credentials = await tokens.findCredentials(accountKey);
      assert.ok(credentials);
      return credentials;
    };
    const { version } = await current();
    const leaseOf = (holder: string): TokenLease => ({ accountKey, version, holder });
    return { db, accounts, tokens, account, current, leaseOf };
  };
  const google = (credentials: Record<string, unknown>) =>
    newAccount({ provider: 'google', accountId: 'ada@example.com', credentials });

  describe(`TokenLeaseStore on ${database}`, () => {
    it('the credentials are shown as they are, and none of an account that is gone', async () => {
      const { accounts, tokens, account, current } = await prepare();
      const { credentials, failures, failure } = await current();

      await accounts.removeAccount(account.accountKey, NOW, undefined);

      assert.deepEqual([credentials, failures, failure], [{ accessToken: 'first' }, 0, undefined]);
      assert.equal(await tokens.findCredentials(account.accountKey), undefined);
    });

    it('exactly one of ten concurrent calls has the lease to renew', async () => {
      const { tokens, leaseOf } = await prepare();

      const won = await tenTimes((i) => tokens.leaseTokens({ ...leaseOf(`h${i}`), failures: 0 }, NOW, UNTIL));

      assert.equal(won.filter(Boolean).length, 1);
    });

    it('a lease to renew that ran out goes to another, and exactly one', async () => {
      const { tokens, leaseOf } = await prepare();
      await tokens.leaseTokens({ ...leaseOf('dead'), failures: 0 }, NOW, UNTIL);

      const early = await tokens.leaseTokens({ ...leaseOf('early'), failures: 0 }, UNTIL - 1, UNTIL + 1);
      const late = await tenTimes((i) =>
        tokens.leaseTokens({ ...leaseOf(`h${i}`), failures: 0 }, UNTIL, UNTIL + 60_000),
      );

      assert.equal(early, false);
      assert.equal(late.filter(Boolean).length, 1);
    });

    it('credentials that were renewed since they were read give no lease', async () => {
      const { tokens, leaseOf, current } = await prepare();
      await tokens.leaseTokens({ ...leaseOf('first'), failures: 0 }, NOW, UNTIL);
      const stored = await tokens.storeRenewed(leaseOf('first'), { accessToken: 'second' }, NOW);

      const late = await tokens.leaseTokens({ ...leaseOf('late'), failures: 0 }, NOW, UNTIL);

      const { credentials, version } = await current();
      const next = await tokens.leaseTokens({ ...leaseOf('next'), version, failures: 0 }, NOW, UNTIL);
      assert.deepEqual([stored, late, next], [true, false, true]);
      assert.deepEqual(credentials, { accessToken: 'second' });
    });

    it('a caller that has not seen the last failed renewal of the credentials gets no lease', async () => {
      const { tokens, leaseOf, current } = await prepare();
      await tokens.leaseTokens({ ...leaseOf('first'), failures: 0 }, NOW, UNTIL);
      const failed = await tokens.failRenewal(leaseOf('first'), FAILURE, NOW + 1);

      const unaware = await tokens.leaseTokens({ ...leaseOf('unaware'), failures: 0 }, NOW + 1, UNTIL);
      const aware = await tokens.leaseTokens({ ...leaseOf('aware'), failures: 1 }, NOW + 1, UNTIL);

      assert.deepEqual([failed, unaware, aware], [true, false, true]);
      const { failures, failure, failedAt } = await current();
      assert.deepEqual([failures, failure, failedAt], [1, FAILURE, NOW + 1]);
    });

    it('a renewal that succeeds has failures forgotten', async () => {
      const { tokens, leaseOf, current } = await prepare();
      await tokens.leaseTokens({ ...leaseOf('first'), failures: 0 }, NOW, UNTIL);
      await tokens.failRenewal(leaseOf('first'), FAILURE, NOW);
      await tokens.leaseTokens({ ...leaseOf('second'), failures: 1 }, NOW, UNTIL);

      await tokens.storeRenewed(leaseOf('second'), { accessToken: 'second' }, NOW);

      const { failures, failure, failedAt } = await current();
      assert.deepEqual([failures, failure, failedAt], [0, undefined, undefined]);
    });

    it('a renewal never takes the place of what the user linked meanwhile', async () => {
      const { accounts, tokens, leaseOf, current } = await prepare();
      await tokens.leaseTokens({ ...leaseOf('slow'), failures: 0 }, NOW, UNTIL);
      await accounts.linkAccount(google({ accessToken: 'linked again' }), NOW + 1);

      const stored = await tokens.storeRenewed(leaseOf('slow'), { accessToken: 'renewed' }, NOW + 2);
      const failed = await tokens.failRenewal(leaseOf('slow'), FAILURE, NOW + 2);

      const { credentials, failures } = await current();
      assert.deepEqual([stored, failed, failures], [false, false, 0]);
      assert.deepEqual(credentials, { accessToken: 'linked again' });
    });

    it('what a renewal brought whose lease ran out is kept, unless another stored before it', async () => {
      const { tokens, leaseOf, current } = await prepare();
      await tokens.leaseTokens({ ...leaseOf('slow'), failures: 0 }, NOW, UNTIL);
      await tokens.leaseTokens({ ...leaseOf('other'), failures: 0 }, UNTIL, UNTIL + 60_000);

      const slow = await tokens.storeRenewed(leaseOf('slow'), { accessToken: 'slow' }, UNTIL + 1);
      const other = await tokens.storeRenewed(leaseOf('other'), { accessToken: 'other' }, UNTIL + 2);

      assert.deepEqual([slow, other], [true, false]);
      assert.deepEqual((await current()).credentials, { accessToken: 'slow' });
    });

    it('exactly one of ten renewals of the same credentials is stored', async () => {
      const { tokens, leaseOf, current } = await prepare();

      const stored = await tenTimes((i) =>
        tokens.storeRenewed(leaseOf(`h${i}`), { accessToken: `t${i}` }, NOW),
      );

      assert.equal(stored.filter(Boolean).length, 1);
      assert.deepEqual((await current()).credentials, { accessToken: `t${stored.indexOf(true)}` });
    });

    it('the failure of a run whose lease another took over is ignored', async () => {
      const { tokens, leaseOf, current } = await prepare();
      await tokens.leaseTokens({ ...leaseOf('slow'), failures: 0 }, NOW, UNTIL);
      await tokens.leaseTokens({ ...leaseOf('other'), failures: 0 }, UNTIL, UNTIL + 60_000);

      assert.equal(await tokens.failRenewal(leaseOf('slow'), FAILURE, UNTIL + 1), false);
      assert.equal((await current()).failures, 0);
    });

    it('an account that waited for its user is synced at once when a renewal succeeds', async () => {
      const { db, accounts, account, leaseOf } = await prepare();
      await db.write('DELETE FROM job');
      const refused = { state: 'reauth_required', reason: 'access_revoked', message: 'Revoked' } as const;
      await accounts.setHealth(account, refused, NOW);
      let calls = 0;

      await tokenLeaseStore(db, sealer, () => calls++).storeRenewed(leaseOf('h'), { accessToken: 'x' }, NOW);

      const jobs = await db.all<{ key: string }>("SELECT key FROM job WHERE kind = 'sync-account'");
      assert.deepEqual([jobs[0]?.key, calls], [account.accountKey, 1]);
    });

    it('renewed credentials are sealed: they stand nowhere in plain', async () => {
      const { db, tokens, leaseOf } = await prepare();

      await tokens.storeRenewed(leaseOf('h'), { accessToken: 'canary-token' }, NOW);

      const [row] = await db.all<{ credentials: string }>('SELECT credentials FROM account');
      assert.ok(row && !row.credentials.includes('canary'));
    });
  });
}
