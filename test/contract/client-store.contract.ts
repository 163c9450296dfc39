/** Contract tests for ClientStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Client, type ClientChange, DEFAULT_SETTINGS } from '../../src/oauth/client.ts';
import { clientStore } from '../../src/store/applications/client-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { makeCode, NOW, tenTimes } from './calendar-rows.ts';
import { makeAccount, makeFamily, rowsIn } from './grant-rows.ts';

const acme: Client = {
  ...DEFAULT_SETTINGS,
  clientId: 'acme',
  name: 'Acme',
  displayName: 'Acme Calendar',
  redirectUri: 'https://acme.example/cb',
  webhookUrl: undefined,
  createdAt: NOW,
};

export function clientStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`ClientStore on ${database}`, () => {
    it('an application is answered as it was created, with its secret', async () => {
      const clients = clientStore(await open());
      await clients.createClient(acme, 'hash-1', undefined);

      assert.deepEqual(await clients.findClient('acme'), acme);
      assert.deepEqual(await clients.findClientWithSecrets('acme', NOW), {
        client: acme,
        secretHashes: ['hash-1'],
      });
      assert.deepEqual(await clients.listClients(), [acme]);
    });

    it('redirect URIs are returned in their order, replaced as a whole, and deleted with the application', async () => {
      const db = await open();
      const clients = clientStore(db);
      const [first, second] = ['https://acme.example/2', 'com.example.acme:/cb'];
      await clients.createClient({ ...acme, furtherRedirectUris: [first, second] }, 'hash-1', undefined);
      const urisOf = async () =>
        (await clients.findClientWithSecrets('acme', NOW))?.client.furtherRedirectUris;

      assert.deepEqual(await urisOf(), [first, second]);
      const change = { redirectUris: ([uri = '']) => [uri, second, first] } satisfies ClientChange;
      const updated = await clients.updateClient('acme', change, { now: NOW, by: undefined });
      assert.deepEqual(updated?.furtherRedirectUris, [second, first]);
      assert.deepEqual(await urisOf(), [second, first]);
      await clients.updateClient('acme', { name: 'Acme 2' }, { now: NOW, by: undefined });
      assert.deepEqual((await clients.listClients())[0]?.furtherRedirectUris, [second, first]);
      await clients.updateClient(
        'acme',
        { redirectUris: ([uri = '']) => [uri] },
        { now: NOW, by: undefined },
      );
      assert.deepEqual(await urisOf(), []);
      await clients.updateClient('acme', change, { now: NOW, by: undefined });
      await clients.deleteClient('acme', NOW, undefined);
      assert.deepEqual(await db.all('SELECT uri FROM redirect_uri'), []);
    });

    it('an application that was never created is unknown', async () => {
      const clients = clientStore(await open());
      await clients.createClient(acme, 'hash-1', undefined);

      for (const clientId of ['acm', 'ACME', 'acme ', '', 'acme\0', '\ud800']) {
        assert.equal(await clients.findClient(clientId), undefined);
        assert.equal(await clients.findClientWithSecrets(clientId, NOW), undefined);
      }
    });

    it('an application is found by its id in lower case, unless the ids of two differ only in case', async () => {
      const clients = clientStore(await open());
      for (const clientId of ['projAb1', 'projCD', 'projcd', 'proj_e'])
        await clients.createClient({ ...acme, clientId }, `hash-${clientId}`, undefined);

      assert.equal(await clients.findClientIdByLabel('projab1'), 'projAb1');
      for (const label of ['projcd', 'projAb1', 'projxe', 'proj%', '', 'projab'])
        assert.equal(await clients.findClientIdByLabel(label), undefined, label);
    });

    it('what an application has is counted, up to a number', async () => {
      const db = await open();
      const clients = clientStore(db);
      await clients.createClient({ ...acme, webhookUrl: 'https://acme.example/hook' }, 'hash-1', undefined);
      await clients.createClient({ ...acme, clientId: 'other' }, 'hash-2', undefined);
      for (const userId of ['ada', 'bob', 'eve']) await makeAccount(db, 'acme', userId);

      assert.deepEqual(await clients.countContents('acme', 10), { users: 3, accounts: 3, endpoints: 1 });
      assert.deepEqual(await clients.countContents('acme', 2), { users: 2, accounts: 2, endpoints: 1 });
      const none = { users: 0, accounts: 0, endpoints: 0 };
      assert.deepEqual(await clients.countContents('other', 10), none);
      assert.deepEqual(await clients.countContents('no-such', 10), none);
    });

    it('each of many who ask at once is answered its own application', async () => {
      const clients = clientStore(await open());
      await tenTimes((i) => clients.createClient({ ...acme, clientId: `c${i}` }, `hash-${i}`, undefined));

      const answers = await tenTimes((i) => clients.findClientWithSecrets(`c${i}`, NOW));

      assert.deepEqual(
        answers.map((one) => [one?.client.clientId, one?.secretHashes]),
        answers.map((_, i) => [`c${i}`, [`hash-${i}`]]),
      );
    });

    it('an application is made once, however many create it at once', async () => {
      const db = await open();
      const clients = clientStore(db);

      const made = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) => clients.createClient(acme, `hash-${i}`, undefined)),
      );

      assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal(await rowsIn(db, 'client_secret'), 1);
    });

    it('a change of an application changes what it names, empties what it sets to null, and leaves the rest', async () => {
      const clients = clientStore(await open());
      await clients.createClient(acme, 'hash-1', undefined);

      const changed = await clients.updateClient(
        'acme',
        { displayName: null, webhookUrl: 'https://acme.example/hook' },
        { now: NOW + 1, by: undefined },
      );

      assert.deepEqual(changed, { ...acme, displayName: undefined, webhookUrl: 'https://acme.example/hook' });
      assert.deepEqual(await clients.findClient('acme'), changed);
      assert.equal(
        (await clients.updateClient('acme', { name: 'New' }, { now: NOW + 2, by: undefined }))?.webhookUrl,
        changed.webhookUrl,
      );
      assert.equal(
        await clients.updateClient('other', { name: 'x' }, { now: NOW, by: undefined }),
        undefined,
      );
    });

    it('the settings of an application are answered as they were created, and are the defaults when absent', async () => {
      const clients = clientStore(await open());
      const settings = {
        pushedRequests: 'required',
        returningUsers: 'continue',
        providers: ['google', 'caldav'],
        refreshReplayWindow: 120,
      } as const;
      const {
        pushedRequests: _,
        returningUsers: __,
        providers: ___,
        refreshReplayWindow: ____,
        ...bare
      } = acme;
      await clients.createClient({ ...bare, clientId: 'bare' }, 'hash-1', undefined);
      await clients.createClient({ ...acme, ...settings }, 'hash-2', undefined);

      assert.deepEqual(await clients.findClient('bare'), { ...acme, clientId: 'bare' });
      assert.deepEqual(await clients.findClient('acme'), { ...acme, ...settings });
      assert.deepEqual((await clients.findClientWithSecrets('acme', NOW))?.client, { ...acme, ...settings });
    });

    it('a change of one setting leaves the others, and null takes the limit of providers away', async () => {
      const clients = clientStore(await open());
      await clients.createClient(acme, 'hash-1', undefined);

      await clients.updateClient(
        'acme',
        { pushedRequests: 'required', providers: ['apple'] },
        { now: NOW + 1, by: undefined },
      );
      const changed = await clients.updateClient(
        'acme',
        { returningUsers: 'continue' },
        { now: NOW + 2, by: undefined },
      );
      const freed = await clients.updateClient('acme', { providers: null }, { now: NOW + 3, by: undefined });

      const settings = { pushedRequests: 'required', returningUsers: 'continue' };
      assert.deepEqual(changed, { ...acme, ...settings, providers: ['apple'] });
      assert.deepEqual(freed, { ...acme, ...settings });
      assert.deepEqual(await clients.findClient('acme'), freed);
    });

    it('a refresh replay window stays until it is changed, to 0 too, and is from 0 to 120 seconds', async () => {
      const clients = clientStore(await open());
      await clients.createClient(acme, 'hash-1', undefined);
      const windows: (number | undefined)[] = [];
      for (const change of [{ refreshReplayWindow: 120 }, { name: 'x' }, { refreshReplayWindow: 0 }])
        windows.push(
          (await clients.updateClient('acme', change, { now: NOW + 1, by: undefined }))?.refreshReplayWindow,
        );

      assert.deepEqual(windows, [120, 120, 0]);
      for (const refreshReplayWindow of [-1, 121])
        await assert.rejects(
          clients.updateClient('acme', { refreshReplayWindow }, { now: NOW + 2, by: undefined }),
        );
    });

    it('the secret before a rotation stays alive until the instant given, and none before it', async () => {
      const clients = clientStore(await open());
      await clients.createClient(acme, 'hash-1', undefined);
      const alive = async (at: number) => (await clients.findClientWithSecrets('acme', at))?.secretHashes;

      assert.equal(await clients.rotateSecret({ ...rotation('hash-2'), by: undefined }), true);
      assert.deepEqual((await alive(NOW + 99))?.toSorted(), ['hash-1', 'hash-2']);
      assert.deepEqual(await alive(NOW + 100), ['hash-2']);

      await clients.rotateSecret({ ...rotation('hash-3'), now: NOW + 1, by: undefined });
      assert.deepEqual((await alive(NOW + 2))?.toSorted(), ['hash-2', 'hash-3']);
      assert.equal(
        await clients.rotateSecret({ ...rotation('hash-4'), clientId: 'other', by: undefined }),
        false,
      );
    });

    it('ten concurrent rotations leave two secrets, one of them to stay', async () => {
      const clients = clientStore(await open());
      await clients.createClient(acme, 'hash', undefined);

      await tenTimes((i) => clients.rotateSecret({ ...rotation(`hash-${i}`), by: undefined }));

      assert.equal((await clients.findClientWithSecrets('acme', NOW))?.secretHashes.length, 2);
      assert.equal((await clients.findClientWithSecrets('acme', NOW + 100))?.secretHashes.length, 1);
    });

    it('an application is deleted with everything of its users, once, and nothing of another', async () => {
      const db = await open();
      const clients = clientStore(db);
      for (const clientId of ['acme', 'other']) {
        await clients.createClient({ ...acme, clientId }, `hash of ${clientId}`, undefined);
        await makeAccount(db, clientId, 'ada');
        await makeFamily(db, { clientId, userId: 'ada' });
      }
      await makeCode(db, 'ada');

      const deleted = await tenTimes(() => clients.deleteClient('acme', NOW, undefined));

      assert.equal(deleted.filter(Boolean).length, 1);
      for (const table of ['application', 'client_secret', 'application_user', 'token_family', 'account']) {
        assert.equal(await rowsIn(db, table), 1, table);
      }
      assert.equal(await rowsIn(db, 'job'), 1);
      assert.deepEqual(
        (await clients.listClients()).map(({ clientId }) => clientId),
        ['other'],
      );
    });
  });
}

const rotation = (secretHash: string) => ({ clientId: 'acme', secretHash, now: NOW, oldExpireAt: NOW + 100 });
