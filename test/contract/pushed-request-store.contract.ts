/** Contract tests for PushedRequestStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { PushedRequest } from '../../src/oauth/pushed-request-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';

const request: PushedRequest = {
  issuer: 'default',
  clientId: 'acme',
  query: 'client_id=acme&user_id=ada&state=%FF+%C3%A9',
  createdAt: NOW,
};
/** A limit that no test reaches. */
const MOST = 1000;
const by = { issuer: 'default', clientId: 'acme', transactionId: 't1', createdSince: NOW } as const;

export function pushedRequestStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`PushedRequestStore on ${database}`, () => {
    it('a pushed request is answered as it was added, to the call that spends it', async () => {
      const { pushedRequests } = await openWithUsers(open);
      await pushedRequests.add('hash-1', request, MOST);

      assert.deepEqual(await pushedRequests.spend('hash-1', by), { request });
    });

    it('a pushed request is spent once: ten who ask at once get it once, and the others its transaction', async () => {
      const { pushedRequests } = await openWithUsers(open);
      await pushedRequests.add('hash-1', request, MOST);

      const answers = await tenTimes((i) =>
        pushedRequests.spend('hash-1', { ...by, transactionId: `t${i}` }),
      );

      const winner = answers.findIndex((answer) => answer !== undefined && 'request' in answer);
      const others = answers.filter((_, i) => i !== winner);
      assert.deepEqual(answers[winner], { request });
      assert.deepEqual(others, Array(9).fill({ spentFor: `t${winner}` }));
    });

    it('a pushed request can be used until it is too old, and a used one names its transaction after that too', async () => {
      const { pushedRequests } = await openWithUsers(open);
      for (const hash of ['hash-1', 'hash-2']) await pushedRequests.add(hash, request, MOST);
      const late = { ...by, transactionId: 't2', createdSince: NOW + 1 };

      assert.equal(await pushedRequests.spend('hash-1', late), undefined);
      await pushedRequests.spend('hash-2', by);
      assert.deepEqual(await pushedRequests.spend('hash-2', late), { spentFor: 't1' });
    });

    it('a pushed request is unknown at another issuer, before and after its use', async () => {
      const { pushedRequests } = await openWithUsers(open);
      await pushedRequests.add('hash-1', request, MOST);
      await pushedRequests.add('hash-2', { ...request, issuer: 'fapi2' }, MOST);
      const atStrict = { ...by, issuer: 'fapi2', transactionId: 't2' } as const;

      assert.equal(await pushedRequests.spend('hash-1', atStrict), undefined);
      assert.equal(await pushedRequests.spend('hash-2', by), undefined);
      await pushedRequests.spend('hash-1', by);
      assert.equal(await pushedRequests.spend('hash-1', atStrict), undefined);
      assert.deepEqual(await pushedRequests.spend('hash-2', atStrict), {
        request: { ...request, issuer: 'fapi2' },
      });
    });

    it('a pushed request is unknown to other applications, and under any other name', async () => {
      const { pushedRequests } = await openWithUsers(open);
      await pushedRequests.add('hash-1', request, MOST);

      assert.equal(await pushedRequests.spend('hash-1', { ...by, clientId: 'other' }), undefined);
      for (const hash of ['hash-2', 'HASH-1', 'hash-1 ', '']) {
        assert.equal(await pushedRequests.spend(hash, by), undefined);
      }
      assert.deepEqual(await pushedRequests.spend('hash-1', by), { request });
      assert.equal(await pushedRequests.spend('hash-1', { ...by, clientId: 'other' }), undefined);
    });

    it('a pushed request is deleted once it is older than asked, spent or not', async () => {
      const { db, pushedRequests } = await openWithUsers(open);
      for (const [hash, createdAt] of [
        ['spent', NOW],
        ['unspent', NOW],
        ['young', NOW + 1],
      ] as const) {
        await pushedRequests.add(hash, { ...request, createdAt }, MOST);
      }
      await pushedRequests.spend('spent', by);

      assert.equal(await pushedRequests.deleteExpired(NOW), 0);
      assert.equal(await pushedRequests.deleteExpired(NOW + 1), 2);
      assert.equal(await rowsIn(db, 'pushed_request'), 1);
    });

    it('the oldest that an application’s users did not spend make room, and no spent one', async () => {
      const { db, pushedRequests } = await openWithUsers(open);
      const add = (hash: string, changes: Partial<PushedRequest> = {}) =>
        pushedRequests.add(hash, { ...request, ...changes }, 10);
      await add('spent', { createdAt: NOW - 2 });
      await pushedRequests.spend('spent', { ...by, createdSince: NOW - 2 });
      for (let i = 0; i < 63; i += 1) await add(`hash-${i}`, { createdAt: NOW + i });

      const rows = await db.all<{ hash: string }>('SELECT uri_hash AS hash FROM pushed_request');

      const youngest = Array.from({ length: 10 }, (_, i) => `hash-${i + 53}`);
      assert.deepEqual(new Set(rows.map(({ hash }) => hash)), new Set(['spent', ...youngest]));
    });

    it('a pushed request goes with its application', async () => {
      const { db, clients, pushedRequests } = await openWithUsers(open);
      await pushedRequests.add('hash-1', request, MOST);

      await clients.deleteClient('acme', NOW, undefined);

      assert.equal(await rowsIn(db, 'pushed_request'), 0);
    });
  });
}
