/** Contract tests for MasterKeyStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { createKeyring, createSealer, type Sealer, sealedField } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { keepDerivedKeys } from '../../src/store/drivers/derived-keys.ts';
import { masterKeyStore } from '../../src/store/keys/master-key-store.ts';
import { SEALED_COLUMNS } from '../../src/store/keys/sealed-columns.ts';
import type { RowPlace } from '../../src/system/master-key-store.ts';
import { openEverything, SEALED_TEXT, sealEverywhere, sealedUnder } from '../harness/sealed-everywhere.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

export function masterKeyStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const ring = createKeyring(old);
    const before = ring.keyId;
    const keyId = ring.add(fresh);
    await db.write(`INSERT INTO setting (name, value) VALUES ('master_key', :before)`, { before });
    return { db, ring, before, keyId, fresh, masterKey: masterKeyStore(db, ring) };
  };
  type Prepared = Awaited<ReturnType<typeof prepare>>;

  const resealAll = async ({ masterKey }: Prepared, limit: number) => {
    for (const column of masterKey.sealedColumns) {
      let after: RowPlace | undefined;
      do {
        const part = await masterKey.resealColumn(column, after, limit);
        assert.ok(part.count <= limit);
        after = part.after;
      } while (after !== undefined);
    }
  };

  describe(`MasterKeyStore on ${database}`, () => {
    it('a key is announced, then in use, then the key of the database, and the one before is known', async () => {
      const { masterKey, before, keyId } = await prepare();

      const announced = await masterKey.announceKey(keyId, NOW);
      const early = await masterKey.finishKey(keyId, NOW + 1, undefined);
      const used = [await masterKey.useKey(keyId), await masterKey.useKey(keyId)];
      const withdrawn = await masterKey.withdrawKey(keyId);
      const finished = [
        await masterKey.finishKey(keyId, NOW + 2, undefined),
        await masterKey.finishKey(keyId, NOW + 3, undefined),
      ];

      assert.deepEqual(announced, { keyId, phase: 'announced', startedAt: NOW });
      assert.equal(early, false, 'it is not in use yet');
      assert.deepEqual(used, [true, false]);
      assert.equal(withdrawn, false, 'something may be sealed under it');
      assert.deepEqual(finished, [true, false]);
      assert.deepEqual(await masterKey.masterKeyState(), {
        keyId,
        next: undefined,
        before: { keyId: before, until: NOW + 2 },
      });
    });

    it('ten concurrent announcements all return the same key, which can be withdrawn', async () => {
      const { masterKey } = await prepare();

      const told = await tenTimes((i) => masterKey.announceKey(`key ${i}`, NOW));

      assert.equal(new Set(told.map(({ keyId }) => keyId)).size, 1);
      assert.equal(await masterKey.withdrawKey(told[0]?.keyId ?? ''), true);
      assert.equal((await masterKey.masterKeyState()).next, undefined);
    });

    it('all sealed values are resealed in parts, and open under the new key alone', async () => {
      const prepared = await prepare();
      const { db, ring, before, keyId, fresh } = prepared;
      await sealEverywhere(db, ring, 5);
      const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
      assert.deepEqual(
        [...new Set((await sealedUnder(db)).get(before))].sort(),
        listed.toSorted(),
        'all of them are filled',
      );

      ring.sealUnder(keyId);
      await resealAll(prepared, 2);

      assert.deepEqual([...(await sealedUnder(db)).keys()], [keyId]);
      const opened = await openEverything(db, createSealer(fresh));
      assert.deepEqual(new Set(opened), new Set([SEALED_TEXT]));
    });

    it('a value that does not open is named by its row, and stays', async () => {
      const { db, ring, keyId, masterKey } = await prepare();
      await sealEverywhere(db, ring, 1);
      await db.write(`UPDATE webhook_endpoint SET secrets = 'k1.0123456789abcdef.AAAA'`);
      ring.sealUnder(keyId);

      await assert.rejects(masterKey.resealColumn('webhook_endpoint.secrets', undefined, 10), {
        message:
          /^webhook_endpoint\.secrets cannot be opened in the row \{"endpoint_id":"we"\}: Sealed under/,
      });
    });

    it('a value that is written during resealing stays as it was written', async () => {
      const { db, ring, keyId } = await prepare();
      await sealEverywhere(db, ring, 1);
      ring.sealUnder(keyId);
      const context = sealedField('webhook_endpoint.secrets')('we');
      // Writes to the row after it was read and before it is resealed.
      const transaction: Database['transaction'] = async (work) => {
        const secrets = ring.seal('written meanwhile', context);
        await db.write('UPDATE webhook_endpoint SET secrets = :secrets', { secrets });
        return db.transaction(work);
      };
      const busy = new Proxy(db, {
        get(target, name) {
          if (name === 'transaction') return transaction;
          const found: unknown = Reflect.get(target, name, target);
          return typeof found === 'function' ? found.bind(target) : found;
        },
      });

      const part = await masterKeyStore(busy, ring).resealColumn('webhook_endpoint.secrets', undefined, 10);

      assert.deepEqual(part, { count: 0, after: undefined });
      const row = await db.get<{ secrets: string }>('SELECT secrets FROM webhook_endpoint');
      assert.equal(ring.open(row?.secrets ?? '', context), 'written meanwhile');
    });

    it('what is derived is the same while the key is changed, and after it what applications keep', async () => {
      const { db, ring, masterKey, keyId, fresh } = await prepare();
      const derived = (from: Sealer) =>
        ['paging', 'known browsers'].map((purpose) => from.derive(purpose).toString('hex'));
      const [paging, known] = derived(ring);

      await masterKey.announceKey(keyId, NOW);
      await masterKey.useKey(keyId);
      ring.sealUnder(keyId);
      await keepDerivedKeys(db, ring);
      const meanwhile = derived(ring);
      for (const column of masterKey.sealedColumns) await masterKey.resealColumn(column, undefined, 50);
      await masterKey.finishKey(keyId, NOW, undefined);
      const later = createKeyring(fresh);
      await keepDerivedKeys(db, later);

      assert.deepEqual(meanwhile, [paging, known]);
      assert.equal(derived(later)[0], paging);
      assert.notEqual(derived(later)[1], known);
    });
  });
}
