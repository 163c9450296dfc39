/** The cost of work: processor time of this process and of PostgreSQL, and the rows and pages that the work visits. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../../src/store/drivers/database.ts';
import { cpuSeconds } from '../process-usage.ts';
import type { Work } from './growth-work.ts';

/** Microseconds for one piece of work. */
export type Cost = {
  /** The processor time of this process; on SQLite it includes the database. */
  readonly processor: number;
  /** The processor time of PostgreSQL's processes. */
  readonly database: number;
};

/** The pages and rows that one piece of work visits. */
export type Visits = { readonly pages: number; readonly rows: number };

/** The number of pieces that run at once, as many as requests under load. */
const AT_ONCE = 64;

export async function costOf(db: Database, work: Work, count: number): Promise<Cost> {
  await work.before?.();
  const before = await databaseSeconds(db);
  const used = process.cpuUsage();
  await repeat(work, count);
  const { user, system } = process.cpuUsage(used);
  const after = await databaseSeconds(db);
  return { processor: (user + system) / count, database: ((after - before) * 1e6) / count };
}

/** Repeats the work `count` times. */
export async function repeat({ once }: Work, count: number): Promise<void> {
  let left = count;
  const goOn = async () => {
    while (left-- > 0) await once();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
}

async function databaseSeconds(db: Database): Promise<number> {
  if (db.dialect.engine === 'sqlite') return 0;
  const backends = await db.all<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
  );
  return backends.reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? 0), 0);
}

/** The interval at which a PostgreSQL backend reports its statistics. */
const TOLD_MS = 1_200;
const CONNECTIONS = 10;

/** On PostgreSQL, whose server counts both: of all statements, batches and index entries among them. */
export async function visitsOf(db: Database, work: Work, count: number): Promise<Visits> {
  await work.before?.();
  const before = await counted(db);
  await repeat(work, count);
  const after = await counted(db);
  return { pages: (after.pages - before.pages) / count, rows: (after.rows - before.rows) / count };
}

async function counted(db: Database): Promise<Visits> {
  await sleep(TOLD_MS);
  await Promise.all(Array.from({ length: CONNECTIONS }, () => db.all('SELECT pg_sleep(0.05)')));
  const row = await db.get<Visits>(
    `SELECT (blks_hit + blks_read)::float8 AS "pages", tup_returned::float8 AS "rows"
       FROM pg_stat_database WHERE datname = current_database()`,
  );
  if (row === undefined) throw new Error('PostgreSQL counts nothing');
  return row;
}

/** Returns how many pages a look-up in the table's tree reads on SQLite, which reports no other figure through SQL. */
export async function levelsOf(db: Database, table: string): Promise<number> {
  // The first pages that it lists are the way down to the first leaf.
  const row = await db.get<{ levels: number }>(
    `SELECT MAX(levels) AS "levels" FROM (
       SELECT LENGTH(path) - LENGTH(REPLACE(path, '/', '')) AS levels FROM dbstat WHERE name = :table LIMIT 10)`,
    { table },
  );
  return row?.levels ?? Number.NaN;
}
