/** Databases as an older version of the program left them. */
import { readdir, readFile } from 'node:fs/promises';
import { textOfMigration } from '../../src/store/drivers/apply-migration.ts';
import type { Database } from '../../src/store/drivers/database.ts';

const MIGRATIONS = new URL('../../src/store/migrations/', import.meta.url);
const FIXTURE = new URL('../fixtures/database-0035/', import.meta.url);

/** The application and users in the database of `fillOldDatabase`, with their secrets. */
export type OldApplication = {
  readonly masterKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly users: readonly { readonly userId: string; readonly refreshToken: string }[];
};

/** Migrates an empty database up to the migration before number `before`. */
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
    const text = await textOfMigration(name, db.dialect);
    await db.script(text.replaceAll(' CONCURRENTLY', ''), async (tx) => {
      await tx.all('INSERT INTO migration (number, name, applied_at) VALUES (:number, :name, 0)', {
        number,
        name,
      });
    });
  }
}

/** Fills an empty PostgreSQL with the tables and rows that the program left at migration 0035. */
export async function fillOldDatabase(db: Database): Promise<OldApplication> {
  await migrateUpTo(db, 36);
  const rows = await readFile(new URL('rows.sql', FIXTURE), 'utf8');
  // The fixture includes rows that migrations create. Foreign keys are not checked, as on a replica.
  const emptied = [...new Set([...rows.matchAll(/^INSERT INTO (\w+)/gm)].map(([, table]) => table))];
  const script = [
    'SET LOCAL session_replication_role = replica',
    ...emptied.map((table) => `DELETE FROM ${table}`),
  ];
  await db.script(`${script.join(';\n')};\n${rows}`, async () => {});
  return JSON.parse(await readFile(new URL('application.json', FIXTURE), 'utf8'));
}
