/** Contract tests for which user an account belongs to. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Account, TransactionAnswered } from '../../src/calendars/account-store.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import type { Reader } from '../../src/oauth/grant.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import {
  accountApart,
  codeIsWithdrawn,
  grantAll,
  makeCode,
  NOW,
  newAccount,
  openWithUsers,
  tenTimes,
} from './calendar-rows.ts';
import { livingIn, makeEvent, rowsIn, visit } from './grant-rows.ts';

const ANY: Reader = { clientId: 'acme', userId: 'ada', coverageId: undefined };
const ADAS_CALDAV = { ...ANY, provider: 'caldav' } as const;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const CODE_LIFETIME = 10 * MINUTE;

const idsOf = (accounts: readonly Account[]) => accounts.map(({ accountId }) => accountId);
const device = (deviceHash: string, formerHash?: string) => ({ device: { deviceHash, formerHash } });

/** Returns the ids of the user's accounts that a browser with this device hash stands for. */
async function standsFor(
  { requests }: Pick<Stores, 'requests'>,
  hash: string,
  userId = 'ada',
): Promise<string[]> {
  const { groups } = await requests.groupsOf({ clientId: 'acme', userId }, hash, NOW);
  return groups.flatMap(({ isOfThisBrowser, accounts }) => (isOfThisBrowser ? idsOf(accounts) : []));
}

export function accountGroupsContract(database: string, open: () => Promise<Database>): void {
  const prepare = () => openWithUsers(open);
  const seen = async ({ accounts }: Stores, reader: Reader) => idsOf(await accounts.accountsOf(reader));

  describe(`AccountGroups on ${database}`, () => {
    it('a linked account belongs to no user until the code of its approval is redeemed', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser');
      const looked = async () => [
        await seen(stores, ANY),
        idsOf(await stores.accounts.listAccounts('acme', 'ada')),
        await seen(stores, { ...ANY, coverageId: ada.approvalId() }),
      ];

      await ada.link({ accountId: 'a' });
      const linked = await looked();
      await ada.allow();
      const allowed = await looked();
      const grant = await ada.redeem();

      assert.deepEqual(linked, [[], [], []]);
      assert.deepEqual(allowed, [[], [], []]);
      assert.equal(grant?.coverageId, ada.approvalId());
      assert.deepEqual(await looked(), [['a'], ['a'], ['a']]);
    });

    it('a grant reads what its own approver connected, and the application what any living grant does', async () => {
      const stores = await prepare();
      const ada = await (await visit(stores, 'browser')).connect({ accountId: 'a' });
      const other = await visit(stores, 'other', { transactionId: 't2' });
      const eve = await other.connect({ accountId: 'e' }, NOW + 1);

      const read = [await seen(stores, ada), await seen(stores, eve), await seen(stores, ANY)];
      await stores.db.write('UPDATE token_family SET ended_at = 1 WHERE coverage_id = :coverageId', {
        coverageId: eve.coverageId,
      });

      assert.deepEqual(read, [['a'], ['e'], ['a', 'e']]);
      assert.deepEqual(await seen(stores, ANY), ['a']);
      assert.deepEqual(idsOf(await stores.accounts.listAccounts('acme', 'ada')), ['a', 'e']);
    });

    it('a grant reads accounts of its own user and application alone', async () => {
      const stores = await prepare();
      const { coverageId } = await (await visit(stores, 'browser')).connect();

      for (const other of [{ userId: 'ben' }, { clientId: 'other' }]) {
        assert.deepEqual(await seen(stores, { ...ANY, coverageId, ...other }), []);
      }
    });

    it('an earlier grant sees an account that its user adds, from Allow on', async () => {
      const stores = await prepare();
      const grant = await (await visit(stores, 'browser')).connect({ accountId: 'a' });
      const later = await visit(stores, 'browser', { transactionId: 't2' });

      await later.link({ accountId: 'b' }, NOW + 1);
      const linked = await seen(stores, grant);
      await later.allow();

      assert.deepEqual([linked, await seen(stores, grant)], [['a'], ['a', 'b']]);
    });

    it('a new secret of a browser takes over all that the former stood for, which then stands for nothing', async () => {
      const stores = await prepare();
      const { accounts } = stores;
      await accounts.linkAccount(newAccount({ accountId: 'a', ...device('one') }), NOW);
      await accounts.linkAccount(newAccount({ accountId: 'x', userId: 'ben', ...device('one') }), NOW);
      await accounts.linkAccount(accountApart('eve', { accountId: 'e', ...device('other') }), NOW);

      await accounts.linkAccount(accountApart('t2', { accountId: 'b', ...device('two', 'one') }), NOW + 1);

      assert.deepEqual((await standsFor(stores, 'two')).toSorted(), ['a', 'b']);
      assert.deepEqual(await standsFor(stores, 'two', 'ben'), ['x']);
      assert.deepEqual([await standsFor(stores, 'one'), await standsFor(stores, 'one', 'ben')], [[], []]);
      assert.deepEqual(await standsFor(stores, 'other'), ['e']);
    });

    it('what was allowed takes nothing more: linking into it is refused, and changes nothing', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser');
      await ada.link({ accountId: 'a' });
      await ada.allow();

      await assert.rejects(ada.link({ accountId: 'late' }, NOW + 1), TransactionAnswered);
      const grant = await ada.redeem();

      assert.ok(grant);
      assert.deepEqual(await seen(stores, grant), ['a']);
      assert.deepEqual(await standsFor(stores, 'browser'), ['a']);
    });

    it('no account is left without a group when it is linked while its transaction is allowed', async () => {
      const stores = await prepare();
      await (await visit(stores, 'browser')).connect({ accountId: 'a' });
      const later = await visit(stores, 'browser', { transactionId: 't2' });
      await later.link({ accountId: 'b' });

      const linked = await tenTimes(async (i): Promise<number> => {
        if (i % 2) return later.allow().then(() => 0);
        return later.link({ accountId: `race ${i}` }).then(() => 1, refusedAsAnswered);
      });

      const lost = await stores.db.all(
        'SELECT account_id FROM account WHERE group_id NOT IN (SELECT group_id FROM account_group)',
      );
      const rows = await rowsIn(stores.db, 'account');
      assert.deepEqual([lost.length, rows], [0, 2 + linked.reduce((sum, one) => sum + one, 0)]);
    });

    it('an account is disconnected with its credentials, mirror and jobs', async () => {
      const { db, accounts } = await prepare();
      const { accountKey } = await accounts.linkAccount(newAccount(), NOW);
      await grantAll(db);
      await makeEvent(db, accountKey, 'c');
      await db.write("INSERT INTO job (kind, key, run_at, attempts) VALUES ('sync-calendar', 'c', 0, 0)");

      const gone = await accounts.disconnect(ADAS_CALDAV, NOW);

      assert.equal(gone, 1);
      assert.equal(await accounts.credentialsOf(accountKey), undefined);
      assert.deepEqual(await db.all('SELECT * FROM calendar'), []);
      assert.deepEqual(await db.all('SELECT * FROM job'), []);
    });

    it('disconnecting takes the named account alone, and none for an id it does not know', async () => {
      const { db, accounts } = await prepare();
      await accounts.linkAccount(newAccount({ accountId: 'a' }), NOW);
      await accounts.linkAccount(newAccount({ accountId: 'b' }), NOW);
      await accounts.linkAccount(newAccount({ userId: 'ben', accountId: 'a' }), NOW);
      await grantAll(db);
      await grantAll(db, { userId: 'ben' });

      const taken = (change: { provider?: ProviderKind; accountId: string }) =>
        accounts.disconnect({ ...ADAS_CALDAV, ...change }, NOW);
      assert.equal(await taken({ accountId: 'unknown' }), 0);
      assert.equal(await taken({ provider: 'google', accountId: 'a' }), 0);
      assert.equal(await taken({ accountId: 'a' }), 1);

      assert.deepEqual(idsOf(await accounts.listAccounts('acme', 'ada')), ['b']);
      assert.equal((await accounts.listAccounts('acme', 'ben')).length, 1);
    });

    it('disconnecting reaches what the grant covers, and never what is not the user’s yet', async () => {
      const stores = await prepare();
      const ada = await (await visit(stores, 'browser')).connect({ accountId: 'a' });
      const eve = await (await visit(stores, 'other', { transactionId: 't2' })).connect({ accountId: 'e' });
      const open = await visit(stores, 'third', { transactionId: 't3' });
      await open.link({ accountId: 'u' });

      const gone = [
        await stores.accounts.disconnect({ ...ADAS_CALDAV, ...ada, accountId: 'e' }, NOW),
        await stores.accounts.disconnect({ ...ADAS_CALDAV, accountId: 'u' }, NOW),
        await stores.accounts.disconnect({ ...ADAS_CALDAV, ...eve }, NOW),
      ];

      assert.deepEqual(gone, [0, 0, 1]);
      assert.deepEqual(idsOf(await stores.accounts.listAccounts('acme', 'ada')), ['a']);
      assert.equal(await rowsIn(stores.db, 'account'), 2);
    });

    it('an account is removed by its key once, whether it is the user’s or a transaction’s', async () => {
      const stores = await prepare();
      await (await visit(stores, 'browser')).connect({ accountId: 'a' });
      const open = await visit(stores, 'third', { transactionId: 't3' });
      const { accountKey } = await open.link({ provider: 'google', accountId: 'u' });
      const [own] = await stores.accounts.listAccounts('acme', 'ada');

      const removed = await tenTimes(() => stores.accounts.removeAccount(accountKey, NOW, undefined));

      assert.equal(removed.filter(Boolean).length, 1);
      assert.equal((await stores.endedAccess.findEndedAccess(accountKey))?.accountId, 'u');
      assert.equal(await stores.accounts.removeAccount(own?.accountKey ?? '', NOW, undefined), true);
      assert.equal(await rowsIn(stores.db, 'account'), 0);
    });

    it('the pending code is withdrawn with the last account it covers, not before, and of that user alone', async () => {
      const { db, accounts } = await prepare();
      await accounts.linkAccount(newAccount({ accountId: 'a' }), NOW);
      await accounts.linkAccount(newAccount({ accountId: 'b' }), NOW);
      await accounts.linkAccount(newAccount({ userId: 'ben' }), NOW);
      await makeCode(db, 'ada');
      await makeCode(db, 'ben');
      await accounts.linkAccount(accountApart('eve', { accountId: 'e' }), NOW);
      await grantAll(db);

      await accounts.disconnect({ ...ADAS_CALDAV, accountId: 'a' }, NOW);
      const withOneLeft = await codeIsWithdrawn(db, 'ada');
      await accounts.disconnect({ ...ADAS_CALDAV, accountId: 'b' }, NOW);

      assert.equal(withOneLeft, false);
      assert.equal(await codeIsWithdrawn(db, 'ada'), true);
      assert.equal(await codeIsWithdrawn(db, 'ben'), false);
    });

    it('the pending code is left alone when there was no account to disconnect', async () => {
      const { db, accounts } = await prepare();
      await makeCode(db, 'ada');

      await accounts.disconnect(ADAS_CALDAV, NOW);

      assert.equal(await codeIsWithdrawn(db, 'ada'), false);
    });

    it('the pending code is withdrawn when the last ten accounts go at once', async () => {
      const { db, accounts } = await prepare();
      await tenTimes((i) => accounts.linkAccount(newAccount({ accountId: `a${i}` }), NOW));
      await makeCode(db, 'ada');
      await grantAll(db);

      const gone = await tenTimes((i) => accounts.disconnect({ ...ADAS_CALDAV, accountId: `a${i}` }, NOW));

      assert.deepEqual(gone, Array(10).fill(1));
      assert.equal(await codeIsWithdrawn(db, 'ada'), true);
    });

    it('an account counts once when ten calls disconnect it', async () => {
      const { db, accounts } = await prepare();
      await accounts.linkAccount(newAccount(), NOW);
      await grantAll(db);

      const gone = await tenTimes(() => accounts.disconnect(ADAS_CALDAV, NOW));

      assert.equal(
        gone.reduce((sum, n) => sum + n),
        1,
      );
    });
  });

  describe(`UnfinishedAccounts on ${database}`, () => {
    const prepareUnfinished = async () => {
      const stores = await prepare();
      const { db, accounts } = stores;
      const ada = await visit(stores, 'browser');
      const { accountKey } = await ada.link({ provider: 'google', accountId: 'u' });
      await db.write('DELETE FROM job');
      const left = async () => [await rowsIn(db, 'account'), await rowsIn(db, 'account_group')];
      const drop = (now: number) => accounts.dropUnfinished(now, now);
      return { ...stores, ada, accountKey, left, drop };
    };

    it('what was linked and never allowed goes when its transaction ends, not before', async () => {
      const { db, endedAccess, accountKey, left, drop } = await prepareUnfinished();
      const end = NOW + 2 * 60 * MINUTE;

      const early = [await drop(end), ...(await left())];
      const late = [await drop(end + 1), ...(await left())];

      assert.deepEqual(early, [0, 1, 1]);
      assert.deepEqual(late, [1, 0, 0]);
      assert.equal((await endedAccess.findEndedAccess(accountKey))?.endedAt, end + 1);
      const jobs = await db.all<{ kind: string; key: string }>('SELECT kind, key FROM job');
      assert.deepEqual(
        jobs.map(({ kind, key }) => `${kind} ${key}`),
        [`end-access ${accountKey}`],
      );
    });

    it('what was allowed and not redeemed goes with its code, and stays visible to its browser for 30 days', async () => {
      const { db, requests, ada, left, drop } = await prepareUnfinished();
      await ada.allow();
      const end = NOW + CODE_LIFETIME;
      const told = async (browser: string) => {
        const { groups } = await requests.groupsOf({ clientId: 'acme', userId: 'ada' }, browser, end + 1);
        return groups.map(({ unfinished, accounts }) => [unfinished?.isApproved, accounts.length]);
      };

      const early = [await drop(end), ...(await left())];
      const late = [await drop(end + 1), ...(await left())];
      const [mine, others] = [await told('browser'), await told('other')];
      const remembered = [await drop(end + 30 * DAY), ...(await left())];
      const forgotten = [await drop(end + 30 * DAY + 1), ...(await left())];

      assert.deepEqual(
        [early, late],
        [
          [0, 1, 1],
          [1, 0, 1],
        ],
      );
      assert.equal(await codeIsWithdrawn(db, 'ada'), true);
      assert.deepEqual([mine, others], [[[true, 0]], []]);
      assert.deepEqual(
        [remembered, forgotten],
        [
          [0, 0, 1],
          [0, 0, 0],
        ],
      );
    });

    it('what is pending, redeemed or in an open transaction is not dropped with what ended', async () => {
      const { ada, left, drop, ...stores } = await prepareUnfinished();
      await ada.allow();
      await ada.redeem();
      const opened = { transactionId: 't2', createdAt: NOW + DAY };
      await (await visit(stores, 'second', opened)).link({ accountId: 'open' }, NOW + DAY);
      const pending = await visit(stores, 'third', { ...opened, transactionId: 't3' });
      await pending.link({ accountId: 'pending' }, NOW + DAY);
      await pending.allow(NOW + DAY);

      assert.equal(await drop(NOW + DAY + MINUTE), 0);

      assert.deepEqual(await left(), [3, 3]);
    });

    it('accounts of more ended transactions than are dropped at once are all dropped', async () => {
      const { accounts, left } = await prepareUnfinished();
      for (let i = 0; i < 105; i++) {
        await accounts.linkAccount(
          newAccount({ transaction: { transactionId: `old ${i}`, expiresAt: NOW - 1 } }),
          NOW - 2,
        );
      }

      assert.equal(await accounts.dropUnfinished(NOW, NOW), 105);
      assert.deepEqual(await left(), [1, 1]);
    });

    it('exactly one of a redemption and nine drops decides what becomes of an account', async () => {
      const { db, ada, left, drop } = await prepareUnfinished();
      await ada.allow();

      const [grant, ...dropped] = await tenTimes((i): Promise<unknown> => {
        // A redemption reads before it writes; drops that read as often do not all come first.
        return i === 0 ? ada.redeem(NOW + CODE_LIFETIME) : left().then(() => drop(NOW + CODE_LIFETIME + 1));
      });

      const count = dropped.reduce<number>((sum, n) => sum + Number(n), 0);
      assert.deepEqual([grant === undefined, await left()], [count === 1, count === 1 ? [0, 1] : [1, 1]]);
      assert.equal(await livingIn(db), count === 1 ? 0 : 1);
    });
  });
}

/** Checks the error of a link that came too late. */
function refusedAsAnswered(reason: unknown): number {
  assert.ok(reason instanceof TransactionAnswered);
  return 0;
}
