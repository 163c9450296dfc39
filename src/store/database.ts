/**
 * The one interface both databases stand behind. SQL is written once, with `:named` parameters, in the
 * dialect SQLite and PostgreSQL share; the few things they do not share are named pieces of `dialect`.
 */

/** What a statement takes and answers: text, numbers and NULL. Instants are epoch milliseconds. */
export type Value = string | number | null;
export type Values = Readonly<Record<string, Value>>;

/** Runs statements: on the committed state, or inside one transaction. */
export interface Statements {
  all<Row>(sql: string, values?: Values): Promise<Row[]>;
  /** The first row, `undefined` when there is none. */
  get<Row>(sql: string, values?: Values): Promise<Row | undefined>;
}

/**
 * One statement that many callers run at once. PostgreSQL runs it for all waiting callers together;
 * SQLite runs it for each, inside the commit they share.
 */
export type BatchStatement = {
  /** What each caller supplies, with its SQL type. */
  readonly columns: Readonly<Record<string, 'BIGINT' | 'TEXT'>>;
  /** The statement; `v` is a FROM item, aliased `v`, that has one row of `columns` for each caller. */
  readonly sql: (v: string) => string;
  /** The column of the answer that equals the caller's value of that name and so finds its row. */
  readonly key: string;
  readonly writes: boolean;
};

export interface Database extends Statements {
  readonly dialect: Dialect;

  /**
   * Runs one writing statement and answers its RETURNING rows. Durable when it answers: writes that
   * arrive while a commit is under way share the next one.
   */
  write<Row>(sql: string, values?: Values): Promise<Row[]>;

  /**
   * Runs `work` in one transaction: all of it or, when it throws, nothing. Durable when it answers.
   * `work` awaits nothing but its own statements, and may be run again after a serialization failure.
   */
  transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T>;

  /** The caller's row of a batch, `undefined` when the statement answered none for it. */
  batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined>;

  /** Runs a script of several statements, such as a migration, in one transaction with `after`. */
  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void>;

  /** Copies the live database into a new file. PostgreSQL refuses: its own tools do that better. */
  backup(file: string): Promise<void>;

  close(): Promise<void>;
}

/** What the engines do not share. */
export type Dialect = {
  readonly engine: 'sqlite' | 'postgres';
  /** Put behind a SELECT that picks rows to work on: others' locked rows are passed over. */
  readonly skipLocked: string;
};
