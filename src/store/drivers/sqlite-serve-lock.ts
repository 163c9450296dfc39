/** Keeps a second server with background work away from a SQLite database. The system frees the lock of a dead process. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { makeDataFolder, makePrivate } from './open-database.ts';
import { beginUnlocked } from './sqlite-lock.ts';
import { StartRefused } from './start-refused.ts';

/** How long a server waits for one that is about to end. */
const WAIT_MS = 5_000;

/**
 * Locks the data folder for one server with background work until the result is disposed of. Throws StartRefused if
 * another one keeps the lock for five seconds, or until `stopping` is aborted.
 */
export async function lockForWork(dataDir: string, stopping: AbortSignal): Promise<Disposable> {
  const file = path.join(dataDir, 'serve.lock');
  await makeDataFolder(dataDir);
  await makePrivate(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  const end = performance.now() + WAIT_MS;
  const waiting = {
    get until() {
      return stopping.aborted ? 0 : end;
    },
    reject: () => {},
  };
  // Never committed, so the file stays empty.
  const holders = await beginUnlocked(() => lock.exec('BEGIN EXCLUSIVE'), [waiting]);
  if (holders.length > 0) return lock;
  lock.close();
  throw new StartRefused(
    `Another Kalends server does the background work of the database in ${dataDir}. Stop it first. Beside it, "kalends serve --role=web" can answer requests; several servers with background work need PostgreSQL.`,
  );
}
