/** Contract tests for SigningKeyStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { SigningKeyRecord, SigningKeyStore } from '../../src/oauth/signing-key-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { signingKeyStore } from '../../src/store/keys/signing-key-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const key = (kid: string, change: Partial<SigningKeyRecord> = {}): SigningKeyRecord => ({
  kid,
  algorithm: 'HS256',
  sealed: `sealed ${kid}`,
  status: 'active',
  createdAt: NOW,
  ...change,
});

export function signingKeyStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const keys = signingKeyStore(await open());
    await keys.addSigningKey(key('a'));
    await keys.addSigningKey(key('b', { status: 'next' }));
    return keys;
  };

  describe(`SigningKeyStore on ${database}`, () => {
    it('signing keys are answered as they were added', async () => {
      const keys = await prepare();

      assert.deepEqual(await keys.listSigningKeys(), [key('a'), key('b', { status: 'next' })]);
    });

    it('an algorithm keeps one active and one next key, however many are added at once', async () => {
      const keys = signingKeyStore(await open());

      await tenTimes((i) => keys.addSigningKey(key(`a${i}`)));
      await tenTimes((i) => keys.addSigningKey(key(`n${i}`, { status: 'next' })));
      await keys.addSigningKey(key('es', { algorithm: 'ES256' }));

      const statuses = (await keys.listSigningKeys()).map(
        ({ algorithm, status }) => `${algorithm} ${status}`,
      );
      assert.deepEqual(statuses.toSorted(), ['ES256 active', 'HS256 active', 'HS256 next']);
    });

    it('after a rotation the next key signs, the former active key still verifies, and the new key is next', async () => {
      const keys = await prepare();
      await keys.addSigningKey(key('es', { algorithm: 'ES256' }));

      await keys.rotateSigningKeys(key('c', { status: 'next', createdAt: NOW + 1 }), undefined);

      assert.deepEqual(await statusOf(keys), { a: 'previous', b: 'active', c: 'next', es: 'active' });
    });

    it('each of ten concurrent rotations of the keys is a whole one', async () => {
      const keys = await prepare();

      await tenTimes((i) => keys.rotateSigningKeys(key(`r${i}`, { status: 'next' }), undefined));

      const statuses = Object.values(await statusOf(keys));
      assert.equal(statuses.length, 12);
      assert.equal(statuses.filter((status) => status === 'active').length, 1);
      assert.equal(statuses.filter((status) => status === 'next').length, 1);
    });

    it('rotations and first keys meet without failing either', async () => {
      const keys = signingKeyStore(await open());

      await tenTimes((i) =>
        i % 2
          ? keys.rotateSigningKeys(key(`r${i}`, { status: 'next' }), undefined)
          : keys.addSigningKey(key(`n${i}`, { status: 'next' })),
      );

      const statuses = Object.values(await statusOf(keys));
      assert.equal(statuses.filter((status) => status === 'next').length, 1);
      assert.ok(statuses.filter((status) => status === 'active').length <= 1);
    });
  });
}

async function statusOf(keys: SigningKeyStore): Promise<Record<string, string>> {
  const all = await keys.listSigningKeys();
  return Object.fromEntries(all.map(({ kid, status }) => [kid, status]));
}
