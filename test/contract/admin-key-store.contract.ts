/** Contract tests for AdminKeyStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import { DatabaseAwayError } from '../../src/lib/database-away-error.ts';
import type { AdminKey, AdminKeyStore } from '../../src/people/admin-key-store.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { adminKeyStore } from '../../src/store/people/admin-key-store.ts';
import { NOW } from './calendar-rows.ts';

const HOUR = 3_600_000;
const caller = (actor: Caller['actor']): Caller => ({ actor, address: undefined, now: () => NOW });
const COMMAND_LINE = caller({ kind: 'command_line', name: 'root' });
const byKey = (id: string) => caller({ kind: 'admin_key', id, name: `Name of ${id}` });
const ADA = caller({ kind: 'person', id: 'ada', name: 'Ada' });
const keyOf = (keyId: string, more: Partial<AdminKey> = {}): AdminKey => ({
  ...{ keyId, name: `Name of ${keyId}`, role: 'owner', clientIds: [], prefix: 'kal_adm_abcd' },
  ...{ createdAt: NOW, expiresAt: NOW + HOUR },
  ...more,
});

export function adminKeyStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`AdminKeyStore on ${database}`, () => {
    let db: Database;
    let keys: AdminKeyStore;
    beforeEach(async () => {
      db = await open();
      keys = adminKeyStore(db);
    });
    const add = (keyId: string, by = COMMAND_LINE, more: Partial<AdminKey> = {}) =>
      keys.addKey(keyOf(keyId, more), `hash of ${keyId}`, by);
    const works = async (keyId: string, now = NOW) =>
      (await keys.useKey(`hash of ${keyId}`, now))?.keyId === keyId;
    const addOwner = () =>
      db.write(
        `INSERT INTO person (person_id, name, login, role, created_at)
         VALUES ('ada', 'Ada', 'ada@example.com', 'owner', 1) RETURNING person_id`,
      );

    it('a key is returned by its hash until it expires', async () => {
      await add('one', COMMAND_LINE, { role: 'developer', clientIds: ['acme', 'other'] });

      const { usedAt: _, ...found } = { usedAt: 0, ...(await keys.useKey('hash of one', NOW)) };
      assert.deepEqual(found, keyOf('one', { role: 'developer', clientIds: ['acme', 'other'] }));
      assert.equal(await works('one', NOW + HOUR - 1), true);
      assert.equal(await works('one', NOW + HOUR), false);
      assert.equal(await works('unknown'), false);
    });

    it('a key without an expiry does not expire', async () => {
      await add('one', COMMAND_LINE, { expiresAt: undefined });
      assert.equal(await works('one', NOW + 1e12), true);
    });

    it('a key ends with its removal, and with it all keys that it created', async () => {
      await add('one');
      await add('two', byKey('one'));
      await add('three', byKey('two'));
      assert.equal(await works('three'), true);

      assert.equal(await keys.removeKey('one', COMMAND_LINE), true);

      assert.equal(await keys.removeKey('one', COMMAND_LINE), false);
      assert.deepEqual(await Promise.all(['one', 'two', 'three'].map((id) => works(id))), [
        false,
        false,
        false,
      ]);
      const states = (await keys.listKeys(NOW)).map(({ keyId, state }) => [keyId, state]);
      assert.deepEqual(states, [
        ['three', 'creator_ended'],
        ['two', 'creator_ended'],
      ]);
    });

    it('a key works only while the key that created it is unexpired', async () => {
      await add('one');
      await add('two', byKey('one'), { expiresAt: undefined });
      assert.equal(await works('two', NOW + HOUR - 1), true);
      assert.equal(await works('two', NOW + HOUR), false);
    });

    it('a key of the environment key has no creator that can end', async () => {
      await add('one', byKey('environment'));
      assert.equal(await works('one'), true);
      assert.equal((await keys.listKeys(NOW))[0]?.creator, 'environment');
    });

    it('a key of a member works only while they are an owner', async () => {
      await addOwner();
      await add('one', ADA);
      await add('two', byKey('one'));
      assert.deepEqual([await works('one'), await works('two')], [true, true]);
      assert.equal((await keys.listKeys(NOW))[0]?.creator, 'ada@example.com');

      await db.write("UPDATE person SET role = 'viewer' WHERE person_id = 'ada' RETURNING person_id");

      assert.deepEqual([await works('one'), await works('two')], [false, false]);
    });

    it('the previous text of a rotated key is valid until the end of the overlap', async () => {
      await add('one');
      const rotation = { keyId: 'one', prefix: 'kal_adm_next', previousUntil: NOW + 10 };
      assert.equal(await keys.rotateKey({ ...rotation, hash: 'next' }, COMMAND_LINE), true);

      assert.equal((await keys.useKey('next', NOW))?.prefix, 'kal_adm_next');
      assert.deepEqual([await works('one', NOW + 9), await works('one', NOW + 10)], [true, false]);

      await keys.rotateKey({ ...rotation, hash: 'after next' }, COMMAND_LINE);
      assert.equal(await works('one'), false);
      assert.equal(await keys.rotateKey({ ...rotation, keyId: 'unknown', hash: 'x' }, COMMAND_LINE), false);
    });

    it('the last use is stored to the minute', async () => {
      await add('one');
      const usedAt = async () => (await keys.listKeys(NOW))[0]?.usedAt;
      assert.equal(await usedAt(), undefined);

      await works('one');
      await works('one', NOW + 59_999);
      assert.equal(await usedAt(), NOW);
      await works('one', NOW + 60_000);
      assert.equal(await usedAt(), NOW + 60_000);
    });

    it('a key works while the database takes no writes', async () => {
      await add('one');
      const failingWith = (code: string) => {
        const away = new DatabaseAwayError(Object.assign(new Error('no'), { code }));
        return adminKeyStore(wrappedDatabase(db, { change: () => Promise.reject(away) }));
      };

      assert.equal((await failingWith('25006').useKey('hash of one', NOW))?.keyId, 'one');
      await assert.rejects(failingWith('57P01').useKey('hash of one', NOW), DatabaseAwayError);
    });

    it('each change is audited with the key that made it, and without its text', async () => {
      await add('one');
      await add('two', byKey('one'));
      await keys.rotateKey({ keyId: 'two', hash: 'next', prefix: 'p', previousUntil: NOW }, byKey('one'));
      await keys.removeKey('two', byKey('one'));

      const log = auditLog(db);
      const actor = { kind: 'admin_key', id: 'one', name: 'Name of one' } as const;
      const entries = await log.listEntries({ actor: { kind: 'admin_key', id: 'one' } }, { limit: 9 });
      assert.deepEqual(
        entries.map((entry) => [entry.action, entry.subject, entry.actor]),
        [
          ['admin_key.revoked', 'two', actor],
          ['admin_key.rotated', 'two', actor],
          ['admin_key.created', 'two', actor],
        ],
      );
      assert.equal((await log.listEntries({ actor: { kind: 'admin_key' } }, { limit: 9 })).length, 3);
      assert.equal((await log.listEntries({ actor: { kind: 'system' } }, { limit: 9 })).length, 0);
      assert.doesNotMatch(JSON.stringify(await log.listEntries({}, { limit: 9 })), /hash of|next/);
    });
  });
}
