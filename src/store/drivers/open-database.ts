/**
 * Opens the configured database as the server and the command line both do: folder, key and database
 * are made where there are none, migrations applied, the master key checked. The command line migrates
 * too, so that `client create` works before the first start; an upgrade is made by whoever comes first.
 */
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';

import type { Sealer } from '../../lib/sealing.ts';
import type { Database } from './database.ts';
import { claimDatabase, keyIdOf, makeKeyFile, missingKey, readKeyFile, sealerOf } from './master-key.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite-driver.ts';
import { StartRefused } from './start-refused.ts';

export type DatabaseSettings = {
  /** undefined: SQLite in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly databaseConnections: number;
  /** 32 bytes; undefined: the file `master.key` in `dataDir`. */
  readonly masterKey: Buffer | undefined;
};

export type OpenDatabase = {
  readonly db: Database;
  readonly sealer: Sealer;
  /** Whether there was no database, or an empty one, before. */
  readonly created: boolean;
};

export const sqliteFileIn = (dataDir: string): string => path.join(dataDir, 'kalends.db');

/**
 * Throws StartRefused when the database or its key is not to be had: it is never opened with a key other
 * than its first. `now` answers epoch milliseconds.
 */
export async function openDatabase(settings: DatabaseSettings, now: () => number): Promise<OpenDatabase> {
  const { databaseUrl, dataDir, masterKey } = settings;
  // With both given, nothing is kept in the folder: it may be missing or read-only.
  if (databaseUrl === undefined || masterKey === undefined) await makeDataFolder(dataDir);
  if (databaseUrl === undefined) await makePrivate(sqliteFileIn(dataDir));
  const db = await openEngine(settings).catch((reason) => {
    throw unusable(settings, reason);
  });
  try {
    const keyId = await keyIdOf(db);
    const sealer = sealerOf(masterKey ?? (await keyOfFolder(dataDir, keyId)));
    // An instance with a wrong key is refused before it changes anything.
    if (keyId !== undefined) await claimDatabase(db, sealer);
    await migrate(db, now, () => claimDatabase(db, sealer));
    return { db, sealer, created: keyId === undefined };
  } catch (reason) {
    await db.close();
    throw reason instanceof StartRefused ? reason : unusable(settings, reason);
  }
}

async function openEngine({
  databaseUrl,
  databaseConnections,
  dataDir,
}: DatabaseSettings): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(sqliteFileIn(dataDir));
  // Its client is 10 MB and 20 ms of a start that does without it otherwise.
  return (await import('./postgres-driver.ts')).openPostgres(databaseUrl, databaseConnections);
}

/** The engine's own words name neither the database nor the setting that leads to it. */
function unusable({ databaseUrl, dataDir }: DatabaseSettings, cause: unknown): StartRefused {
  const sentence =
    databaseUrl === undefined
      ? `The database ${sqliteFileIn(dataDir)} cannot be used: ${messageOf(cause)}. Restore it from a backup, or set KALENDS_DATA_DIR.`
      : `PostgreSQL cannot be used: ${messageOf(cause)}. See that it runs and that KALENDS_DATABASE_URL leads to it.`;
  return new StartRefused(sentence, { cause });
}

async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    const made = await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // `mode` is subject to the umask for what it adds, never for what it takes away; parents stay as they are.
    if (made !== undefined) await chmod(dataDir, 0o700);
  } catch (reason) {
    throw new StartRefused(
      `The data folder ${dataDir} cannot be made: ${messageOf(reason)}. Make it, or set KALENDS_DATA_DIR.`,
      { cause: reason },
    );
  }
}

/** Makes the database's file its owner's alone; SQLite gives the files beside it the same mode. */
async function makePrivate(file: string): Promise<void> {
  if ((await stat(file).catch(() => undefined)) !== undefined) return;
  try {
    const handle = await open(file, 'a', 0o600);
    await handle.close();
  } catch (reason) {
    throw new StartRefused(
      `The database ${file} cannot be made: ${messageOf(reason)}. Make its folder writable, or set KALENDS_DATA_DIR.`,
      { cause: reason },
    );
  }
}

async function keyOfFolder(dataDir: string, keyId: string | undefined): Promise<Buffer> {
  const key = await readKeyFile(dataDir);
  if (key !== undefined) return key;
  if (keyId !== undefined) throw new StartRefused(missingKey(keyId, dataDir));
  return makeKeyFile(dataDir);
}

const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));
