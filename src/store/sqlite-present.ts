/** The database that a restored backup replaces: it is locked, compared with the backup and kept under another name. */
import { existsSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import type { Compared, PresentDatabase } from '../system/restore.ts';
import { RestoreError } from '../system/restore-error.ts';
import type { StoredRow } from './drivers/database.ts';
import { SqliteConnection } from './drivers/sqlite-connection.ts';
import { isBusy } from './drivers/sqlite-lock.ts';
import { textToFind } from './drivers/statement-text.ts';

/** Rows that the backup has and that have ended since. */
export type Ended = Readonly<Record<Compared, readonly StoredRow[]>>;

const SIDES = ['-wal', '-shm', '-journal'];

/** The table of each kind, its key, and the column that marks a row as ended. */
const COMPARED: Readonly<Record<Compared, { table: string; key: readonly string[]; end?: string }>> = {
  applications: { table: 'application', key: ['client_id'] },
  users: { table: 'application_user', key: ['client_id', 'user_id'] },
  accounts: { table: 'account', key: ['account_key'] },
  grants: { table: 'token_family', key: ['family_id'], end: 'ended_at' },
  people: { table: 'person', key: ['person_id'] },
};
const KINDS = Object.keys(COMPARED) as Compared[]; // the table has each

const NO_KEYS: Ended = { applications: [], users: [], accounts: [], grants: [], people: [] };

/** Selects the rows of `here` that are not in `there`. Ended rows do not count. */
const missing = (kind: Compared, here: string, there: string): string => {
  const { table, key, end } = COMPARED[kind];
  const living = (of: string) => (end === undefined ? '' : `${of}.${end} IS NULL AND`);
  const same = key.map((name) => `b.${name} = a.${name}`).join(' AND ');
  return `
    SELECT ${key.join(', ')} FROM ${here}.${table} AS a WHERE ${living('a')} NOT EXISTS
      (SELECT 1 FROM ${there}.${table} AS b WHERE ${living('b')} ${same})`;
};

const REFRESHED = `
  SELECT COUNT(*) AS count FROM backup.token_family AS a JOIN main.token_family AS b ON b.family_id = a.family_id
   WHERE a.ended_at IS NULL AND b.ended_at IS NULL AND a.token_hash <> b.token_hash`;
const SECRETS_CHANGED = `
  SELECT COUNT(*) AS count FROM main.application AS a WHERE
    EXISTS (SELECT 1 FROM backup.application AS b WHERE b.client_id = a.client_id) AND
    EXISTS (SELECT 1 FROM main.client_secret AS s WHERE s.client_id = a.client_id AND NOT EXISTS
      (SELECT 1 FROM backup.client_secret AS t WHERE t.client_id = s.client_id AND t.secret_hash = s.secret_hash))`;

export class LockedDatabase {
  readonly #file: string;
  #connection: SqliteConnection | undefined;
  readonly #damage: string | undefined;

  private constructor(file: string, connection: SqliteConnection | undefined, damage?: string) {
    this.#file = file;
    this.#connection = connection;
    this.#damage = damage;
  }

  /** Locks the database. Throws RestoreError if another process uses it. A damaged database cannot be locked. */
  static lock(file: string): LockedDatabase {
    if (!existsSync(file)) return new LockedDatabase(file, undefined);
    let connection: SqliteConnection | undefined;
    try {
      connection = new SqliteConnection(file, textToFind, 0);
      connection.exec('PRAGMA locking_mode = EXCLUSIVE');
      // This fails while another process has the file open; afterwards the file is the whole database.
      connection.all('PRAGMA journal_mode = DELETE', {});
      connection.all('SELECT COUNT(*) AS count FROM sqlite_master', {});
      return new LockedDatabase(file, connection);
    } catch (reason) {
      connection?.close();
      if (isBusy(reason))
        throw new RestoreError(
          `The database ${file} is in use: stop "kalends serve" and all other programs that use it, then run this again.`,
          { cause: reason },
        );
      return new LockedDatabase(file, undefined, reason instanceof Error ? reason.message : String(reason));
    }
  }

  /** Compares with the backup in `copy`: counts the rows that it lacks, and lists those that have ended since. */
  compare(copy: string): { readonly found: PresentDatabase; readonly ended: Ended } {
    if (this.#damage !== undefined)
      return { found: { state: 'unreadable', reason: this.#damage }, ended: NO_KEYS };
    if (this.#connection === undefined) return { found: { state: 'absent' }, ended: NO_KEYS };
    const connection = this.#connection;
    connection.all('ATTACH DATABASE :copy AS backup', { copy });
    try {
      const each = <T>(of: (kind: Compared) => T) =>
        Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Record<Compared, T>; // one for each kind
      const count = (sql: string) => connection.get<{ count: number }>(sql, {})?.count ?? 0;
      const ended = each((kind) => connection.storedRows(missing(kind, 'backup', 'main'), {}));
      const lost = each((kind) =>
        count(`SELECT COUNT(*) AS count FROM (${missing(kind, 'main', 'backup')})`),
      );
      const report = {
        state: 'readable',
        ...{ lost, ended: each((kind) => ended[kind].length) },
        ...{ refreshed: count(REFRESHED), secretsChanged: count(SECRETS_CHANGED) },
      } as const;
      return { found: report, ended };
    } catch (reason) {
      // The file is of a version with other tables, or damaged further on.
      const reasonText = reason instanceof Error ? reason.message : String(reason);
      return { found: { state: 'unreadable', reason: reasonText }, ended: NO_KEYS };
    } finally {
      connection.exec('DETACH DATABASE backup');
    }
  }

  /** Replaces the database by `copy` and keeps it as `aside`; atomic if readable. Returns false if there was none. */
  async replace(copy: string, aside: string): Promise<boolean> {
    const isThere = existsSync(this.#file);
    if (isThere && this.#damage === undefined) await link(this.#file, aside);
    if (isThere && this.#damage !== undefined) {
      await rename(this.#file, aside);
      // SQLite would take these files for the new database's.
      for (const side of SIDES)
        if (existsSync(this.#file + side)) await rename(this.#file + side, aside + side);
    }
    await rename(copy, this.#file);
    this.unlock();
    return isThere;
  }

  unlock(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
