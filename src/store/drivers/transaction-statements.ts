/** The statements of a transaction until its end or its first failure. */
import type { Dialect, Statements, Values } from './database.ts';

export type Runner = {
  readonly all: <Row>(sql: string, values: Values) => Row[] | Promise<Row[]>;
  readonly change: (sql: string, values: Values) => number | Promise<number>;
};

/**
 * The statements of one transaction. After a failed statement PostgreSQL silently rolls back at COMMIT, and SQLite
 * commits the rest. `work` that caught the failure expects neither, so `finish` throws it again.
 */
export class TransactionStatements implements Statements {
  readonly dialect: Dialect;
  readonly #runner: Runner;
  #failure: { readonly reason: unknown } | undefined;
  #ended = false;

  constructor(dialect: Dialect, runner: Runner) {
    this.dialect = dialect;
    this.#runner = runner;
  }

  all<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#run(() => this.#runner.all<Row>(sql, values));
  }

  async get<Row>(sql: string, values?: Values): Promise<Row | undefined> {
    return (await this.all<Row>(sql, values))[0];
  }

  change(sql: string, values: Values = {}): Promise<number> {
    return this.#run(() => this.#runner.change(sql, values));
  }

  async #run<T>(statement: () => T | Promise<T>): Promise<T> {
    // The connection may serve others by now: a late statement would run in their transaction.
    if (this.#ended) throw new Error('A statement came after the end of its transaction');
    try {
      return await statement();
    } catch (reason) {
      this.#failure ??= { reason };
      throw reason;
    }
  }

  /** Throws the first failure, if any. Call it before the commit. */
  finish(): void {
    this.end();
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Refuses every later statement. */
  end(): void {
    this.#ended = true;
  }
}
