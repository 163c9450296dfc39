/** Keeps a second server with background work away from a SQLite database. The system frees the lock of a dead process. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { makeDataFolder, makePrivate } from './open-database.ts';
import { isBusy } from './sqlite-lock.ts';
import { StartRefused } from './start-refused.ts';

/** How long a server waits for one that is about to end. */
const WAIT_MS = 5_000;
const PAUSE_MS = 50;

/**
 * Locks the data folder for one server with background work until the result is disposed of. Throws StartRefused if
 * another one has the lock and keeps it for five seconds, and at once if `stopping` is aborted.
 */
export async function lockForWork(dataDir: string, stopping: AbortSignal): Promise<Disposable> {
  const file = path.join(dataDir, 'serve.lock');
  await makeDataFolder(dataDir);
  await makePrivate(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    for (const until = performance.now() + WAIT_MS; !isLocked(lock); ) {
      if (performance.now() >= until) throw new StartRefused(anotherRuns(dataDir));
      await sleep(PAUSE_MS, undefined, { signal: stopping });
    }
    return lock;
  } catch (reason) {
    lock.close();
    throw reason;
  }
}

/** Locks in a transaction that is never committed, so the file stays empty. */
function isLocked(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (reason) {
    if (isBusy(reason)) return false;
    throw reason;
  }
}

const anotherRuns = (dataDir: string): string =>
  `Another Kalends server does the background work of the database in ${dataDir}. Stop it first. Beside it, "kalends serve --role=web" can answer requests; several servers with background work need PostgreSQL.`;
