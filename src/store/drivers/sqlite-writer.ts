/** The one connection that writes to a SQLite file. */
import { SqliteConnection } from './sqlite-connection.ts';
import { whenUnlocked } from './sqlite-lock.ts';
import { textToWrite } from './text-values.ts';

/** Taken only as far as the file is large: pages that one request after the other needs are seldom read from it then. */
const CACHE_KB = 48_000;
const LOG_BYTES = 10_000_000;
/** Of 4 kB. Pages that are written again and again are copied to the file once in so many, not with every 1,000. */
const LOG_PAGES = 2_000;

/** Opens or creates the file; throws when it cannot be opened. */
export function openWriter(file: string): SqliteConnection {
  // A lock is waited for between tries, not inside SQLite, which would hold up every read as well.
  const writer = new SqliteConnection(file, textToWrite, 0);
  // FULL, because NORMAL may undo an acknowledged revocation when the power fails.
  whenUnlocked(() => writer.exec('PRAGMA journal_mode = WAL'));
  writer.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  // What is deleted is overwritten, so that a copy of the file has nothing of it.
  writer.exec('PRAGMA secure_delete = ON');
  // A log that one commit made long is cut off again.
  writer.exec(
    `PRAGMA cache_size = -${CACHE_KB}; PRAGMA journal_size_limit = ${LOG_BYTES}; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
  );
  return writer;
}
