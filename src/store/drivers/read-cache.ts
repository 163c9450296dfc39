/**
 * A cache of the rows that the most frequent look-ups of SQLite read. A row stays until something could have changed it:
 * a statement of ours that wrote to one of its tables, or any commit of another process.
 */
import type { BatchStatement, Values } from './database.ts';
import { STATEMENTS_KEPT } from './statement-text.ts';

const ROWS_KEPT = 20_000;

export class ReadCache {
  readonly #foreignCommits: () => number;
  readonly #rows = new Map<BatchStatement, Map<Values[string], unknown>>();
  readonly #tablesOf = new Map<string, readonly string[]>();
  readonly #changedTables = new Set<string>();
  #lastForeignCommits: number | undefined;
  #checked = false;

  /** `foreignCommits` answers a number that changes whenever another process has committed. */
  constructor(foreignCommits: () => number) {
    this.#foreignCommits = foreignCommits;
  }

  /** The cached row whose `statement.key` is `key`, else what `read` answers. Callers must not change it. */
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

  /** To be called when writes were committed, before any caller is answered. */
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
   * Asks once in a turn of the event loop, since asking costs half as much as a look-up. A request that is sent after
   * another process' commit is read in a later turn, so it never gets a row from before.
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

/** Stands for all tables: the text of some statements does not say which one they write. */
const ANY_TABLE = '*';

/** The tables that a statement or script names as written, without those that foreign keys cascade to. */
function tablesChangedBy(sql: string): string[] {
  const write =
    /\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?!SET\b)(\w+)/gi;
  const tables = [...sql.matchAll(write)].flatMap(([, table]) => table?.toLowerCase() ?? []);
  const isRead = /^\s*SELECT\b/i.test(sql);
  return tables.length > 0 || isRead ? tables : [ANY_TABLE];
}
