/** What becomes of the rows of an older database. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';

import { accountStore } from '../../src/store/account-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { sealer } from '../contract/calendar-rows.ts';
import { makeAccount } from '../contract/grant-rows.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';

const FOLDER = new URL('../../src/store/migrations/', import.meta.url);

/** Brings an empty database to what it was before this migration. */
async function migrateUpTo(db: Database, before: number): Promise<void> {
  await db.script(
    `CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL);
     CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
     CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`,
    async () => {},
  );
  for (const name of (await readdir(FOLDER)).sort()) {
    const number = Number.parseInt(name, 10);
    if (number >= before) return;
    await db.script(await readFile(new URL(name, FOLDER), 'utf8'), async (tx) => {
      await tx.all('INSERT INTO migration (number, name, applied_at) VALUES (:number, :name, 0)', {
        number,
        name,
      });
    });
  }
}

onEachDatabase((database, _open, place) => {
  describe(`an older database on ${database}`, () => {
    it('an older database tells afterwards, with a reason, what was wrong with its accounts before', async (t) => {
      const db = connect(await place());
      t.after(() => db.close());
      await migrateUpTo(db, 3);
      await db.write(
        `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
         VALUES ('acme', 'Acme', 'https://acme.example/cb', 0, 0)`,
      );
      for (const [userId, health, reason] of [
        ['ada', 'reauth_required', 'The password was refused'],
        ['ben', 'degraded', 'The server is down'],
        ['cleo', 'active', null],
      ] as const) {
        await makeAccount(db, 'acme', userId);
        await db.write(
          `UPDATE account SET health = :health, health_reason = :reason, health_since = 7 WHERE user_id = :userId`,
          { userId, health, reason },
        );
      }

      await migrate(db, Date.now, async () => {});

      const accounts = accountStore(db, sealer);
      const health = async (userId: string) => (await accounts.listAccounts('acme', userId))[0]?.health;
      assert.deepEqual(await Promise.all(['ada', 'ben', 'cleo'].map(health)), [
        {
          state: 'reauth_required',
          reason: 'password_refused',
          message: 'The password was refused',
          since: 7,
        },
        { state: 'degraded', reason: 'provider_unavailable', message: 'The server is down', since: 7 },
        { state: 'active', reason: undefined, message: undefined, since: 7 },
      ]);
    });
  });
});
