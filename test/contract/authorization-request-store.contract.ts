/** Contract tests for AuthorizationRequestStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sealedField } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { accountApart, NOW, newAccount, openWithUsers, sealer, tenTimes } from './calendar-rows.ts';
import { MOST_OPEN, newRequest, rowsIn, visit } from './grant-rows.ts';

const request = newRequest({
  issuer: 'fapi2',
  state: 'opaque & "odd" é😀',
  codeChallenge: 'challenge',
  resource: 'https://kalends.example',
  dpopJkt: 'thumbprint',
  language: 'fr',
  theme: 'dark',
  display: 'popup',
  providers: ['apple', 'caldav'],
  isPushed: true,
  isVouched: true,
  userName: 'Ada',
  loginHint: 'ada@example.com',
});
const FEW = 3;

export function authorizationRequestStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    await stores.requests.createRequest(request, MOST_OPEN);
    return stores;
  };

  /** Returns an account that a grant covers. */
  const connectedAccount = async (stores: Awaited<ReturnType<typeof prepare>>) => {
    const first = await visit(stores, 'owner', { transactionId: 'first' });
    await first.connect({ accountId: 'a' });
    const [account] = await stores.accounts.listAccounts('acme', 'ada');
    assert.ok(account);
    return account;
  };
  const reconnecting = (stores: Awaited<ReturnType<typeof prepare>>, reconnects: string) =>
    visit(stores, 'stranger', { transactionId: 'link', reconnects });

  describe(`AuthorizationRequestStore on ${database}`, () => {
    it('a request is answered as it was made, and nothing for another transaction', async () => {
      const { requests } = await prepare();
      const none = {
        issuer: 'default',
        state: undefined,
        codeChallenge: undefined,
        dpopJkt: undefined,
        theme: undefined,
      } as const;
      const unpushed = { isPushed: false, isVouched: false, userName: undefined, loginHint: undefined };
      const bare = { ...request, ...none, ...unpushed, transactionId: 't2', display: 'page' } as const;
      await requests.createRequest(bare, MOST_OPEN);

      assert.deepEqual({ ...(await requests.findRequest('t1')) }, request);
      assert.deepEqual({ ...(await requests.findRequest('t2')) }, bare);
      assert.equal(await requests.findRequest('T1'), undefined);
      assert.equal(await requests.findRequest('t1\0'), undefined);
    });

    it('the form token is kept sealed', async () => {
      const { db } = await prepare();

      const [row] = await db.all<{ sealed: string }>(
        'SELECT form_token AS "sealed" FROM authorization_request',
      );

      assert.match(row?.sealed ?? '', /^k1\./);
      assert.equal(
        sealer.open(row?.sealed ?? '', sealedField('authorization_request.form_token')('t1')),
        request.formToken,
      );
    });

    it('a request is denied once, however many try, and what was linked in it goes', async () => {
      const { db, requests, accounts } = await prepare();
      const transaction = { transactionId: 't1', expiresAt: NOW + 1 };
      const { accountKey } = await accounts.linkAccount(newAccount({ provider: 'google', transaction }), NOW);
      await accounts.linkAccount(accountApart('t2'), NOW);

      const denied = await tenTimes(() => requests.denyRequest('t1', NOW));

      assert.equal(denied.filter(Boolean).length, 1);
      assert.equal(await accounts.findAccount(accountKey), undefined);
      const left = [await rowsIn(db, 'account'), await rowsIn(db, 'account_group')];
      assert.deepEqual([...left, await rowsIn(db, 'ended_access')], [1, 1, 1]);
      assert.equal((await requests.findRequest('t1'))?.status, 'denied');
      assert.equal(await requests.denyRequest('unknown', NOW), false);
    });

    it('each step of a request is answered once, of ten at once too, with those that were skipped', async () => {
      const { requests } = await prepare();

      const [linked, allowed] = await Promise.all([
        tenTimes(() => requests.reachStep('t1', 'linked')),
        tenTimes(() => requests.reachStep('t1', 'allowed')),
      ]);

      assert.deepEqual([...linked, ...allowed].flat().toSorted(), ['allowed', 'chosen', 'linked']);
      assert.deepEqual(await requests.reachStep('t1', 'chosen'), []);
      assert.deepEqual(await requests.reachStep('unknown', 'allowed'), []);
    });

    it('an open request notes how far it went, each thing by itself, and one that ended does not', async () => {
      const { requests } = await prepare();
      await requests.createRequest({ ...request, transactionId: 't2' }, MOST_OPEN);
      await requests.denyRequest('t2', NOW);
      const allowedAt = NOW + 5;

      await requests.noteProgress('t1', { allowedAt });
      const first = await requests.findRequest('t1');
      await requests.noteProgress('t1', { hasDisconnected: true });
      await requests.noteProgress('t1', { wasSentAhead: true });
      await requests.noteProgress('t2', { allowedAt, hasDisconnected: true, wasSentAhead: true });

      assert.deepEqual(first, { ...request, allowedAt });
      const noted = { allowedAt, hasDisconnected: true, wasSentAhead: true };
      assert.deepEqual(await requests.findRequest('t1'), { ...request, ...noted });
      const denied = { ...request, transactionId: 't2', status: 'denied' };
      assert.deepEqual(await requests.findRequest('t2'), denied);
    });

    it('the request of a link reconnects its account once, of ten at once too, without a code or coverage', async () => {
      const stores = await prepare();
      const { db, requests, accounts } = stores;
      const linked = await connectedAccount(stores);
      const { link, request: own } = await reconnecting(stores, linked.accountKey);
      await link({ accountId: 'a', credentials: { password: 'new' } }, NOW + 2);
      const facts = async () => [
        await db.all('SELECT coverage_id, group_id, scope FROM grant_coverage'),
        await db.all('SELECT family_id, ended_at FROM token_family'),
      ];
      const before = await facts();

      const results = await tenTimes(() =>
        requests.reconnectAccount(own, { provesOwner: true, now: NOW + 3 }),
      );

      assert.deepEqual(results.toSorted(), [...Array(9).fill(false), true]);
      assert.deepEqual(await facts(), before);
      assert.deepEqual(await accounts.credentialsOf(linked.accountKey), { password: 'new' });
      const [account, ...others] = await accounts.listAccounts('acme', 'ada');
      assert.deepEqual([account?.accountKey, account?.timesLinked, others], [linked.accountKey, 2, []]);
      assert.equal((await requests.findRequest('link'))?.status, 'denied');
    });

    for (const provesOwner of [true, false]) {
      it(`reconnecting makes the browser known for the group's accounts: ${provesOwner}, as it proves the owner`, async () => {
        const stores = await prepare();
        const linked = await connectedAccount(stores);
        const { link, request: own } = await reconnecting(stores, linked.accountKey);
        await link({ accountId: 'a' }, NOW + 2);

        await stores.requests.reconnectAccount(own, { provesOwner, now: NOW + 3 });

        const { groups } = await stores.requests.groupsOf(own, 'stranger', NOW + 4);
        assert.deepEqual(
          groups.map(({ isOfThisBrowser }) => isOfThisBrowser),
          [provesOwner],
        );
      });
    }

    it('endpoints are notified of the recovery of an account that did not work', async () => {
      const stores = await prepare();
      const linked = await connectedAccount(stores);
      const hears = { events: false, calendars: false, connections: true, own: true };
      const endpoint = { endpointId: 'we_1', clientId: 'acme', url: 'https://hook.example', secret: 's' };
      await stores.endpoints.addEndpoint({ ...endpoint, createdAt: NOW, hears }, undefined);
      const { link, request: own } = await reconnecting(stores, linked.accountKey);
      const refused = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
      await stores.accounts.setHealth(linked, refused, NOW + 1);
      await link({ accountId: 'a' }, NOW + 2);

      await stores.requests.reconnectAccount(own, { provesOwner: true, now: NOW + 3 });

      const notes = await stores.db.all<{ type: string }>(
        'SELECT event_type AS type FROM user_note ORDER BY seq',
      );
      assert.deepEqual(
        notes.map(({ type }) => type),
        ['connection.reauth_required', 'connection.recovered'],
      );
    });

    it('nothing is reconnected by another account, without a sign-in, or once the account is gone', async () => {
      const stores = await prepare();
      const { requests, accounts } = stores;
      const linked = await connectedAccount(stores);
      const { link, request: own } = await reconnecting(stores, linked.accountKey);
      const attempt = () => requests.reconnectAccount(own, { provesOwner: true, now: NOW + 3 });

      const unsigned = await attempt();
      await link({ accountId: 'b' }, NOW + 2);
      const another = await attempt();
      await link({ accountId: 'a' }, NOW + 2);
      const both = await attempt();
      await accounts.removeAccount(linked.accountKey, NOW + 3, undefined);

      assert.deepEqual([unsigned, another, both, await attempt()], [false, false, false, false]);
      assert.equal((await requests.findRequest('link'))?.status, 'open');
    });

    it('over the most of an application the oldest in which nothing was done go, and no others', async () => {
      const { db, requests, signIns, accounts } = await prepare();
      await db.write(
        `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
         VALUES ('other', 'Other', 'https://other.example/cb', 0, 0)`,
      );
      await db.write(
        `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at) VALUES ('other', 'ada', 0, 0)`,
      );
      const make = (transactionId: string, createdAt: number, clientId = 'acme') =>
        requests.createRequest({ ...request, clientId, transactionId, createdAt }, FEW);
      for (const name of ['linked', 'away', 'waiting', 'disconnected', 'nothing']) await make(name, NOW - 2);
      await make('elsewhere', NOW - 2, 'other');
      const transaction = { transactionId: 'linked', expiresAt: NOW + 1 };
      await accounts.linkAccount(newAccount({ transaction }), NOW);
      await signIns.beginSignIn(
        { transactionId: 'away', kind: 'google', stateHash: 'hash' },
        { pending: { nonce: 'n', codeVerifier: 'v' }, appClientId: 'app', scope: 'read', accountKey: 'key' },
      );
      await requests.noteProgress('waiting', { allowedAt: NOW });
      await requests.noteProgress('disconnected', { hasDisconnected: true });

      for (let i = 1; i <= 64; i++) await make(`flood ${i}`, NOW + i);

      const left = await db.all<{ id: string }>(
        'SELECT transaction_id AS "id" FROM authorization_request ORDER BY created_at, transaction_id',
      );
      const names = left.map(({ id }) => id);
      assert.deepEqual(names.slice(0, 5), ['away', 'disconnected', 'elsewhere', 'linked', 'waiting']);
      assert.ok(names.length < 20, names.join());
      assert.deepEqual(names.slice(-FEW), ['flood 62', 'flood 63', 'flood 64']);
    });

    it('an open request is shown in another language from then on, and one that ended is left', async () => {
      const { requests } = await prepare();
      await requests.createRequest({ ...request, transactionId: 't2' }, MOST_OPEN);

      await requests.noteProgress('t1', { language: 'de' });
      await requests.denyRequest('t2', NOW);
      await requests.noteProgress('t2', { language: 'de' });
      await requests.noteProgress('t3', { language: 'de' });

      assert.deepEqual({ ...(await requests.findRequest('t1')) }, { ...request, language: 'de' });
      assert.equal((await requests.findRequest('t2'))?.language, 'fr');
    });

    it('requests made before the instant are forgotten, and no others', async () => {
      const { requests } = await prepare();
      await requests.createRequest({ ...request, transactionId: 'old', createdAt: NOW - 1 }, MOST_OPEN);

      assert.equal(await requests.deleteExpiredRequests(NOW), 1);

      assert.equal(await requests.findRequest('old'), undefined);
      assert.ok(await requests.findRequest('t1'));
    });
  });
}
