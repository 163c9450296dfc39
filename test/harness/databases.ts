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

import type { Database } from '../../src/store/drivers/database.ts';
import { type DatabaseSettings, sqliteFileIn } from '../../src/store/drivers/open-database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { administer, createMigratedDatabase, emptyMigrated, openMigratedSqlite } from './migrated.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { databaseWithout, TAKEN_OUT, withoutGuard } from './without-guard.ts';

export { type Postgres, startPostgres } from './postgres.ts';

const CONNECTIONS = 10;
/** Databases of one kind that stay open at a time: the test that opened the one three before has ended. */
const MOST_OPEN = 3;

/** Opens an empty, migrated database; after three more were opened, another test gets it. */
export type Open = () => Promise<Database>;
/** Creates a new, empty place for a database, for tests that open it themselves or in other processes. */
export type Place = () => Promise<DatabaseSettings>;

const openedSqlite: Database[] = [];
/** The open ones by their isolation level. */
const openedPostgres = new Map<string, Database[]>();
const cleanups: (() => Promise<unknown>)[] = [];
let cleansUp = false;

type Define = (name: string, open: Open, place: Place) => void;

/**
 * Runs `define` for each database, with its name for the tests' titles. Call it at a file's top level. With
 * KALENDS_TEST_DATABASE=sqlite, as `npm test -- --quick` sets it, for that one only. A contract, which is a function with
 * a name, also runs under the isolation levels that KALENDS_TEST_ISOLATION lists, as `npm run soak` sets it.
 */
export function onEachDatabase(define: Define): void {
  defineOnEach(define, define.name.endsWith('Contract') ? SOAKED_LEVELS : []);
}

/** Runs the contract of a store with concurrent callers: also under stricter isolation levels of PostgreSQL. */
export const onEachIsolation = (define: Define): void => defineOnEach(define, STRICTER_LEVELS);

const STRICTER_LEVELS = ['repeatable read', 'serializable'];
const SOAKED_LEVELS = process.env.KALENDS_TEST_ISOLATION?.split(',') ?? [];

function defineOnEach(define: Define, levels: readonly string[]): void {
  cleanUpAtEnd();
  defineOn('SQLite', openSqliteHere, sqlitePlace);
  if (process.env.KALENDS_TEST_DATABASE === 'sqlite') return;
  defineOn('PostgreSQL', () => openPostgresHere(), postgresPlace);
  // Under a stricter level, PostgreSQL itself may do what the removed guard did.
  for (const level of TAKEN_OUT.length > 0 ? [] : levels)
    defineOn(
      `PostgreSQL, ${level}`,
      () => openPostgresHere(level),
      async () => isolated(await postgresPlace(), level),
    );

  function defineOn(name: string, open: Open, place: Place): void {
    if (TAKEN_OUT.length === 0) define(name, open, place);
    for (const [at, mutation] of TAKEN_OUT.entries())
      define(databaseWithout(name, at), async () => withoutGuard(await open(), mutation), place);
  }
}

/** Runs `define` on SQLite only, for tests that do not depend on the database. */
export function onSqlite(define: (open: Open) => void): void {
  cleanUpAtEnd();
  define(openSqliteHere);
}

/** Cleans up at the end. Call it at the top level of a file that only uses `postgresUrl`. */
export function cleanUpAtEnd(): void {
  if (!cleansUp) after(cleanUp);
  cleansUp = true;
}

async function openSqliteHere(): Promise<Database> {
  const db = await openMigratedSqlite(sqliteFileIn(await dataFolder()));
  openedSqlite.push(db);
  if (openedSqlite.length > MOST_OPEN) await openedSqlite.shift()?.close();
  return db;
}

/** Empties and returns the database opened longest ago if there are enough: a new one takes ten times as long. */
async function openPostgresHere(level = ''): Promise<Database> {
  const opened = openedPostgres.get(level) ?? [];
  openedPostgres.set(level, opened);
  const before = opened.length < MOST_OPEN ? undefined : opened.shift();
  const isEmptied = before !== undefined && (await emptyMigrated(before));
  if (!isEmptied) await before?.close();
  const db = isEmptied ? before : await newPostgres(level);
  opened.push(db);
  return db;
}

async function newPostgres(level: string): Promise<Database> {
  const settings = await postgresPlaceMadeBy((name, url) => createMigratedDatabase(url, name));
  const db = connect(level === '' ? settings : isolated(settings, level));
  await warmUp(db);
  return db;
}

/** Returns settings whose connections begin transactions at the isolation level. */
function isolated(settings: DatabaseSettings, level: string): DatabaseSettings {
  const url = new URL(settings.databaseUrl ?? '');
  url.searchParams.set('options', `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`);
  return { ...settings, databaseUrl: url.href.replaceAll('+', '%20') };
}

/** Opens all connections: otherwise nine of ten racing calls would still be connecting when the first is done. */
async function warmUp(db: Database): Promise<void> {
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => db.all('SELECT 1 AS "one" FROM pg_sleep(0.02)')),
  );
}

async function cleanUp(): Promise<void> {
  try {
    for (const db of [...openedSqlite, ...[...openedPostgres.values()].flat()]) await db.close();
    for (const cleanup of cleanups) await cleanup();
  } finally {
    // The server is stopped even if the cleanup failed.
    if (started !== undefined) await (await started).stop();
  }
}

/** Opens a database without migrating it; the caller closes it. */
export function connect({
  databaseUrl,
  dataDir,
}: Pick<DatabaseSettings, 'databaseUrl' | 'dataDir'>): Database {
  return databaseUrl === undefined
    ? openSqlite(sqliteFileIn(dataDir))
    : openPostgres(databaseUrl, CONNECTIONS);
}

let started: Promise<Postgres> | undefined;

/** Returns the URL of a superuser on the PostgreSQL of this run. */
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

const KEY_IN_FOLDER = { masterKey: undefined, createsMasterKey: true };

async function sqlitePlace(): Promise<DatabaseSettings> {
  const dataDir = await dataFolder();
  return { databaseUrl: undefined, dataDir, databaseConnections: CONNECTIONS, ...KEY_IN_FOLDER };
}

function postgresPlace(): Promise<DatabaseSettings> {
  return postgresPlaceMadeBy((name, url) => administer(url, `CREATE DATABASE ${name}`));
}

async function postgresPlaceMadeBy(
  create: (name: string, url: string) => Promise<void>,
): Promise<DatabaseSettings> {
  const name = `kalends_${randomUUID().replaceAll('-', '')}`;
  const server = await postgresUrl();
  await create(name, server);
  cleanups.push(() => administer(server, `DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  const dataDir = await dataFolder();
  return { databaseUrl: url.href, dataDir, databaseConnections: CONNECTIONS, ...KEY_IN_FOLDER };
}
