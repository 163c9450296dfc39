/**
 * Applies one migration, in one transaction or statement by statement. The latter is for `NNNN-name.online.sql`, which
 * runs while older instances serve, and for other engines, which do not undo changes of the schema.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../lib/error-code.ts';
import type { Database, Dialect, Statements } from './database.ts';

const FOLDER = new URL('../migrations/', import.meta.url);
/** An instance that dies while it migrates delays the others for this long. */
export const LEASE_MS = 15_000;
/** The placeholder in a file for the byte order, whose name differs between the engines. */
const COLLATE_BYTES = 'COLLATE BYTES';
/** The start of a line of a file for one engine alone. */
const onlyOn = (engine: Dialect['engine']) => new RegExp(`^-- on ${engine}: `, 'gm');
/** The end of the name of a file for PostgreSQL alone: it changes how PostgreSQL stores tables that both have. */
const POSTGRES_ALONE = '.postgres.sql';
const ONLINE = '.online.sql';
/** Between two parts of an online change, other processes write. */
const PAUSE_MS = 5;

export type MigrationFile = { readonly number: number; readonly file: string };

/** Returns all migrations in their order. */
export async function listMigrations(): Promise<MigrationFile[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  return files.map((file) => ({ number: Number.parseInt(file, 10), file }));
}

/** Returns the SQL of a migration for the engine; empty if it has nothing to do there. */
export async function textOfMigration(file: string, { engine, byBytes }: Dialect): Promise<string> {
  if (engine !== 'postgres' && file.endsWith(POSTGRES_ALONE)) return '';
  const text = await readFile(new URL(file, FOLDER), 'utf8');
  return text.replaceAll(COLLATE_BYTES, byBytes).replaceAll(onlyOn(engine), '');
}

const STATEMENT = /(?:'[^']*'|--.*|[^;])+/g;
const COMMENTS_BEFORE = /^(?:\s|--.*)+/;

/** Returns the statements of a script, without the comments before each. */
export const splitStatements = (script: string): string[] =>
  (script.match(STATEMENT) ?? [])
    .map((text) => text.replace(COMMENTS_BEFORE, '').trimEnd())
    .filter((text) => text !== '');

/** The lease under which migrations run. `now` returns epoch milliseconds. */
export type MigrationLease = { readonly holder: string; readonly now: () => number };

/** Extends the lease. Throws if another instance has it. */
export async function renewLease(db: Statements, { holder, now }: MigrationLease): Promise<void> {
  const renewed = await db.change(
    `UPDATE lease SET expires_at = :expiresAt WHERE name = 'migration' AND holder = :holder`,
    { holder, expiresAt: now() + LEASE_MS },
  );
  if (renewed === 0) throw new Error('Another instance took over the migration; start again');
}

export type Migration = MigrationFile & { readonly text: string };

/** Applies a migration and records it. If an earlier try was interrupted, continues with its first unfinished statement. */
export async function applyMigration(
  db: Database,
  migration: Migration,
  lease: MigrationLease,
): Promise<void> {
  const { number, file, text } = migration;
  const record = async (tx: Statements) => {
    await renewLease(tx, lease);
    await tx.change('DELETE FROM migration_step WHERE number = :number', { number });
    await tx.change('INSERT INTO migration (number, name, applied_at) VALUES (:number, :file, :now)', {
      number,
      file,
      now: lease.now(),
    });
  };
  if (!file.endsWith(ONLINE) && !db.server?.isOtherEngine()) return db.script(text, record);
  const steps = await db.all<Step>('SELECT step, ended_at FROM migration_step WHERE number = :number', {
    number,
  });
  for (const [step, sql] of splitStatements(text).entries()) {
    const earlier = steps.find((row) => row.step === step);
    if (earlier?.endedAt === undefined)
      await runStep(db, { ...migration, sql, step, isRepeated: earlier !== undefined }, lease);
  }
  await db.transaction(record);
}

type Step = { readonly step: number; readonly endedAt: number | undefined };

const NOTE_STEP = `
  INSERT INTO migration_step (number, step, started_at, ended_at) VALUES (:number, :step, :now, :endedAt)
  ON CONFLICT (number, step) DO UPDATE SET ended_at = excluded.ended_at`;
const CHANGES_ROWS = /^(?:INSERT|UPDATE|DELETE|WITH)\b/;
/**
 * SQLSTATEs of a statement that had already taken effect: duplicate table, column or object, and undefined column, table
 * or object.
 */
const DONE = new Set(['42P07', '42701', '42710', '42703', '42P01', '42704']);

type PlannedStep = Migration & { readonly sql: string; readonly step: number; readonly isRepeated: boolean };

async function runStep(db: Database, planned: PlannedStep, lease: MigrationLease): Promise<void> {
  const { number, step, sql, file, isRepeated } = planned;
  const note = async (to: Statements, endedAt: number | null) => {
    await renewLease(to, lease);
    await to.change(NOTE_STEP, { number, step, now: lease.now(), endedAt });
  };
  const end = (to: Statements) => note(to, lease.now());
  const changesRows = CHANGES_ROWS.test(sql);
  if (changesRows && file.endsWith(ONLINE)) {
    while ((await db.change(sql)) > 0) {
      await renewLease(db, lease);
      await sleep(PAUSE_MS);
    }
    return end(db);
  }
  // SQLite undoes changes of the schema, and all engines undo those of rows.
  if (changesRows || db.dialect.engine === 'sqlite') return db.script(sql.replace(' CONCURRENTLY', ''), end);
  await note(db, null);
  try {
    await changeSchema(db, sql, lease);
  } catch (reason) {
    if (!isRepeated || !DONE.has(errorCode(reason) ?? '')) throw reason;
  }
  await end(db);
}

const CONCURRENT_INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?(\w+)/;
/** An interrupted CREATE INDEX CONCURRENTLY leaves an index that is maintained but not used. */
const IS_INVALID = `
  SELECT 1 AS "one" FROM pg_index JOIN pg_class ON oid = indexrelid
   WHERE relname = :name AND NOT indisvalid AND pg_table_is_visible(oid)`;

/** Runs one statement of PostgreSQL alone, and keeps the lease meanwhile. */
async function changeSchema(db: Database, sql: string, lease: MigrationLease): Promise<void> {
  const [, name] = CONCURRENT_INDEX.exec(sql) ?? [];
  // Only PostgreSQL itself drops an index concurrently.
  const concurrently = db.server?.isOtherEngine() ? '' : 'CONCURRENTLY ';
  // A renewal that fails is repeated. A lost lease is noticed when the step is recorded.
  const renewal = setInterval(() => void renewLease(db, lease).catch(() => undefined), LEASE_MS / 3);
  try {
    if (name !== undefined && (await db.get(IS_INVALID, { name })) !== undefined)
      await db.change(`DROP INDEX ${concurrently}IF EXISTS ${name}`);
    await db.change(sql.replace(/^DROP INDEX CONCURRENTLY /, `DROP INDEX ${concurrently}`));
  } finally {
    clearInterval(renewal);
  }
}
