/**
 * Reads of a SQLite database. A commit makes every other connection read its pages anew, and only the one that wrote keeps
 * those that it has in memory: as long as it has no transaction open, it reads too.
 */
import type { StoredRow, Values } from './database.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { isBusy, READ_TIMEOUT_MS } from './sqlite-lock.ts';
import { STATEMENTS_KEPT } from './statement-text.ts';
import { textToFind } from './text-values.ts';

export class SqliteReads {
  readonly #writer: SqliteConnection;
  readonly #apart: SqliteConnection;
  /** Texts that ran where writing is refused. */
  readonly #readOnly = new Set<string>();

  constructor(file: string, writer: SqliteConnection) {
    this.#writer = writer;
    this.#apart = new SqliteConnection(file, textToFind, READ_TIMEOUT_MS);
    this.#apart.exec('PRAGMA query_only = ON');
  }

  /** The rows of what is committed. Throws for a statement that writes. */
  all<Row>(sql: string, values: Values): Row[] {
    return this.#read(sql, (connection) => connection.all<Row>(sql, values, textToFind));
  }

  /** The first of them. */
  get<Row>(sql: string, values: Values): Row | undefined {
    return this.#read(sql, (connection) => connection.get<Row>(sql, values, textToFind));
  }

  /** The same rows as they are stored. */
  storedRows(sql: string, values: Values): StoredRow[] {
    return this.#read(sql, (connection) => connection.storedRows(sql, values, textToFind));
  }

  /** The writer's is not closed. */
  close(): void {
    this.#apart.close();
  }

  #read<T>(sql: string, read: (connection: SqliteConnection) => T): T {
    if (this.#readOnly.has(sql) && !this.#writer.inTransaction) {
      try {
        return read(this.#writer);
      } catch (reason) {
        // It waits for no lock; the other one does.
        if (!isBusy(reason)) throw reason;
      }
    }
    const answer = read(this.#apart);
    if (this.#readOnly.size < STATEMENTS_KEPT) this.#readOnly.add(sql);
    return answer;
  }
}
