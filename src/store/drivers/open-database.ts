/**
 * Opens the configured database for the server and the command line: creates what is missing, applies migrations and
 * checks the master key. The command line migrates too, so that `client create` works before the first start.
 */
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../lib/error-code.ts';
import { makeFolderPrivate } from '../../lib/private-folder.ts';
import { createKeyring, type Keyring } from '../../lib/sealing.ts';
import type { MasterKeys } from '../../system/master-key.ts';
import type { Database } from './database.ts';
import { keepDerivedKeys, masterKeys } from './derived-keys.ts';
import { findKeyFile, makeKeyFile, readKeyFile, StartRefused } from './key-file.ts';
import { fitKeys, type KeySettings, masterKeyState, missingKey } from './master-key.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { openSqlite } from './sqlite-driver.ts';
import { LOCK_WAIT_MS, type LockPatience } from './sqlite-lock.ts';

export type DatabaseSettings = KeySettings & {
  /** undefined: SQLite in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databaseConnections: number;
  /** Whether statements are prepared by name on PostgreSQL; true when absent. */
  readonly databasePrepares?: boolean;
  /** Milliseconds for which a write waits for another process's write to SQLite; 10,000 when absent. */
  readonly lockWaitMs?: number | undefined;
  /** What to do about missing migrations; `apply` when absent. */
  readonly migrations?: 'apply' | 'wait' | 'refuse';
  /** Called with the missing migrations once a second with `wait`, which refuses without it. */
  readonly awaiting?: ((pending: readonly number[]) => void) | undefined;
  /** As in PostgresOptions. */
  readonly commitWaits?: (() => void) | undefined;
  /** If it is aborted, opening fails, which may be waiting for the migrations of another instance. */
  readonly stopping?: AbortSignal | undefined;
};

export type OpenDatabase = {
  readonly db: Database;
  readonly sealer: Keyring;
  readonly masterKeys: MasterKeys;
  /** Whether there was no database, or an empty one, before. */
  readonly created: boolean;
  /** The paths in the data folder that others can read and that this process could not protect. */
  readonly exposed: readonly string[];
};

export const sqliteFileIn = (dataDir: string): string => path.join(dataDir, 'kalends.db');

/** Opens the database. Throws StartRefused if it or its key cannot be used. `now` returns epoch milliseconds. */
export async function openDatabase(settings: DatabaseSettings, now: () => number): Promise<OpenDatabase> {
  const { databaseUrl, dataDir, masterKey } = settings;
  // With both set, nothing is stored in the folder: it may be missing or read-only.
  const usesFolder = databaseUrl === undefined || masterKey === undefined;
  if (usesFolder && settings.createsMasterKey) await makeDataFolder(dataDir);
  const exposed = usesFolder ? await makeFolderPrivate(dataDir) : [];
  if (databaseUrl === undefined) await makePrivate(sqliteFileIn(dataDir));
  const patience = { lockWaitMs: LOCK_WAIT_MS };
  const db = await openEngine(settings, { patience, now }).catch((reason) => {
    throw unusable(settings, reason);
  });
  // Running statements are completed, and later ones fail.
  const giveUp = () => void db.close().catch(() => undefined);
  settings.stopping?.addEventListener('abort', giveUp);
  try {
    settings.stopping?.throwIfAborted();
    await requireMigrations(db, settings);
    const { keyId } = await masterKeyState(db);
    if (await db.server?.isReadOnly()) throw new StartRefused(READ_ONLY);
    const sealer = createKeyring(masterKey ?? (await keyOfFolder(settings, keyId)));
    if (settings.masterKeyPrevious !== undefined) sealer.add(settings.masterKeyPrevious);
    // An instance with a wrong key is refused before it changes anything.
    if (keyId !== undefined) await fit(db, sealer, settings);
    const sharedNow = () => now() + (db.server?.clockOffset() ?? 0);
    await migrate(db, sharedNow, () => claim(db, sealer, settings));
    await keepDerivedKeys(db, sealer);
    const keys = masterKeys(db, sealer, settings);
    // A command that changed the key may not have finished. If the folder is read-only, the key is found anyway.
    if (usesFolder) await keys.settle().catch(() => undefined);
    // Only now: migrations in another process may take long.
    patience.lockWaitMs = settings.lockWaitMs ?? LOCK_WAIT_MS;
    return { db, sealer, masterKeys: keys, created: keyId === undefined, exposed };
  } catch (reason) {
    await db.close();
    throw reason instanceof StartRefused ? reason : unusable(settings, reason);
  } finally {
    settings.stopping?.removeEventListener('abort', giveUp);
  }
}

const AWAIT_MS = 1_000;

/** Waits for missing migrations or throws StartRefused, unless this start applies them. */
async function requireMigrations(db: Database, settings: DatabaseSettings): Promise<void> {
  const { migrations = 'apply', awaiting, stopping: signal } = settings;
  while (migrations !== 'apply') {
    const pending = await pendingMigrations(db);
    if (pending.length === 0) return;
    if (migrations === 'refuse' || awaiting === undefined)
      throw new StartRefused(`The database lacks ${describeMigrations(pending)}. Run kalends migrate.`);
    awaiting(pending);
    await sleep(AWAIT_MS, undefined, { signal });
  }
}

/** Returns text such as "migrations 43–45, 48". */
function describeMigrations(numbers: readonly number[]): string {
  const ends = numbers.filter((number) => !numbers.includes(number + 1));
  const starts = numbers.filter((number) => !numbers.includes(number - 1));
  const ranges = starts.map((start, i) => (start === ends[i] ? `${start}` : `${start}–${ends[i]}`));
  return `migration${numbers.length === 1 ? '' : 's'} ${ranges.join(', ')}`;
}

async function openEngine(
  {
    databaseUrl,
    databaseConnections,
    databasePrepares: prepares = true,
    dataDir,
    commitWaits,
  }: DatabaseSettings,
  { patience, now }: { readonly patience: LockPatience; readonly now: () => number },
): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(sqliteFileIn(dataDir), patience);
  // Loaded on demand: the client costs 10 MB and 20 ms, which SQLite does not need.
  const { openPostgres } = await import('./postgres-driver.ts');
  return openPostgres(databaseUrl, databaseConnections, { prepares, now, commitWaits });
}

export const READ_ONLY =
  'PostgreSQL is a standby or read-only. KALENDS_DATABASE_URL must name the primary, and default_transaction_read_only must be off.';

/** SQLSTATEs of a transaction pooler: invalid_sql_statement_name, duplicate_prepared_statement. */
const UNPREPARED = new Set(['26000', '42P05']);

/** Adds the database and its setting, which the engine's message does not name. */
function unusable({ databaseUrl, dataDir }: DatabaseSettings, cause: unknown): StartRefused {
  const remedy = UNPREPARED.has(errorCode(cause) ?? '')
    ? 'If KALENDS_DATABASE_URL names a pooler such as pgbouncer, set KALENDS_DATABASE_PREPARED_STATEMENTS=off.'
    : 'Check that it runs and that KALENDS_DATABASE_URL is correct.';
  const sentence =
    databaseUrl === undefined
      ? `The database ${sqliteFileIn(dataDir)} cannot be used: ${describeReason(cause)}. Restore it from a backup, or set KALENDS_DATA_DIR.`
      : `PostgreSQL cannot be used: ${describeReason(cause)}. ${remedy}`;
  return new StartRefused(sentence, { cause });
}

const CLAIM = `
  INSERT INTO setting (name, value) VALUES ('master_key', :keyId) ON CONFLICT (name) DO NOTHING`;

async function claim(db: Database, ring: Keyring, settings: DatabaseSettings): Promise<void> {
  if ((await masterKeyState(db)).keyId === undefined) await db.change(CLAIM, { keyId: ring.keyId });
  await fit(db, ring, settings);
}

async function fit(db: Database, ring: Keyring, settings: DatabaseSettings): Promise<void> {
  const problem = await fitKeys(ring, await masterKeyState(db), settings);
  if (problem !== undefined) throw new StartRefused(problem);
}

export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    const created = await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // A umask may have taken bits from `mode`. Parents keep theirs.
    if (created !== undefined) await chmod(dataDir, 0o700);
  } catch (reason) {
    throw new StartRefused(
      `The data folder ${dataDir} cannot be created: ${describeReason(reason)}. Create it, or set KALENDS_DATA_DIR.`,
      { cause: reason },
    );
  }
}

/** Creates an empty SQLite file for its owner alone, unless it exists. Files beside it get the same mode. */
export async function makePrivate(file: string): Promise<void> {
  if ((await stat(file).catch(() => undefined)) !== undefined) return;
  try {
    const handle = await open(file, 'a', 0o600);
    await handle.close();
  } catch (reason) {
    throw new StartRefused(
      `The file ${file} cannot be created: ${describeReason(reason)}. Make its folder writable, or set KALENDS_DATA_DIR.`,
      { cause: reason },
    );
  }
}

async function keyOfFolder(settings: KeySettings, keyId: string | undefined): Promise<Buffer> {
  const { dataDir } = settings;
  const keyFile = keyId === undefined ? undefined : await findKeyFile(dataDir, keyId);
  const key = keyFile ?? (await readKeyFile(dataDir));
  if (key !== undefined) return key;
  const problem = missingKey(keyId, settings);
  if (problem !== undefined) throw new StartRefused(problem);
  return makeKeyFile(dataDir);
}

export const describeReason = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason);
