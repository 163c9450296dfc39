/**
 * Contract tests for approvals in an AuthorizationRequestStore. Each database's test calls them with its own empty
 * database.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { TransactionAnswered } from '../../src/calendars/account-store.ts';
import { decideApproval } from '../../src/connect/flow/account-groups.ts';
import type { Database, Statements } from '../../src/store/drivers/database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { authorizationCodeStore } from '../../src/store/oauth/authorization-code-store.ts';
import { authorizationRequestStore } from '../../src/store/oauth/authorization-request-store.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import { NOW, openWithUsers, sealer, tenTimes } from './calendar-rows.ts';
import { makeEvent, rowsIn, type Visit, visit } from './grant-rows.ts';

const ADA = { clientId: 'acme', userId: 'ada' };
const CHALLENGE = 'c'.repeat(43);
const CODE_LIFETIME = 10 * 60_000;

/** Returns what approvals cover, each as `visit account-id scope`. */
async function coverage(db: Database, visits: Record<string, Visit>): Promise<string[]> {
  const rows = await db.all<{ coverageId: string; accountId: string; scope: string }>(
    `SELECT c.coverage_id AS "coverageId", a.account_id AS "accountId", c.scope
       FROM grant_coverage AS c JOIN account AS a ON a.group_id = c.group_id
      ORDER BY a.account_id`,
  );
  const nameOf = (id: string) => Object.entries(visits).find(([, one]) => one.approvalId() === id)?.[0] ?? id;
  return rows.map(({ coverageId, accountId, scope }) => `${nameOf(coverageId)} ${accountId} ${scope}`).sort();
}

/** Returns a database on which statements that make accounts the user's fail, as in a crash. */
const crashing = (db: Database): Database =>
  wrappedDatabase(db, {
    transaction: (work) =>
      db.transaction((tx) => {
        const change: Statements['change'] = (sql, values) => {
          if (sql.includes('UPDATE account_group')) throw new Error('crashed');
          return tx.change(sql, values);
        };
        return work({
          dialect: tx.dialect,
          all: (sql, values) => tx.all(sql, values),
          get: (sql, values) => tx.get(sql, values),
          change,
        });
      }),
  });

/** Returns a database whose transactions stay open for a moment on PostgreSQL, and then call `ends`. */
const lingering = (db: Database, ends: () => void): Database =>
  wrappedDatabase(db, {
    transaction: (work, terms) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        if (db.dialect.engine === 'postgres') await tx.all('SELECT 1 FROM pg_sleep(0.1)');
        ends();
        return result;
      }, terms),
  });

export function approvalContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    const listed = async () => {
      const accounts = await stores.accounts.listAccounts('acme', 'ada');
      return accounts.map(({ accountId }) => accountId);
    };
    return { ...stores, listed };
  };
  const visitOf = (stores: Stores, browser: string, transactionId: string) =>
    visit(stores, browser, { transactionId });

  describe(`Approvals on ${database}`, () => {
    it('a request is approved once, however many try, and its code is written', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser', { codeChallenge: CHALLENGE, dpopJkt: 'key' });
      await ada.link();

      const approved = await tenTimes((i) => ada.allow(NOW + 1 + i));

      assert.equal(approved.filter((result) => result === 'approved').length, 1);
      assert.equal(approved.filter((result) => result === 'answered').length, 9);
      assert.deepEqual(await stores.codes.findCodes('acme', 'ada'), [
        {
          approvalId: ada.approvalId(),
          ...ADA,
          redirectUri: 'https://acme.example/cb',
          scope: 'read',
          codeChallenge: CHALLENGE,
          dpopJkt: 'key',
          approvedAt: NOW + 1 + approved.indexOf('approved'),
          withdrawnAt: undefined,
        },
      ]);
      assert.equal((await stores.requests.findRequest('t1'))?.status, 'approved');
      await stores.db.write('DELETE FROM account');
      assert.equal(await ada.allow(), 'answered');
    });

    it('a request with no account to allow is not approved', async () => {
      const stores = await prepare();
      await (await visit(stores, 'other')).connect({ accountId: 'e' });
      const ada = await visitOf(stores, 'browser', 't2');

      assert.equal(await ada.allow(), 'nothing');

      assert.deepEqual(await stores.codes.findCodes('acme', 'ada'), []);
      assert.equal((await stores.requests.findRequest('t2'))?.status, 'open');
    });

    it('exactly one of five approvals and five denials decides a request', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser');
      await ada.link();

      const decided = await tenTimes(async (i) =>
        i % 2 ? (await ada.allow()) === 'approved' : stores.requests.denyRequest('t1', NOW),
      );

      assert.equal(decided.filter(Boolean).length, 1);
      const status = decided.indexOf(true) % 2 ? 'approved' : 'denied';
      assert.equal((await stores.requests.findRequest('t1'))?.status, status);
      const left = status === 'approved' ? 1 : 0;
      assert.equal((await stores.codes.findCodes('acme', 'ada')).length, left);
      assert.equal(await rowsIn(stores.db, 'account'), left);
    });

    it('a later approval takes the place of an earlier code, withdrawn or not, with what that covered', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser');
      await ada.link({ accountId: 'a' });
      await ada.allow();
      await stores.db.write('UPDATE token_family SET withdrawn_at = :now', { now: NOW });
      const later = await visit(stores, 'browser', { transactionId: 't2', scope: 'read-write' });

      assert.equal(await later.allow(NOW + 1), 'approved');

      const [code, ...others] = await stores.codes.findCodes('acme', 'ada');
      assert.deepEqual(
        [code?.approvedAt, code?.scope, code?.withdrawnAt, others],
        [NOW + 1, 'read-write', undefined, []],
      );
      assert.deepEqual(await coverage(stores.db, { ada, later }), ['later a read-write']);
    });

    it('no code is left to redeem when the last account goes while it is approved', async () => {
      const stores = await prepare();
      await (await visit(stores, 'browser')).connect();
      const ada = await visitOf(stores, 'browser', 't2');

      await Promise.all([
        ada.allow(),
        stores.accounts.disconnect({ ...ADA, coverageId: undefined, provider: 'caldav' }, NOW),
      ]);

      const codes = await stores.codes.findCodes('acme', 'ada');
      assert.ok(codes.every(({ withdrawnAt }) => withdrawnAt !== undefined));
    });

    it('no code is left to redeem when the user is deleted while it is approved', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser');
      await ada.link();

      await Promise.all([ada.allow(), stores.users.deleteUser('acme', 'ada', { now: NOW, by: undefined })]);

      const codes = await stores.codes.findCodes('acme', 'ada');
      assert.ok(codes.every(({ withdrawnAt }) => withdrawnAt !== undefined));
      assert.equal(await stores.requests.findRequest('t1'), undefined);
    });

    it('of ten strangers who allow at once one does, and the others wait and change nothing', async () => {
      const stores = await prepare();
      const visits = await tenTimes((i) => visitOf(stores, `browser ${i}`, `t${i}`));
      for (const [i, one] of visits.entries()) await one.link({ accountId: `a${i}` }, NOW + i);

      const results = await Promise.all(visits.map((one) => one.allow(NOW + 20)));

      const winner = results.indexOf('approved');
      assert.deepEqual(results.toSpliced(winner, 1), Array(9).fill('waits'));
      assert.deepEqual(await coverage(stores.db, Object.fromEntries(visits.entries())), [
        `${winner} a${winner} read`,
      ]);
      assert.equal((await stores.requests.findRequest(`t${(winner + 1) % 10}`))?.status, 'open');
      assert.ok(await visits[winner]?.redeem());
      assert.deepEqual(await stores.listed(), [`a${winner}`]);
      assert.equal(await visits[(winner + 1) % 10]?.allow(NOW + 21), 'approved');
    });

    it('no other approval changes what a code gives', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser', { codeChallenge: CHALLENGE });
      await ada.link({ accountId: 'a' });
      await ada.allow();
      const eve = await visitOf(stores, 'other', 't2');
      await eve.link({ accountId: 'e' });
      await eve.allow();

      const grant = await ada.redeem();

      assert.equal(grant?.coverageId, ada.approvalId());
      assert.deepEqual(await coverage(stores.db, { ada, eve }), ['ada a read', 'eve e read']);
      assert.deepEqual(await stores.listed(), ['a']);
    });

    it('a second Allow of the same browser takes along what the application did not fetch', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser');
      await ada.link({ accountId: 'a' });
      await ada.allow();
      const again = await visitOf(stores, 'browser', 't2');
      await again.link({ accountId: 'b' }, NOW + 1);

      assert.equal(await again.allow(NOW + 1), 'approved');
      const before = await stores.listed();
      const grant = await again.redeem();

      assert.deepEqual([before, await stores.listed()], [[], ['a', 'b']]);
      assert.deepEqual(await coverage(stores.db, { again }), ['again a read', 'again b read']);
      assert.equal(grant?.coverageId, again.approvalId());
    });

    it('a pushed request covers what was given before, no wider than that', async () => {
      const stores = await prepare();
      const first = await visit(stores, 'browser', { scope: 'free-busy' });
      await first.connect({ accountId: 'a' });
      const pushed = { transactionId: 't2', isPushed: true, isVouched: true, scope: 'read-write' } as const;

      const second = await visit(stores, 'other', pushed);
      await second.allow();

      const covered = await coverage(stores.db, { first, second });
      assert.deepEqual(covered, ['first a free-busy', 'second a free-busy']);
    });

    it('redeeming a code makes its accounts the user’s in one transaction, or neither happens', async () => {
      const stores = await prepare();
      const { db, codes, listed } = stores;
      const ada = await visit(stores, 'browser');
      await ada.link({ accountId: 'a' });
      await ada.allow();
      const presented = { clientId: 'acme', code: 'ada', redirectUri: 'https://acme.example/cb' };
      const redemption = { ...presented, codeChallenge: undefined, approvedSince: NOW };

      await assert.rejects(authorizationCodeStore(crashing(db)).redeemCode(redemption, NOW), /crashed/);
      const crashed = [await listed(), await codes.findCodes('acme', 'ada')].map(({ length }) => length);
      const expired = await codes.redeemCode({ ...redemption, approvedSince: NOW + 1 }, NOW);
      const late = await listed();

      assert.deepEqual([crashed, expired, late], [[0, 1], undefined, []]);
      assert.ok(await codes.redeemCode(redemption, NOW));
      assert.deepEqual(await listed(), ['a']);
    });

    it('what was redeemed stays the user’s when another approval of its browser is written meanwhile', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser', { codeChallenge: CHALLENGE });
      await ada.link({ accountId: 'a' });
      await ada.allow();
      const other = await visitOf(stores, 'browser', 't2');

      const [grant, result] = await Promise.all([ada.redeem(), other.allow()]);

      assert.deepEqual([grant?.coverageId, result], [ada.approvalId(), 'approved']);
      assert.deepEqual(await stores.listed(), ['a']);
    });

    it('a redemption waits for an approval that has looked at its code', async () => {
      const stores = await prepare();
      await (await visit(stores, 'browser')).connect();
      const change = { transactionId: 't2', codeChallenge: CHALLENGE };
      const ada = await visit(stores, 'browser', change);
      await ada.allow();
      const { request } = await visitOf(stores, 'browser', 't3');
      const order: string[] = [];
      const requests = authorizationRequestStore(
        lingering(stores.db, () => order.push('approved')),
        sealer,
      );

      let redeeming: Promise<unknown> | undefined;
      await requests.approveRequest({ request, deviceHash: 'browser', now: NOW }, (user) => {
        redeeming ??= ada.redeem().then((grant) => grant && order.push('redeemed'));
        return decideApproval(request, user, { returningUsers: 'prove', codeFormat: 'user-id', now: NOW });
      });
      await redeeming;

      assert.deepEqual(order, ['approved', 'redeemed']);
    });

    it('when accounts become the user’s, their events are reported to every reader that follows the user', async () => {
      const stores = await prepare();
      await stores.changes.follow(ADA, NOW);
      const ada = await visit(stores, 'browser');
      const { accountKey } = await ada.link({ accountId: 'a' });
      await makeEvent(stores.db, accountKey, 'early');
      await ada.allow();
      const before = await rowsIn(stores.db, 'event_change');

      const grant = await ada.redeem();

      assert.ok(grant);
      const told = await stores.changes.changesAfter(grant, { seq: 0 }, 10);
      assert.deepEqual([before, told.map(({ id, deleted }) => [id, deleted])], [0, [['early', 0]]]);
    });

    it('groups say what living grants give of them, and what is pending while it can be redeemed', async () => {
      const stores = await prepare();
      const { db, requests } = stores;
      const ada = await visit(stores, 'browser', { scope: 'read-write' });
      const grant = await ada.connect({ accountId: 'a' });
      const again = await visit(stores, 'browser', { transactionId: 't2', codeChallenge: CHALLENGE });
      await again.allow();
      const state = async (now: number) => {
        const { groups, pending } = await requests.groupsOf(ADA, 'browser', now);
        return [groups[0]?.givenScope, pending.map(({ approvalId }) => approvalId === again.approvalId())];
      };

      const given = await state(NOW + CODE_LIFETIME);
      await db.write("UPDATE grant_coverage SET scope = 'free-busy' WHERE coverage_id = :coverageId", grant);
      const narrow = await state(NOW + CODE_LIFETIME + 1);
      await db.write('UPDATE token_family SET ended_at = 1 WHERE family_id = :familyId', grant);
      await db.write('UPDATE token_family SET withdrawn_at = 1');
      const ended = await state(NOW);

      assert.deepEqual(given, ['read-write', [true]]);
      assert.deepEqual(narrow, ['free-busy', []]);
      assert.deepEqual(ended, [undefined, []]);
    });

    it('a code and the accounts that wait for it expire after the code lifetime of the application', async () => {
      const stores = await prepare();
      await stores.clients.updateClient('acme', { codeLifetime: 10 }, { now: NOW, by: undefined });
      const ada = await visit(stores, 'browser');
      await ada.link({ accountId: 'a' });
      await ada.allow();
      const state = async (now: number) => {
        const { groups, pending } = await stores.requests.groupsOf(ADA, 'browser', now);
        return [groups[0]?.unfinished?.expiresAt, pending.length];
      };

      assert.deepEqual(await state(NOW + 10_000), [NOW + 10_000, 1]);
      assert.deepEqual(await state(NOW + 10_001), [NOW + 10_000, 0]);
    });

    it('what is decided is decided on the state that it is done on', async () => {
      const stores = await prepare();
      const ada = await visit(stores, 'browser');
      await ada.link({ accountId: 'a' });
      const { request } = ada;
      const seen: number[] = [];

      const results = await tenTimes((i): Promise<unknown> => {
        if (i < 5) return ada.link({ accountId: `a${i}` }).catch(refusedAsAnswered);
        return stores.requests.approveRequest({ request, deviceHash: undefined, now: NOW }, (user) => {
          seen.push(user.groups.reduce((sum, { accounts }) => sum + accounts.length, 0));
          return decideApproval(request, user, { returningUsers: 'prove', codeFormat: 'user-id', now: NOW });
        });
      });

      assert.equal(results.filter((result) => result === 'approved').length, 1);
      assert.equal((await coverage(stores.db, {})).length, seen.at(0));
    });
  });
}

/** Checks the error of a link that came too late. */
function refusedAsAnswered(reason: unknown): void {
  assert.ok(reason instanceof TransactionAnswered);
}
