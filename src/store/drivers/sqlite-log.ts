/** Emptying SQLite's write-ahead log, which still has what was deleted. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { SqliteConnection } from './sqlite-connection.ts';
import { type LockPatience, PAUSE_MS } from './sqlite-lock.ts';

/** The least time from the end of a checkpoint to the next, so that deletions in a loop hold up no one. */
const BETWEEN_MS = 1_000;

/** Returns `clearLog` of a database in a file. */
export function logClearing(writer: SqliteConnection, patience: LockPatience): () => Promise<boolean> {
  let current: Promise<boolean> | undefined;
  /** Has not begun, so that it covers what was committed before each call that shares it. */
  let next: Promise<boolean> | undefined;
  let endedAt = -BETWEEN_MS;

  return () => {
    next ??= clearNext();
    return next;
  };

  async function clearNext(): Promise<boolean> {
    await current?.catch(() => false);
    const wait = endedAt + BETWEEN_MS - performance.now();
    if (wait > 0) await sleep(wait);
    next = undefined;
    current = checkpoint().finally(() => {
      endedAt = performance.now();
    });
    return current;
  }

  /** Waits for locks between attempts: SQLite itself would hold up the whole thread. */
  async function checkpoint(): Promise<boolean> {
    for (const until = performance.now() + patience.lockWaitMs; ; await sleep(PAUSE_MS)) {
      const row = writer.inTransaction ? undefined : writer.get<{ busy: number }>(TRUNCATE, {});
      if (row?.busy === 0) return true;
      if (performance.now() >= until) return false;
    }
  }
}

const TRUNCATE = 'PRAGMA wal_checkpoint(TRUNCATE)';
