/** Keeps a second server with background work off an SQLite database. The system frees the lock of a dead process. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartRefused } from './key-file.ts';
import { describeReason, makeDataFolder, makePrivate } from './open-database.ts';
import { beginUnlocked } from './sqlite-lock.ts';

/** How long a server waits for one that is about to end. */
const WAIT_MS = 5_000;

/**
 * Locks the data folder until the result is disposed of. Throws StartRefused if the file cannot be locked, or after
 * five seconds if another server has the lock; earlier if `stopping` is aborted.
 */
export async function lockForWork(dataDir: string, stopping: AbortSignal): Promise<Disposable> {
  const file = path.join(dataDir, 'serve.lock');
  await makeDataFolder(dataDir);
  await makePrivate(file);
  const end = performance.now() + WAIT_MS;
  const waiting = {
    get until() {
      return stopping.aborted ? 0 : end;
    },
    reject: () => {},
  };
  try {
    // On a file that it cannot write, SQLite would begin a transaction that locks nobody out.
    await access(file, constants.R_OK | constants.W_OK);
    const lock = new DatabaseSync(file, { timeout: 0 });
    // Never committed, so the file stays empty.
    const holders = await beginUnlocked(() => lock.exec('BEGIN EXCLUSIVE'), [waiting]);
    if (holders.length > 0) return lock;
    lock.close();
  } catch (cause) {
    throw new StartRefused(
      `The file ${file} cannot be locked: ${describeReason(cause)}. Make it writable for the user that runs Kalends, or delete it while no server runs.`,
      { cause },
    );
  }
  throw new StartRefused(
    `Another Kalends server runs the background work of the database in ${dataDir}. Stop it first. You can run "kalends serve --role=web" beside it to answer requests; several servers with background work need PostgreSQL.`,
  );
}
