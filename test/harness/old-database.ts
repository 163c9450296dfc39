/** Databases as an older version of the program left them. */
import { readdir, readFile } from 'node:fs/promises';

import type { Database } from '../../src/store/drivers/database.ts';
import { textOfMigration } from '../../src/store/drivers/migrate.ts';

const MIGRATIONS = new URL('../../src/store/migrations/', import.meta.url);
const FIXTURE = new URL('../fixtures/database-0035/', import.meta.url);

/** Who is in the database of `fillOldDatabase`, and what they hold. */
export type OldApplication = {
  readonly masterKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly users: readonly { readonly userId: string; readonly refreshToken: string }[];
};

/** Brings an empty database to what it was before this migration. */
export async function migrateUpTo(db: Database, before: number): Promise<void> {
  await db.script(
    `CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL);
     CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
     CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`,
    async () => {},
  );
  for (const name of (await readdir(MIGRATIONS)).sort()) {
    const number = Number.parseInt(name, 10);
    if (number >= before) return;
    await db.script(await textOfMigration(name, db.dialect), async (tx) => {
      await tx.all('INSERT INTO migration (number, name, applied_at) VALUES (:number, :name, 0)', {
        number,
        name,
      });
    });
  }
}

/** Makes of an empty PostgreSQL one that the program left at migration 0035, with rows in it. */
export async function fillOldDatabase(db: Database): Promise<OldApplication> {
  await migrateUpTo(db, 36);
  const rows = await readFile(new URL('rows.sql', FIXTURE), 'utf8');
  // The rows that migrations make are among them; and no order among the tables is looked for, as with a replica.
  const emptied = [...new Set([...rows.matchAll(/^INSERT INTO (\w+)/gm)].map(([, table]) => table))];
  const script = [
    'SET LOCAL session_replication_role = replica',
    ...emptied.map((table) => `DELETE FROM ${table}`),
  ];
  await db.script(`${script.join(';\n')};\n${rows}`, async () => {});
  return JSON.parse(await readFile(new URL('application.json', FIXTURE), 'utf8'));
}
