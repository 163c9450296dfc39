/** What every AuthorizationRequestStore must do. Each database's test calls this with its own empty one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AuthorizationRequest } from '../../src/connect/flow/authorization-request-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, openWithUsers, sealer, tenTimes } from './calendar-rows.ts';
import { makeAccount } from './grant-rows.ts';

const request: AuthorizationRequest = {
  transactionId: 't1',
  clientId: 'acme',
  userId: 'ada',
  redirectUri: 'https://acme.example/cb',
  scope: 'read',
  state: 'opaque & "odd" é😀',
  codeChallenge: 'challenge',
  language: 'fr',
  theme: 'dark',
  display: 'popup',
  providers: ['apple', 'caldav'],
  query: 'client_id=acme&user_id=ada',
  formToken: 'token',
  status: 'open',
  createdAt: NOW,
};

export function authorizationRequestStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const stores = await openWithUsers(open);
    await stores.requests.createRequest(request);
    return stores;
  };
  const prepareConnected = async () => {
    const made = await prepare();
    await makeAccount(made.db, 'acme', 'ada');
    return made;
  };

  describe(`AuthorizationRequestStore on ${database}`, () => {
    it('a request is answered as it was made, and nothing for another transaction', async () => {
      const { requests } = await prepare();
      const none = { state: undefined, codeChallenge: undefined, theme: undefined };
      const bare: AuthorizationRequest = { ...request, ...none, transactionId: 't2', display: 'page' };
      await requests.createRequest(bare);

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
      assert.equal(sealer.open(row?.sealed ?? '', 'authorization_request|t1|form_token'), request.formToken);
    });

    it('a request is approved once, however many try, and its code is written', async () => {
      const { requests, codes } = await prepareConnected();

      const approved = await tenTimes((i) => requests.approveRequest('t1', NOW + 1 + i));

      assert.equal(approved.filter(Boolean).length, 1);
      assert.deepEqual(await codes.findCode('acme', 'ada'), {
        clientId: 'acme',
        userId: 'ada',
        redirectUri: request.redirectUri,
        scope: 'read',
        codeChallenge: 'challenge',
        approvedAt: NOW + 1 + approved.indexOf(true),
        withdrawnAt: undefined,
      });
      assert.equal((await requests.findRequest('t1'))?.status, 'approved');
    });

    it('a request of a user without an account is not approved', async () => {
      const { requests, codes } = await prepare();

      assert.equal(await requests.approveRequest('t1', NOW), false);

      assert.equal(await codes.findCode('acme', 'ada'), undefined);
      assert.equal((await requests.findRequest('t1'))?.status, 'open');
    });

    it('exactly one of five approvals and five denials decides a request', async () => {
      const { requests, codes } = await prepareConnected();

      const decided = await tenTimes((i) =>
        i % 2 ? requests.approveRequest('t1', NOW) : requests.denyRequest('t1'),
      );

      assert.equal(decided.filter(Boolean).length, 1);
      const status = decided.indexOf(true) % 2 ? 'approved' : 'denied';
      assert.equal((await requests.findRequest('t1'))?.status, status);
      assert.equal((await codes.findCode('acme', 'ada')) !== undefined, status === 'approved');
    });

    it('a later approval takes the place of an earlier code, withdrawn or not', async () => {
      const { db, requests, codes } = await prepareConnected();
      await requests.createRequest({ ...request, transactionId: 't2', scope: 'read-write' });
      await requests.approveRequest('t1', NOW);
      await db.write('UPDATE authorization_code SET withdrawn_at = :now', { now: NOW });

      assert.equal(await requests.approveRequest('t2', NOW + 1), true);

      const code = await codes.findCode('acme', 'ada');
      assert.deepEqual(
        [code?.approvedAt, code?.scope, code?.withdrawnAt],
        [NOW + 1, 'read-write', undefined],
      );
    });

    it('no code is left to redeem when the last account goes while it is approved', async () => {
      const { accounts, requests, codes } = await prepareConnected();

      await Promise.all([
        requests.approveRequest('t1', NOW),
        accounts.disconnect({ clientId: 'acme', userId: 'ada', provider: 'caldav' }, NOW),
      ]);

      const code = await codes.findCode('acme', 'ada');
      assert.ok(code === undefined || code.withdrawnAt !== undefined);
    });

    it('no code is left to redeem when the user is deleted while it is approved', async () => {
      const { users, requests, codes } = await prepareConnected();

      await Promise.all([requests.approveRequest('t1', NOW), users.deleteUser('acme', 'ada', NOW)]);

      const code = await codes.findCode('acme', 'ada');
      assert.ok(code === undefined || code.withdrawnAt !== undefined);
      assert.equal(await requests.findRequest('t1'), undefined);
    });

    it('an open request is shown in another language from then on, and one that ended is left', async () => {
      const { requests } = await prepare();
      await requests.createRequest({ ...request, transactionId: 't2' });

      await requests.setLanguage('t1', 'de');
      await requests.denyRequest('t2');
      await requests.setLanguage('t2', 'de');
      await requests.setLanguage('t3', 'de');

      assert.deepEqual({ ...(await requests.findRequest('t1')) }, { ...request, language: 'de' });
      assert.equal((await requests.findRequest('t2'))?.language, 'fr');
    });

    it('requests made before the instant are forgotten, and no others', async () => {
      const { requests } = await prepare();
      await requests.createRequest({ ...request, transactionId: 'old', createdAt: NOW - 1 });

      assert.equal(await requests.deleteExpiredRequests(NOW), 1);

      assert.equal(await requests.findRequest('old'), undefined);
      assert.ok(await requests.findRequest('t1'));
    });
  });
}
