/**
 * Rows that the hottest look-ups of SQLite found, kept until something could have changed them: a
 * statement of ours that wrote to one of their tables, or any commit of another process.
 */
import type { BatchStatement, Values } from './database.ts';
import { STATEMENTS_KEPT } from './statement-text.ts';

const ROWS_KEPT = 20_000;

export class ReadCache {
  readonly #foreignCommits: () => number;
  readonly #rows = new Map<BatchStatement, Map<Values[string], unknown>>();
  readonly #tablesOf = new Map<string, readonly string[]>();
  readonly #written = new Set<string>();
  #seen: number | undefined;
  #checked = false;

  /** `foreignCommits` answers a number that changes whenever another process has committed. */
  constructor(foreignCommits: () => number) {
    this.#foreignCommits = foreignCommits;
  }

  /** The kept row whose `statement.key` is `key`, else what `look` finds now. Rows are not to be changed. */
  find<Row>(statement: BatchStatement, key: Values[string], look: () => Row | undefined): Row | undefined {
    this.#forgetWhenOthersWrote();
    const rows = this.#rowsOf(statement);
    // Rows of a statement are what its own callers state as their Row.
    const known = rows.get(key) as Row | undefined;
    if (known !== undefined) return known;
    const found = look();
    if (found === undefined) return undefined;
    if (rows.size >= ROWS_KEPT) rows.delete(rows.keys().next().value ?? '');
    // A plain object: those that node:sqlite makes take several times as long to read.
    const kept = { ...found };
    rows.set(key, kept);
    return kept;
  }

  /** Notes what a statement writes; `committed` then forgets what it may have changed. */
  wrote(sql: string): void {
    let tables = this.#tablesOf.get(sql);
    if (tables === undefined) {
      tables = tablesWrittenBy(sql);
      if (this.#tablesOf.size < STATEMENTS_KEPT) this.#tablesOf.set(sql, tables);
    }
    for (const table of tables) this.#written.add(table);
  }

  /** To be called when writes were committed, before anybody hears of it. */
  committed(): void {
    if (this.#written.size === 0) return;
    for (const [statement, rows] of this.#rows) {
      const { keptWhileUnwritten = [] } = statement;
      if ([ANY_TABLE, ...keptWhileUnwritten].some((table) => this.#written.has(table))) rows.clear();
    }
    this.#written.clear();
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
   * Asked once in a turn of the event loop, as asking costs half of what a look-up does. A request that
   * is sent after another process' commit is read in a later turn, and so never sees what was before.
   */
  #forgetWhenOthersWrote(): void {
    if (this.#checked) return;
    this.#checked = true;
    setImmediate(() => {
      this.#checked = false;
    });
    const now = this.#foreignCommits();
    if (now !== this.#seen) for (const rows of this.#rows.values()) rows.clear();
    this.#seen = now;
  }
}

/** Stands for all: what cannot be told from a statement's text may have written anything. */
const ANY_TABLE = '*';

/** The tables a statement or script writes to; what foreign keys cascade to is not among them. */
function tablesWrittenBy(sql: string): string[] {
  const written =
    /\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?!SET\b)(\w+)/gi;
  const tables = [...sql.matchAll(written)].flatMap(([, table]) => table?.toLowerCase() ?? []);
  const isRead = /^\s*SELECT\b/i.test(sql);
  return tables.length > 0 || isRead ? tables : [ANY_TABLE];
}
