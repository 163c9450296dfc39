/**
 * Databases with the whole schema and nothing in them. The migrations run once on each engine, for a whole `npm test`
 * (scripts/test.ts) or for a file that runs alone; every test gets a copy, which costs a tenth.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import pg from 'pg';

import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';

/** The names of what a whole run made for its files. */
const SQLITE_NAME = 'KALENDS_TEST_MIGRATED_FILE';
const POSTGRES_NAME = 'KALENDS_TEST_MIGRATED_DATABASE';

let ownFile: Promise<string> | undefined;
let ownDatabase: Promise<string> | undefined;

/** Makes both for this process and those it starts; what is answered removes them. `url` is a superuser's. */
export async function shareMigrated(url: string | undefined): Promise<() => Promise<void>> {
  const file = await makeFile();
  process.env[SQLITE_NAME] = file;
  const database = url === undefined ? undefined : await makeDatabase(url);
  if (database !== undefined) process.env[POSTGRES_NAME] = database;
  return async () => {
    await rm(path.dirname(file), { recursive: true });
    if (url !== undefined) await administer(url, `DROP DATABASE ${database} WITH (FORCE)`);
  };
}

/** Opens a new file at `file` that has the whole schema. */
export async function openMigratedSqlite(file: string): Promise<Database> {
  const shared = process.env[SQLITE_NAME];
  if (shared === undefined) ownFile ??= makeOwnFile();
  await copyFile(shared ?? (await ownFile) ?? '', file);
  return openSqlite(file);
}

/** Makes the database `name`, with the whole schema, on the server at `url`. */
export async function createMigratedDatabase(url: string, name: string): Promise<void> {
  const shared = process.env[POSTGRES_NAME];
  if (shared === undefined) ownDatabase ??= makeDatabase(url);
  const template = shared ?? (await ownDatabase);
  await administer(url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
}

/** Takes out of a copy what a test put in; false where that does not go, since something there is still at work. */
export async function emptyMigrated(db: Database): Promise<boolean> {
  return db.write('SELECT kept.empty()', {}).then(
    () => true,
    () => false,
  );
}

/** Runs SQL as the superuser of `url`, on the database it names. */
export async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function makeOwnFile(): Promise<string> {
  const file = await makeFile();
  process.once('exit', () => rmSync(path.dirname(file), { recursive: true }));
  return file;
}

async function makeFile(): Promise<string> {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'kalends-migrated-')), 'kalends.db');
  await migrateAll(openSqlite(file));
  return file;
}

async function makeDatabase(url: string): Promise<string> {
  const name = `kalends_migrated_${randomUUID().replaceAll('-', '')}`;
  await administer(url, `CREATE DATABASE ${name}`);
  const at = new URL(url);
  at.pathname = `/${name}`;
  await migrateAll(openPostgres(at.href, 1));
  await keepEmptying(at.href);
  return name;
}

/**
 * Makes `kept`: the rows that the migrations themselves write, and what brings a copy back to them. Its time for a lock is
 * short: what a test left open is no reason to wait.
 */
async function keepEmptying(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ table: string }>(
      `SELECT quote_ident(tablename) AS "table" FROM pg_tables WHERE schemaname = 'public'`,
    );
    await client.query('CREATE SCHEMA kept');
    const lines: string[] = [];
    for (const { table } of rows) {
      lines.push(`DELETE FROM public.${table};`);
      const { rowCount } = await client.query(`CREATE TABLE kept.${table} AS SELECT * FROM public.${table}`);
      if (rowCount === 0) await client.query(`DROP TABLE kept.${table}`);
      else lines.push(`INSERT INTO public.${table} SELECT * FROM kept.${table};`);
    }
    // As a replica does it: no order among the tables is looked for.
    await client.query(`CREATE FUNCTION kept.empty() RETURNS void LANGUAGE plpgsql
      SET lock_timeout = '1s' SET session_replication_role = replica AS $$ BEGIN ${lines.join(' ')} END $$`);
  } finally {
    await client.end();
  }
}

async function migrateAll(db: Database): Promise<void> {
  try {
    await migrate(db, Date.now, async () => {});
  } finally {
    await db.close();
  }
}
