/**
 * Implements the Database interface with node:sqlite: one connection writes, and two read committed state
 * (sqlite-reads.ts).
 *
 * Group commit: SQLite has one writer, and a commit costs a flush of the disk. Writes that arrive in one turn of the
 * event loop, or during a commit, share a transaction. Each resolves only after that transaction's COMMIT, so no caller
 * learns of a write that is not durable. If all of them may be flushed later, they wait a moment for one that may not.
 */
import { stat } from 'node:fs/promises';
import type {
  BatchStatement,
  Database,
  Statements,
  StoredRow,
  TransactionTerms,
  Values,
} from './database.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { isWholeFile, logClearing, openWriter } from './sqlite-file.ts';
import { beginUnlocked, LOCK_WAIT_MS, type LockPatience, READ_TIMEOUT_MS } from './sqlite-lock.ts';
import { ReadCache, SqliteBatchTexts, SqliteReads } from './sqlite-reads.ts';
import { textToFind, valueFor } from './statement-text.ts';
import { TransactionStatements } from './transaction-statements.ts';

/** Maximum number of event loop turns for which writes gather for a commit. A turn takes some 0.1 ms under load. */
const MOST_TURNS = 64;
/** Milliseconds for which writes that may be flushed later wait for one that may not, which saves a commit. */
const LATER_MS = 1;

type Write = {
  /** A promise only when the write is a transaction of several statements. */
  run: () => unknown;
  flush: TransactionTerms['flush'];
  until: number;
  resolve: (result: unknown) => void;
  reject: (reason: unknown) => void;
};

export const openSqlite = (file: string, patience: LockPatience = { lockWaitMs: LOCK_WAIT_MS }): Database =>
  new SqliteDatabase(file, patience);

class SqliteDatabase implements Database {
  readonly dialect = {
    engine: 'sqlite',
    skipLocked: '',
    byBytes: 'COLLATE BINARY',
    bytes: '(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())',
    oneOf: (parameter: string) => `IN (SELECT value FROM json_each(:${parameter}))`,
  } as const;
  readonly server = undefined;
  readonly clearLog: () => Promise<boolean>;
  readonly #file: string;
  readonly #patience: LockPatience;
  readonly #writer: SqliteConnection;
  readonly #reads: SqliteReads;
  readonly #batchTexts = new SqliteBatchTexts();
  readonly #kept: ReadCache;
  #waiting: Write[] = [];
  #flushing: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #flush: TransactionTerms['flush'] = 'now';
  /** Ends the wait of writes that may be flushed later. */
  #endWait: (() => void) | undefined;

  constructor(file: string, patience: LockPatience) {
    this.#file = file;
    this.#patience = patience;
    this.#writer = openWriter(file);
    this.#reads = new SqliteReads(file, this.#writer);
    this.clearLog = logClearing(this.#writer, patience);
    // Uses the writer's count, since its own commits are not foreign to it.
    this.#kept = new ReadCache(() => this.#writer.foreignCommits());
  }

  async all<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#reads.all<Row>(sql, values);
  }

  async get<Row>(sql: string, values: Values = {}): Promise<Row | undefined> {
    return this.#reads.get<Row>(sql, values);
  }

  write<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#enqueue(() => this.#writeAll<Row>(sql, values));
  }

  change(sql: string, values: Values = {}): Promise<number> {
    return this.#enqueue(() => this.#change(sql, values));
  }

  async storedRows(sql: string, values: Values = {}): Promise<StoredRow[]> {
    return this.#reads.storedRows(sql, values);
  }

  transaction<T>(work: (tx: Statements) => Promise<T>, terms?: TransactionTerms): Promise<T> {
    return this.#enqueue(() => this.#atomically(work), terms?.flush);
  }

  async batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined> {
    if (!statement.writes) return this.#look<Row>(statement, values);
    return (await this.batchAll<Row>(statement, values))[0];
  }

  async batchAll<Row>(statement: BatchStatement, values: Values): Promise<Row[]> {
    const { all, answering } = this.#batchTexts.of(statement);
    if (!statement.writes) return this.#reads.all<Row>(answering, values);
    const write = () =>
      all.length === 1
        ? this.#writeAll<Row>(answering, values)
        : this.#writeTogether<Row>(all, answering, values);
    return this.#enqueue(write, statement.flush);
  }

  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void> {
    // A rowid alias, the fastest key SQLite has, must be spelled INTEGER.
    const script = sql.replace(/\bBIGINT\b/g, 'INTEGER');
    return this.transaction(async (tx) => {
      this.#kept.wrote(script);
      this.#writer.exec(script);
      await after(tx);
    });
  }

  async backup(file: string): Promise<void> {
    const existing = await stat(file).catch(() => undefined);
    if (existing !== undefined && existing.size > 0) throw new Error(`${file} exists already`);
    // A separate connection: the copying thread would otherwise hold up this one's statements.
    const source = new SqliteConnection(this.#file, textToFind, READ_TIMEOUT_MS);
    try {
      await source.copyTo(file);
    } finally {
      source.close();
    }
    if (!(await isWholeFile(file)))
      throw new Error(`${file} does not have the size that its first page states`);
  }

  close(): Promise<void> {
    this.#closed ??= this.#drain();
    return this.#closed;
  }

  async #drain(): Promise<void> {
    await this.#flushing;
    this.#reads.close();
    this.#writer.close();
  }

  #writeAll<Row>(sql: string, values: Values): Row[] {
    this.#kept.wrote(sql);
    return this.#writer.all<Row>(sql, values);
  }

  #change(sql: string, values: Values): number {
    this.#kept.wrote(sql);
    return this.#writer.change(sql, values);
  }

  /** Runs several statements in one transaction; returns the rows of `answering`. */
  #writeTogether<Row>(all: readonly string[], answering: string, values: Values): Promise<Row[]> {
    return this.#atomically(async (tx) => {
      let rows: Row[] = [];
      for (const text of all) {
        const result = await tx.all<Row>(text, values);
        if (text === answering) rows = result;
      }
      return rows;
    });
  }

  #look<Row>(statement: BatchStatement, values: Values): Row | undefined {
    const look = () => this.#reads.get<Row>(this.#batchTexts.of(statement).answering, values);
    if (statement.readsTables === undefined) return look();
    return this.#kept.find(statement, valueFor(values, statement.key), look);
  }

  #enqueue<T>(run: () => T | Promise<T>, flush: TransactionTerms['flush'] = 'now'): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(new Error('The database is closed'));
    return new Promise<T>((resolve, reject) => {
      // The queue holds writes of every result type; each resolves with what its own `run` made.
      const until = performance.now() + this.#patience.lockWaitMs;
      this.#waiting.push({ run, flush, until, resolve: resolve as (result: unknown) => void, reject });
      if (flush === 'now') this.#endWait?.();
      this.#flushing ??= this.#flushUntilEmpty();
    });
  }

  async #flushUntilEmpty(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#commitTogether();
    }
    this.#flushing = undefined;
  }

  /**
   * Waits while each turn of the event loop brings another write. Callers that got a result come back one by one;
   * without this, a few of them would pay for a flush that all can share.
   */
  async #gather(): Promise<void> {
    await this.#untilNoneComes();
    if (this.#waiting.some(({ flush }) => flush === 'now')) return;
    await this.#waitForFlush();
    await this.#untilNoneComes();
  }

  async #untilNoneComes(): Promise<void> {
    for (let turn = 0, before = 0; this.#waiting.length > before && turn < MOST_TURNS; turn++) {
      before = this.#waiting.length;
      await new Promise((next) => setImmediate(next));
    }
  }

  async #waitForFlush(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endWait = resolve;
    const timer = setTimeout(resolve, LATER_MS);
    await promise;
    clearTimeout(timer);
    this.#endWait = undefined;
  }

  /** Never throws: every write is settled. */
  async #commitTogether(): Promise<void> {
    let writes: readonly Write[] = this.#waiting;
    this.#waiting = [];
    const answers: (() => void)[] = [];
    try {
      this.#setFlush(writes.some(({ flush }) => flush === 'now') ? 'now' : 'later');
      writes = await beginUnlocked(() => this.#writer.run('BEGIN IMMEDIATE'), writes);
      if (writes.length === 0) return;
      for (const write of writes) {
        const answer = this.#run(write);
        answers.push(answer instanceof Promise ? await answer : answer);
      }
      this.#writer.run('COMMIT');
      this.#kept.committed();
    } catch (reason) {
      // The shared commit failed (disk full, file locked): no write happened.
      if (this.#writer.inTransaction) this.#writer.exec('ROLLBACK');
      for (const { reject } of writes) reject(reason);
      return;
    }
    for (const answer of answers) answer();
  }

  /** The next flush is of the whole log, so a commit without a flush is never lost before a later one. */
  #setFlush(flush: TransactionTerms['flush']): void {
    if (flush === this.#flush) return;
    // The pragma takes effect when it is compiled, so it cannot be prepared.
    this.#writer.exec(`PRAGMA synchronous = ${flush === 'now' ? 'FULL' : 'NORMAL'}`);
    this.#flush = flush;
  }

  /** Runs one write, a single statement at once; returns the function that settles its caller after the commit. */
  #run({ run, resolve, reject }: Write): Promise<() => void> | (() => void) {
    const failed = (reason: unknown) => {
      // Some failures (disk full) end the whole transaction; further statements would run outside it.
      if (!this.#writer.inTransaction) throw reason;
      return () => reject(reason);
    };
    try {
      const outcome = run();
      if (outcome instanceof Promise) return outcome.then((result) => () => resolve(result), failed);
      return () => resolve(outcome);
    } catch (reason) {
      return failed(reason);
    }
  }

  /** Runs one caller's statements inside the shared transaction. A failure undoes only these. */
  async #atomically<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    const tx = new TransactionStatements(this.dialect, {
      all: (sql, values) => this.#writeAll(sql, values),
      change: (sql, values) => this.#change(sql, values),
    });
    this.#writer.run('SAVEPOINT work');
    try {
      const result = await work(tx);
      tx.finish();
      this.#writer.run('RELEASE work');
      return result;
    } catch (reason) {
      if (this.#writer.inTransaction) this.#writer.exec('ROLLBACK TO work; RELEASE work');
      throw reason;
    } finally {
      tx.end();
    }
  }
}
