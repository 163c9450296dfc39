/** One node:sqlite connection with its prepared statements. */
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';

import type { Values } from './database.ts';
import { STATEMENTS_KEPT, sqliteText, valueFor } from './statement-text.ts';

type Prepared = { readonly statement: StatementSync; readonly parameters: readonly string[] };
type Bound = string | number | null;

/** More pages than any database has, which stands for all of them. */
const MOST_PAGES = 2_147_483_647;

export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #text: (text: string) => string;
  readonly #prepared = new Map<string, Prepared>();
  #dataVersion: StatementSync | undefined;

  /**
   * `text` answers the text to store for a text, or throws. `timeout` is how long, in ms, a
   * statement blocks this thread while another process has a lock.
   */
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

  // `text` is that of the constructor for one statement alone.
  // Rows come back as the SELECT or RETURNING list names them: the caller's Row states that list.
  all<Row>(sql: string, values: Values, text = this.#text): Row[] {
    const { statement, parameters } = this.#prepare(sql);
    return statement.all(...bound(parameters, values, text)) as Row[];
  }

  get<Row>(sql: string, values: Values, text = this.#text): Row | undefined {
    const { statement, parameters } = this.#prepare(sql);
    return statement.get(...bound(parameters, values, text)) as Row | undefined;
  }

  /** A number that changes when another connection has committed, and only then. */
  foreignCommits(): number {
    this.#dataVersion ??= this.#db.prepare('PRAGMA data_version');
    return Number(this.#dataVersion.get()?.data_version);
  }

  /** Copies everything in one step: the state of one moment, however much is written meanwhile. */
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
    const prepared = { statement: this.#db.prepare(text), parameters };
    if (this.#prepared.size < STATEMENTS_KEPT) this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function bound(parameters: readonly string[], values: Values, text: (text: string) => string): Bound[] {
  return parameters.map((parameter) => {
    const value = valueFor(values, parameter);
    if (typeof value === 'string') return text(value);
    if (value === null || typeof value === 'number') return value;
    return JSON.stringify(value.map((item) => (typeof item === 'string' ? text(item) : item)));
  });
}
