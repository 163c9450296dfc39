/** Contract tests for ClientKeyStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClientKeys } from '../../src/oauth/client-key-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';

const JWKS = '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}';
const AT = { jwksUri: 'https://acme.example/jwks?token=canary', isPublicOnly: true };
const source = { clientId: 'acme', jwksUri: AT.jwksUri };
const terms = { now: NOW, by: undefined };
const caller = { actor: { kind: 'system' }, address: undefined, now: () => NOW } as const;

export function clientKeyStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async (keys: ClientKeys) => {
    const stores = await openWithUsers(open);
    await stores.clients.updateClient('acme', { keys }, terms);
    return stores;
  };

  describe(`ClientKeyStore on ${database}`, () => {
    it('returns the keys of an application, and none for another', async () => {
      const { clientKeys } = await prepare({ jwks: JWKS });

      assert.deepEqual(await clientKeys.findKeys('acme'), { jwks: JWKS, jwksUri: undefined });
      assert.deepEqual(
        [
          await clientKeys.hasKeys('acme'),
          await clientKeys.hasKeys('other'),
          await clientKeys.findKeys('other'),
        ],
        [true, false, undefined],
      );
    });

    it('caches what was read, and keeps the later one of two readings', async () => {
      const { clientKeys } = await prepare(AT);
      const later = { jwks: JWKS, readAt: NOW + 1, freshUntil: NOW + 9 };
      assert.deepEqual(await clientKeys.findKeys('acme'), { ...AT, cached: undefined });

      await clientKeys.saveReadKeys(source, later);
      await clientKeys.saveReadKeys(source, { jwks: '{}', readAt: NOW, freshUntil: NOW + 9 });

      assert.deepEqual(await clientKeys.findKeys('acme'), { ...AT, cached: later });
    });

    it('forgets what was read when the address changes, also if it is read meanwhile', async () => {
      const { clients, clientKeys } = await prepare(AT);
      const read = { jwks: JWKS, readAt: NOW, freshUntil: NOW + 9 };
      await clientKeys.saveReadKeys(source, read);
      const moved = { jwksUri: 'https://acme.example/2', isPublicOnly: false };

      await clients.updateClient('acme', { keys: moved }, terms);
      await clientKeys.saveReadKeys(source, read);

      assert.deepEqual(await clientKeys.findKeys('acme'), { ...moved, cached: undefined });
    });

    it('deletes the keys with the application', async () => {
      const { db, clients } = await prepare({ jwks: JWKS });

      await clients.deleteClient('acme', NOW, undefined);

      assert.deepEqual(await db.all('SELECT client_id FROM client_jwks'), []);
    });

    it('removes the keys, and audits the removal once', async () => {
      const { clients, clientKeys, audit } = await prepare({ jwks: JWKS });
      const remove = () => clients.updateClient('acme', { keys: null }, { now: NOW, by: caller });

      await remove();
      await remove();

      assert.equal(await clientKeys.findKeys('acme'), undefined);
      const [entry, ...others] = await audit.listEntries({}, { limit: 9 });
      assert.match(String(entry?.before?.jwks), /^[\da-f]{64}$/);
      assert.deepEqual([entry?.after?.jwks, others.length], [null, 0]);
    });

    it('an audited change of keys has a hash of the set, and an address without its query', async () => {
      const { clients, audit } = await prepare({ jwks: JWKS });

      await clients.updateClient('acme', { keys: AT }, { now: NOW, by: caller });

      const [entry] = await audit.listEntries({}, { limit: 1 });
      assert.match(String(entry?.before?.jwks), /^[\da-f]{64}$/);
      assert.equal(entry?.after?.jwks_uri, 'https://acme.example/jwks?…');
    });

    it('an application that authenticates by keys loses both secrets, and gets one new secret when it changes back', async () => {
      const { clients } = await prepare({ jwks: JWKS });
      const rotation = { clientId: 'acme', secretHash: 'second', now: NOW, oldExpireAt: NOW + 1000 };
      await clients.rotateSecret({ ...rotation, secretHash: 'first', by: undefined });
      await clients.rotateSecret({ ...rotation, by: undefined });
      const secrets = async () => (await clients.findClientWithSecrets('acme', NOW))?.secretHashes;
      assert.equal((await secrets())?.length, 2);

      await clients.updateClient('acme', { clientAuthentication: 'private_key_jwt' }, terms);
      assert.deepEqual(await secrets(), []);
      const hashes = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
      const used: string[] = [];
      const newSecretHash = () => {
        used.push(hashes[used.length] ?? '');
        return used.at(-1) ?? '';
      };
      await tenTimes(() =>
        clients.updateClient('acme', { clientAuthentication: 'secret', newSecretHash }, terms),
      );

      assert.deepEqual(await secrets(), used);
      assert.equal(used.length, 1);
    });
  });
}
