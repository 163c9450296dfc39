/**
 * Migrates a database to this program's schema: numbered files, forward only, under a lease, so that instances that start
 * at once on an empty database take turns.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../../lib/database-away-error.ts';
import { applyMigration, LEASE_MS, listMigrations, textOfMigration } from './apply-migration.ts';
import type { Database, Statements } from './database.ts';

const WAIT_MS = 50;
const BOOTSTRAP_TRIES = 10;

// If `migration` exists, so do the other two: they are created in one transaction, or in this order.
const BOOTSTRAP = `
  CREATE TABLE IF NOT EXISTS lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`;

/** The progress of a migration that runs statement by statement (apply-migration.ts). */
const STEPS = `
  CREATE TABLE IF NOT EXISTS migration_step (
    number     BIGINT NOT NULL,
    step       BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at   BIGINT,
    PRIMARY KEY (number, step)
  )`;

const IS_BEGUN = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migration'",
  postgres: `SELECT table_name FROM information_schema.tables
              WHERE table_schema = current_schema() AND table_name = 'migration'`,
};

type Clock = () => number;

/**
 * Applies the missing migrations, then runs `claim`, all under the lease. If none is missing it takes no lease, so such
 * a start does not wait. `claim` always runs, and may run more than once. Throws if the database has a migration that
 * this program lacks, since a newer version applied it. `now` returns epoch milliseconds.
 */
export async function migrate(db: Database, now: Clock, claim: () => Promise<void>): Promise<void> {
  await bootstrap(db);
  if ((await pendingMigrations(db)).length === 0) return claim();
  await underLease(db, now, async (holder) => {
    // Read again: the holder of the lease before may have applied them all.
    const pending = await pendingMigrations(db);
    await db.script(STEPS, async () => {});
    for (const { number, file } of await listMigrations()) {
      if (!pending.includes(number)) continue;
      const text = await textOfMigration(file, db.dialect);
      await applyMigration(db, { number, file, text }, { holder, now });
    }
    await claim();
  });
}

/** Returns the numbers of missing migrations. Throws if the database has one that this program does not know. */
export async function pendingMigrations(db: Database): Promise<number[]> {
  const { pending, unknown } = await compareMigrations(db);
  if (unknown !== undefined)
    throw new Error(
      `The database has migration ${unknown}, which this version of Kalends does not know. Start the newer version.`,
    );
  return pending;
}

/** Compares without throwing. `unknown` is set if a newer version has migrated while this instance runs. */
export async function compareMigrations(
  db: Database,
): Promise<{ readonly pending: number[]; readonly unknown: number | undefined }> {
  const numbers = (await listMigrations()).map(({ number }) => number);
  if (!(await isBegun(db))) return { pending: numbers, unknown: undefined };
  const rows = await db.all<{ number: number }>('SELECT number FROM migration ORDER BY number');
  const applied = rows.map(({ number }) => number);
  return {
    pending: numbers.filter((number) => !applied.includes(number)),
    unknown: applied.find((number) => !numbers.includes(number)),
  };
}

/** Returns whether Kalends ever opened the database: the table of migrations exists. */
export const isBegun = async (db: Statements): Promise<boolean> =>
  (await db.get(IS_BEGUN[db.dialect.engine])) !== undefined;

async function bootstrap(db: Database): Promise<void> {
  for (let attempt = 1; !(await isBegun(db)); attempt++) {
    try {
      await db.script(BOOTSTRAP, async () => {});
    } catch (reason) {
      // PostgreSQL's IF NOT EXISTS does not cover two sessions creating one table at the same moment.
      if (attempt === BOOTSTRAP_TRIES) throw reason;
      await sleep(WAIT_MS * attempt);
    }
  }
}

async function underLease(db: Database, now: Clock, work: (holder: string) => Promise<void>): Promise<void> {
  const holder = randomUUID();
  await acquire(db, holder, now);
  const release = () =>
    db.write("DELETE FROM lease WHERE name = 'migration' AND holder = :holder", { holder });
  try {
    await work(holder);
  } catch (reason) {
    // The first error is the one to report; a lease that could not be released runs out.
    await release().catch(() => {});
    throw reason;
  }
  await release();
}

async function acquire(db: Database, holder: string, now: Clock): Promise<void> {
  for (;;) {
    const at = now();
    const leased = await db.change(
      `INSERT INTO lease (name, holder, expires_at) VALUES ('migration', :holder, :expiresAt)
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
        WHERE lease.expires_at < :now`,
      { holder, expiresAt: at + LEASE_MS, now: at },
    );
    if (leased > 0) return;
    await sleep(WAIT_MS);
  }
}

export type DatabaseState = 'ready' | 'away' | 'read_only' | 'unmigrated';

/** Returns a function that reads the state; calls during a read share it. It throws errors that are no such state. */
export function databaseStates(db: Database): () => Promise<DatabaseState> {
  let look: Promise<DatabaseState> | undefined;
  return () => {
    look ??= readState(db).finally(() => {
      look = undefined;
    });
    return look;
  };
}

async function readState(db: Database): Promise<DatabaseState> {
  try {
    if (await db.server?.isReadOnly()) return 'read_only';
    // Migrations of a newer version are no reason to stop: whether versions mix is the operator's decision.
    return (await compareMigrations(db)).pending.length === 0 ? 'ready' : 'unmigrated';
  } catch (reason) {
    if (isDatabaseAway(reason)) return 'away';
    throw reason;
  }
}
