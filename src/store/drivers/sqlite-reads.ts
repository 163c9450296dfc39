/**
 * Reads an SQLite database. The writer has the pages of its last commit in memory, and other connections read them
 * again. So the writer reads too while it has no open transaction.
 */
import type { BatchStatement, StoredRow, Supplied, Values } from './database.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { isBusy, READ_TIMEOUT_MS } from './sqlite-lock.ts';
import { STATEMENTS_KEPT, textToFind } from './statement-text.ts';

export class SqliteReads {
  readonly #writer: SqliteConnection;
  readonly #apart: SqliteConnection;
  /** Texts that ran on the connection that refuses writes. */
  readonly #readOnly = new Set<string>();

  constructor(file: string, writer: SqliteConnection) {
    this.#writer = writer;
    this.#apart = new SqliteConnection(file, textToFind, READ_TIMEOUT_MS);
    this.#apart.exec('PRAGMA query_only = ON');
  }

  /** Returns the committed rows. Throws for a statement that writes. */
  all<Row>(sql: string, values: Values): Row[] {
    return this.#read(sql, (connection) => connection.all<Row>(sql, values, textToFind));
  }

  get<Row>(sql: string, values: Values): Row | undefined {
    return this.#read(sql, (connection) => connection.get<Row>(sql, values, textToFind));
  }

  storedRows(sql: string, values: Values): StoredRow[] {
    return this.#read(sql, (connection) => connection.storedRows(sql, values, textToFind));
  }

  close(): void {
    this.#apart.close();
  }

  #read<T>(sql: string, read: (connection: SqliteConnection) => T): T {
    if (this.#readOnly.has(sql) && !this.#writer.inTransaction) {
      try {
        return read(this.#writer);
      } catch (reason) {
        // The writer does not wait for a lock; the other connection does.
        if (!isBusy(reason)) throw reason;
      }
    }
    const answer = read(this.#apart);
    if (this.#readOnly.size < STATEMENTS_KEPT) this.#readOnly.add(sql);
    return answer;
  }
}

const ROWS_KEPT = 20_000;

export class ReadCache {
  readonly #foreignCommits: () => number;
  readonly #rows = new Map<BatchStatement, Map<Values[string], unknown>>();
  readonly #tablesOf = new Map<string, readonly string[]>();
  readonly #changedTables = new Set<string>();
  #lastForeignCommits: number | undefined;
  #checked = false;

  constructor(foreignCommits: () => number) {
    this.#foreignCommits = foreignCommits;
  }

  /** Returns the cached row whose `statement.key` is `key`, else the result of `read`. Callers must not change it. */
  find<Row>(statement: BatchStatement, key: Values[string], read: () => Row | undefined): Row | undefined {
    this.#forgetWhenOthersWrote();
    const rows = this.#rowsOf(statement);
    // Rows of a statement are what its own callers state as their Row.
    const cached = rows.get(key) as Row | undefined;
    if (cached !== undefined) return cached;
    const row = read();
    if (row === undefined) return undefined;
    if (rows.size >= ROWS_KEPT) rows.delete(rows.keys().next().value ?? '');
    rows.set(key, row);
    return row;
  }

  /** Notes the tables that a statement writes; `committed` then drops the rows it may have changed. */
  wrote(sql: string): void {
    let tables = this.#tablesOf.get(sql);
    if (tables === undefined) {
      tables = tablesChangedBy(sql);
      if (this.#tablesOf.size < STATEMENTS_KEPT) this.#tablesOf.set(sql, tables);
    }
    for (const table of tables) this.#changedTables.add(table);
  }

  /** Call this after a commit, before any caller gets a result. */
  committed(): void {
    if (this.#changedTables.size === 0) return;
    for (const [statement, rows] of this.#rows) {
      const { readsTables: keptWhileUnwritten = [] } = statement;
      if ([ANY_TABLE, ...keptWhileUnwritten].some((table) => this.#changedTables.has(table))) rows.clear();
    }
    this.#changedTables.clear();
  }

  #rowsOf(statement: BatchStatement): Map<Values[string], unknown> {
    let rows = this.#rows.get(statement);
    if (rows === undefined) {
      rows = new Map();
      this.#rows.set(statement, rows);
    }
    return rows;
  }

  /**
   * Checks once per turn of the event loop, since a check costs half a lookup. A request that is sent after another
   * process's commit is read in a later turn, so it never gets an old row.
   */
  #forgetWhenOthersWrote(): void {
    if (this.#checked) return;
    this.#checked = true;
    setImmediate(() => {
      this.#checked = false;
    });
    const now = this.#foreignCommits();
    if (now !== this.#lastForeignCommits) for (const rows of this.#rows.values()) rows.clear();
    this.#lastForeignCommits = now;
  }
}

/** Represents all tables, for a text that does not show which one it writes. */
const ANY_TABLE = '*';

/** Returns the tables that a statement or script writes by name, without those that foreign keys cascade to. */
function tablesChangedBy(sql: string): string[] {
  const write =
    /\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?!SET\b)(\w+)/gi;
  const tables = [...sql.matchAll(write)].flatMap(([, table]) => table?.toLowerCase() ?? []);
  const isRead = /^\s*SELECT\b/i.test(sql);
  return tables.length > 0 || isRead ? tables : [ANY_TABLE];
}

/** On SQLite each caller of a batch runs its statements alone. */
const SUPPLIED: Supplied = {
  value: (column) => `:${column}`,
  from: '',
  andFrom: '',
  fromEach: (query, name) => `FROM (${query}) AS ${name}`,
  fromOnce: (query) => `FROM (${query})`,
};

/** The texts in their order, and the one whose rows are returned. */
type BatchTexts = { readonly all: readonly string[]; readonly answering: string };

export class SqliteBatchTexts {
  readonly #known = new Map<BatchStatement, BatchTexts>();

  of(statement: BatchStatement): BatchTexts {
    const cached = this.#known.get(statement);
    if (cached !== undefined) return cached;
    const { sql, precededBy = [], followedBy = [] } = statement;
    const answering = sql(SUPPLIED);
    const all = [...precededBy, sql, ...followedBy].map((text) => text(SUPPLIED));
    const texts = { all, answering };
    this.#known.set(statement, texts);
    return texts;
  }
}
