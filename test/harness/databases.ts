/**
 * The two databases every store is held to its contract on: SQLite in a file of its own, and a real
 * PostgreSQL. `npm test` starts one PostgreSQL for the whole run (KALENDS_TEST_POSTGRES_URL); a test
 * file that runs alone starts its own at its first use.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

import pg from 'pg';

import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { type DatabaseSettings, sqliteFileIn } from '../../src/store/drivers/open-database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { withoutGuard } from './without-guard.ts';

export { type Postgres, startPostgres } from './postgres.ts';

const CONNECTIONS = 10;
/** Databases of one file that stay open at a time: the test that opened the one before has ended. */
const MOST_OPEN = 6;

/** Opens a fresh, migrated database; it is closed when five more were opened, or the file ends. */
export type Open = () => Promise<Database>;
/** Makes a fresh, empty place for a database, for tests that open it themselves or in other processes. */
export type Place = () => Promise<DatabaseSettings>;

const opened: Database[] = [];
const cleanups: (() => Promise<unknown>)[] = [];
let cleansUp = false;

/**
 * Runs `define` for each database, with its name for the tests' titles. Call it at a file's top level. With
 * KALENDS_TEST_DATABASE=sqlite, as `npm test -- --quick` sets it, for that one only.
 */
export function onEachDatabase(define: (name: string, open: Open, place: Place) => void): void {
  cleanUpAtEnd();
  define('SQLite', () => openAt(sqlitePlace), sqlitePlace);
  if (process.env.KALENDS_TEST_DATABASE === 'sqlite') return;
  define('PostgreSQL', () => openAt(postgresPlace), postgresPlace);
}

/** The same on SQLite alone, for what is no matter of the database. */
export function onSqlite(define: (open: Open) => void): void {
  cleanUpAtEnd();
  define(() => openAt(sqlitePlace));
}

/** Call it at the top level of a file that uses `postgresUrl` alone. */
export function cleanUpAtEnd(): void {
  if (!cleansUp) after(cleanUp);
  cleansUp = true;
}

async function openAt(place: Place): Promise<Database> {
  const db = withoutGuard(connect(await place()));
  opened.push(db);
  if (opened.length > MOST_OPEN) await opened.shift()?.close();
  await migrate(db, Date.now, async () => {});
  if (db.dialect.engine === 'postgres') await warmUp(db);
  return db;
}

/** Without its connections, nine of ten racing calls would still be connecting when the first is done. */
async function warmUp(db: Database): Promise<void> {
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => db.all('SELECT 1 AS "one" FROM pg_sleep(0.02)')),
  );
}

async function cleanUp(): Promise<void> {
  try {
    for (const db of opened) await db.close();
    for (const cleanup of cleanups) await cleanup();
  } finally {
    // Whatever went wrong before, no server is left behind.
    if (started !== undefined) await (await started).stop();
  }
}

/** A connection to the place, unmigrated; the caller closes it. */
export function connect({ databaseUrl, dataDir }: DatabaseSettings): Database {
  return databaseUrl === undefined
    ? openSqlite(sqliteFileIn(dataDir))
    : openPostgres(databaseUrl, CONNECTIONS);
}

let started: Promise<Postgres> | undefined;

/** The URL of a superuser on the PostgreSQL of this run. */
export async function postgresUrl(): Promise<string> {
  const shared = process.env.KALENDS_TEST_POSTGRES_URL;
  if (shared) return shared;
  started ??= startPostgres();
  return (await started).url;
}

async function dataFolder(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kalends-test-'));
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function sqlitePlace(): Promise<DatabaseSettings> {
  const dataDir = await dataFolder();
  return { databaseUrl: undefined, dataDir, databaseConnections: CONNECTIONS, masterKey: undefined };
}

async function postgresPlace(): Promise<DatabaseSettings> {
  const name = `kalends_${randomUUID().replaceAll('-', '')}`;
  await administer(`CREATE DATABASE ${name}`);
  cleanups.push(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(await postgresUrl());
  url.pathname = `/${name}`;
  const dataDir = await dataFolder();
  return { databaseUrl: url.href, dataDir, databaseConnections: CONNECTIONS, masterKey: undefined };
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: await postgresUrl() });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
