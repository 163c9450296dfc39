/**
 * Contract tests for the accounts that an EventReader shows to each grant of a user. Each database's test calls them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Grant } from '../../src/oauth/grant.ts';
import { SCOPES, type Scope } from '../../src/oauth/scope.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { accountApart, grantAll, NOW, newAccount } from './calendar-rows.ts';
import { calendar, mirrorWith } from './mirror-rows.ts';

export function coveredAccountsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async (...names: string[]) => {
    const made = await mirrorWith(await open(), ...names.map((name) => calendar(name)));
    return { ...made, reader: made.events };
  };

  describe(`the accounts of an EventReader on ${database}`, () => {
    it('the accounts of a grant are those of the groups it covers, and no others', async () => {
      const { db, accounts, reader, accountKey } = await prepare('/a/');
      const other = await accounts.linkAccount(accountApart('other', { accountId: 'other' }), NOW);
      const pending = await accounts.linkAccount(accountApart('open', { accountId: 'open' }), NOW);
      const [mine, foreign, both] = [
        await grantAll(db, { accountKeys: [accountKey] }),
        await grantAll(db, { accountKeys: [other.accountKey] }),
        await grantAll(db, { accountKeys: [accountKey, other.accountKey] }),
      ];
      const keysOf = async (grant: Grant) => (await reader.accountsOf(grant)).map((one) => one.accountKey);

      assert.deepEqual(await keysOf(mine), [accountKey]);
      assert.deepEqual(await keysOf(foreign), [other.accountKey]);
      assert.deepEqual((await keysOf(both)).sort(), [accountKey, other.accountKey].sort());
      assert.deepEqual(await keysOf({ ...mine, coverageId: 'unknown' }), []);
      assert.deepEqual(await keysOf({ ...mine, clientId: 'other' }), []);
      const { coverageId } = await grantAll(db, { accountKeys: [pending.accountKey] });
      await db.write(
        "UPDATE account_group SET expires_at = 1 WHERE transaction_id = 'open' RETURNING group_id",
      );
      assert.deepEqual(await keysOf({ ...mine, coverageId }), [], 'an account of a transaction is nobody’s');
    });

    it('an account that joins a covered group is the grant’s from then on', async () => {
      const { accounts, reader, grant } = await prepare('/a/');

      await accounts.linkAccount(newAccount({ provider: 'apple', accountId: 'later' }), NOW);

      const providers = (await reader.accountsOf(grant)).map(({ provider }) => provider);
      assert.deepEqual(providers, ['apple', 'caldav']);
    });

    it('an account has the narrower of the grant’s scope and the one it is covered at', async () => {
      const { db, reader, accountKey } = await prepare('/a/');
      const scopeOf = async (scope: Scope, coveredAt: Scope) => {
        const grant = await grantAll(db, { accountKeys: [accountKey], scope, coveredAt });
        return (await reader.accountsOf(grant)).map((account) => account.scope);
      };

      for (const [i, scope] of SCOPES.entries())
        for (const [j, coveredAt] of SCOPES.entries())
          assert.deepEqual(
            await scopeOf(scope, coveredAt),
            [SCOPES[Math.min(i, j)]],
            `${scope} ${coveredAt}`,
          );
    });

    it('an account that several covered groups have is shown once, where the grant may do most', async () => {
      const { db, accounts, reader, grant, accountKey } = await prepare('/a/');
      const twin = await accounts.linkAccount(accountApart('other'), NOW + 1);
      const apart = accountApart('apart', { identity: 'another', accountId: newAccount().accountId });
      const { accountKey: other } = await accounts.linkAccount(apart, NOW + 2);
      const all = await grantAll(db, { accountKeys: [accountKey, twin.accountKey, other] });
      const keys = async () => (await reader.accountsOf(all)).map((one) => one.accountKey);

      assert.deepEqual(
        await keys(),
        [accountKey, other],
        'what says the same id and is another account stays',
      );
      const problem = { state: 'reauth_required', reason: 'password_refused', message: 'refused' } as const;
      await accounts.setHealth({ accountKey, timesLinked: 1 }, problem, NOW);
      assert.deepEqual(await keys(), [twin.accountKey, other]);
      await db.write(
        `UPDATE grant_coverage SET scope = 'read'
          WHERE group_id = (SELECT group_id FROM account WHERE account_key = :twin) RETURNING group_id`,
        { twin: twin.accountKey },
      );
      assert.deepEqual(await keys(), [accountKey, other]);
      assert.equal((await reader.accountsOf(grant)).length, 1);
    });

    it('without a grant of its own a reader has what living grants of the user cover, once each', async () => {
      const { db, accounts, families, reader, accountKey } = await prepare('/a/');
      const other = await accounts.linkAccount(accountApart('other', { accountId: 'other' }), NOW);
      await accounts.linkAccount(accountApart('open', { accountId: 'open' }), NOW);
      await grantAll(db, { accountKeys: [accountKey], coveredAt: 'free-busy' });
      await grantAll(db, { accountKeys: [accountKey] });
      const all = { clientId: 'acme', userId: 'ada', scope: 'free-busy', coverageId: undefined } as const;
      const keys = async () =>
        (await reader.accountsOf(all)).map((one) => [one.accountKey, one.scope, one.calendars.length]);

      assert.deepEqual(await keys(), [[accountKey, 'free-busy', 1]]);
      await grantAll(db, { accountKeys: [other.accountKey] });
      assert.equal((await keys()).length, 2);
      await families.endGrantsOf('acme', 'ada', { now: NOW, by: undefined });
      assert.deepEqual(await keys(), []);
      assert.deepEqual(await reader.accountsOf({ ...all, userId: 'ben' }), []);
    });

    it('a calendar that was left out is not shown', async () => {
      const { reader, grant, accountKey, calendarKeys, calendarChoices } = await prepare('/a/', '/b/');
      const [, b = ''] = calendarKeys;

      await calendarChoices.chooseCalendars(accountKey, { chosen: [b], onlyThese: false }, NOW);

      const [account] = await reader.accountsOf(grant);
      assert.deepEqual(
        account?.calendars.map(({ calendarKey }) => calendarKey),
        [b],
      );
    });
  });
}
