/**
 * node:sqlite behind the Database interface: one connection writes, one reads committed state.
 *
 * Group commit: SQLite has one writer, and a commit costs a flush of the disk. Writes that arrive in
 * one turn of the event loop, or while a commit is under way, go into the same transaction; each
 * resolves only after that transaction's COMMIT, so no caller hears of a write that is not durable.
 */
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';

import type { BatchStatement, Database, Statements, Values } from './database.ts';

type Write = {
  /** A promise only when the write is a transaction of several statements. */
  run: () => unknown;
  resolve: (result: unknown) => void;
  reject: (reason: unknown) => void;
};

/** Opens or creates the database in `file`; throws when it cannot be opened. */
export function openSqlite(file: string): Database {
  return new SqliteDatabase(file);
}

class SqliteDatabase implements Database {
  readonly dialect = { engine: 'sqlite', skipLocked: '' } as const;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #batchSql = new Map<BatchStatement, string>();
  #waiting: Write[] = [];
  #flushing: Promise<void> | undefined;

  constructor(file: string) {
    this.#writer = new Connection(file);
    // FULL, because NORMAL may undo an acknowledged revocation when the power fails.
    this.#writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    this.#reader = new Connection(file);
    this.#reader.exec('PRAGMA query_only = ON');
  }

  async all<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#reader.all<Row>(sql, values);
  }

  async get<Row>(sql: string, values: Values = {}): Promise<Row | undefined> {
    return this.#reader.get<Row>(sql, values);
  }

  write<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#enqueue(() => this.#writer.all<Row>(sql, values));
  }

  transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    return this.#enqueue(() => this.#atomically(() => work(this.#writer.statements)));
  }

  async batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined> {
    const sql = this.#sqlOf(statement);
    if (!statement.writes) return this.#reader.get<Row>(sql, values);
    return this.#enqueue(() => this.#writer.get<Row>(sql, values));
  }

  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void> {
    // A rowid alias, the fastest key SQLite has, must be spelled INTEGER.
    const script = sql.replaceAll('BIGINT', 'INTEGER');
    return this.transaction(async (tx) => {
      this.#writer.exec(script);
      await after(tx);
    });
  }

  async backup(file: string): Promise<void> {
    await this.#reader.backupTo(file);
  }

  async close(): Promise<void> {
    await this.#flushing;
    this.#reader.close();
    this.#writer.close();
  }

  #sqlOf(statement: BatchStatement): string {
    const known = this.#batchSql.get(statement);
    if (known !== undefined) return known;
    const columns = Object.keys(statement.columns).map((name) => `:${name} AS ${name}`);
    const sql = statement.sql(`(SELECT ${columns.join(', ')}) AS v`);
    this.#batchSql.set(statement, sql);
    return sql;
  }

  #enqueue<T>(run: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The queue holds writes of every result type; each resolves with what its own `run` made.
      this.#waiting.push({ run, resolve: resolve as (result: unknown) => void, reject });
      this.#flushing ??= this.#flushUntilEmpty();
    });
  }

  async #flushUntilEmpty(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop, so that every request already received joins this commit.
      await new Promise((next) => setImmediate(next));
      const writes = this.#waiting;
      this.#waiting = [];
      await this.#commitTogether(writes);
    }
    this.#flushing = undefined;
  }

  async #commitTogether(writes: Write[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      this.#writer.exec('BEGIN IMMEDIATE');
      for (const { run, resolve, reject } of writes) {
        try {
          const made = run();
          const result = made instanceof Promise ? await made : made;
          settle.push(() => resolve(result));
        } catch (reason) {
          // Some failures (disk full) end the whole transaction: what follows would run outside it.
          if (!this.#writer.inTransaction) throw reason;
          settle.push(() => reject(reason));
        }
      }
      this.#writer.exec('COMMIT');
    } catch (reason) {
      // The shared commit failed (disk full, file locked): nobody's write happened.
      if (this.#writer.inTransaction) this.#writer.exec('ROLLBACK');
      for (const { reject } of writes) reject(reason);
      return;
    }
    for (const answer of settle) answer();
  }

  /** One caller's statements inside the shared transaction: its failure undoes them and nobody else's. */
  async #atomically<T>(work: () => Promise<T>): Promise<T> {
    this.#writer.exec('SAVEPOINT work');
    try {
      const result = await work();
      this.#writer.exec('RELEASE work');
      return result;
    } catch (reason) {
      this.#writer.exec('ROLLBACK TO work; RELEASE work');
      throw reason;
    }
  }
}

/** One connection with its prepared statements. */
class Connection {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  /** The same statements in the asynchronous shape a transaction's work is written for. */
  readonly statements: Statements = {
    all: async <Row>(sql: string, values?: Values) => this.all<Row>(sql, values),
    get: async <Row>(sql: string, values?: Values) => this.get<Row>(sql, values),
  };

  constructor(file: string) {
    // Another process (the command line) may hold the write lock for a moment: wait, do not fail.
    this.#db = new DatabaseSync(file, { timeout: 5000 });
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  // Rows come back as the SELECT or RETURNING list names them: the caller's Row states that list.
  all<Row>(sql: string, values: Values = {}): Row[] {
    return this.#prepare(sql).all(values) as Row[];
  }

  get<Row>(sql: string, values: Values = {}): Row | undefined {
    return this.#prepare(sql).get(values) as Row | undefined;
  }

  backupTo(file: string): Promise<unknown> {
    return backup(this.#db, file);
  }

  close(): void {
    this.#db.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    statement.setAllowUnknownNamedParameters(true);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
