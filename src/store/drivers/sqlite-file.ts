/** Checks and opens SQLite files (https://sqlite.org/fileformat2.html#the_database_header) and clears their logs. */
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteConnection } from './sqlite-connection.ts';
import { type LockPatience, PAUSE_MS, whenUnlocked } from './sqlite-lock.ts';
import { textToFind, textToWrite } from './statement-text.ts';

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const [PAGE_SIZE_AT, PAGE_COUNT_AT] = [16, 28];

/** Returns whether the file is an SQLite database with all its pages. Their content is not checked. */
export async function isWholeFile(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
    if (bytesRead < HEADER_BYTES || !header.toString('latin1').startsWith(MAGIC)) return false;
    const stored = header.readUInt16BE(PAGE_SIZE_AT);
    // 1 represents 65,536, which does not fit into two bytes.
    const pageSize = stored === 1 ? 65_536 : stored;
    return (await handle.stat()).size === pageSize * header.readUInt32BE(PAGE_COUNT_AT);
  } finally {
    await handle.close();
  }
}

/** Checks the whole file; returns the first problem, or undefined if there is none. */
export function checkIntegrity(file: string): string | undefined {
  const connection = new SqliteConnection(file, textToFind, 0);
  try {
    const result = connection.get<{ integrityCheck: string }>('PRAGMA integrity_check(1)', {});
    return result?.integrityCheck === 'ok' ? undefined : (result?.integrityCheck ?? 'no answer');
  } catch (reason) {
    return reason instanceof Error ? reason.message : String(reason);
  } finally {
    connection.close();
  }
}

/** Minimum time from the end of a checkpoint to the next, so that repeated deletions do not block others. */
const BETWEEN_MS = 1_000;

export function logClearing(writer: SqliteConnection, patience: LockPatience): () => Promise<boolean> {
  let current: Promise<boolean> | undefined;
  /** The next run, which covers all commits before the calls that share it. */
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

  async function checkpoint(): Promise<boolean> {
    for (const until = performance.now() + patience.lockWaitMs; ; await sleep(PAUSE_MS)) {
      const row = writer.inTransaction ? undefined : writer.get<{ busy: number }>(TRUNCATE, {});
      if (row?.busy === 0) return true;
      if (performance.now() >= until) return false;
    }
  }
}

const TRUNCATE = 'PRAGMA wal_checkpoint(TRUNCATE)';

/** Maximum size of the cache. A small file uses less. Pages that many requests need are seldom read from the disk. */
const CACHE_KB = 48_000;
const LOG_BYTES = 10_000_000;
/** In pages of 4 kB. A page that is written repeatedly is copied to the file once in this many, not in every 1,000. */
const LOG_PAGES = 2_000;

export function openWriter(file: string): SqliteConnection {
  // Locks are waited for between attempts: SQLite itself would block every read as well.
  const writer = new SqliteConnection(file, textToWrite, 0);
  // FULL, because NORMAL may undo an acknowledged revocation when the power fails.
  whenUnlocked(() => writer.exec('PRAGMA journal_mode = WAL'));
  writer.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  // Deleted data is overwritten, so that a copy of the file does not contain it.
  writer.exec('PRAGMA secure_delete = ON');
  // A log that one commit made long is truncated.
  writer.exec(
    `PRAGMA cache_size = -${CACHE_KB}; PRAGMA journal_size_limit = ${LOG_BYTES}; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
  );
  return writer;
}
