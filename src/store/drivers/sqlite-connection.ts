/** One node:sqlite connection with its prepared statements. */
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import type { StoredRow, Value, Values } from './database.ts';
import { propertyName, rowFrom, STATEMENTS_KEPT, sqliteText, valueFor } from './statement-text.ts';

type Prepared = {
  readonly statement: StatementSync;
  readonly parameters: readonly string[];
  readonly names: readonly string[];
};

/** More pages than any database has: all of them. */
const MOST_PAGES = 2_147_483_647;

export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #text: (text: string) => string;
  readonly #prepared = new Map<string, Prepared>();
  #dataVersion: StatementSync | undefined;

  /** `text` converts or refuses a text. For up to `timeout` ms a statement blocks this thread to wait for a lock. */
  constructor(file: string, text: (text: string) => string, timeout: number) {
    this.#db = new DatabaseSync(file, { timeout });
    this.#text = text;
  }

  get inTransaction(): boolean {
    return this.#db.isOpen && this.#db.isTransaction;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** Runs one statement without parameters or rows, such as COMMIT; unlike `exec` it is prepared once. */
  run(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  // `text` replaces that of the constructor. Rows have the columns of the SELECT or RETURNING list, which the caller's
  // Row states.
  all<Row>(sql: string, values: Values, text = this.#text): Row[] {
    const { statement, parameters, names } = this.#prepare(sql);
    return statement
      .all(...bound(parameters, values, text))
      .map((row) => rowFrom(names, asArray(row)) as Row);
  }

  get<Row>(sql: string, values: Values, text = this.#text): Row | undefined {
    const { statement, parameters, names } = this.#prepare(sql);
    const row = statement.get(...bound(parameters, values, text));
    return row && (rowFrom(names, asArray(row)) as Row);
  }

  change(sql: string, values: Values): number {
    const { statement, parameters } = this.#prepare(sql);
    return Number(statement.run(...bound(parameters, values, this.#text)).changes);
  }

  storedRows(sql: string, values: Values, text = this.#text): StoredRow[] {
    const { statement, parameters } = this.#prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    return statement
      .all(...bound(parameters, values, text))
      .map((row) => Object.fromEntries(columns.map((name, place) => [name, asArray(row)[place] ?? null])));
  }

  /** Returns a number that changes if another connection has committed, and only then. */
  foreignCommits(): number {
    this.#dataVersion ??= this.#db.prepare('PRAGMA data_version');
    return Number(this.#dataVersion.get()?.data_version);
  }

  /** Copies everything in one step: the state of one moment, even if others write. */
  copyTo(file: string): Promise<unknown> {
    return backup(this.#db, file, { rate: MOST_PAGES });
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #prepare(sql: string): Prepared {
    const earlier = this.#prepared.get(sql);
    if (earlier !== undefined) return earlier;
    const { text, parameters } = sqliteText(sql);
    const statement = this.#db.prepare(text);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => propertyName(name));
    const prepared = { statement, parameters, names };
    if (this.#prepared.size < STATEMENTS_KEPT) this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/** The typings know a row as an object only; setReturnArrays makes it an array. */
const asArray = (row: unknown) => row as Value[];

const bound = (parameters: readonly string[], values: Values, text: (text: string) => string): Value[] =>
  parameters.map((parameter) => {
    const value = valueFor(values, parameter);
    if (typeof value === 'string') return text(value);
    if (value === null || typeof value === 'number') return value;
    return JSON.stringify(value.map((item) => (typeof item === 'string' ? text(item) : item)));
  });
