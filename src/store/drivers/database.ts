/**
 * The interface of both databases. SQL is written once, with `:named` parameters, in the dialect that SQLite and
 * PostgreSQL share. `dialect` names their few differences.
 *
 * Rules for stores:
 * - A text of SQL is a constant: it is prepared once and kept. A list is one parameter: `WHERE calendar_key
 *   ${db.dialect.oneOf('keys')}` with `{ keys: ['a', 'b'] }`; an empty one matches nothing.
 * - SQL names columns in snake_case: `client_id` is the property `clientId`, and NULL is `undefined`. Instants and keys
 *   are BIGINT, flags 0 or 1.
 * - A call passes every parameter that its SQL names, `null` if there is no value.
 * - Neither engine can store text with U+0000 or half a surrogate pair. In a read (`all`, `get`, a reading batch) such
 *   a value equals nothing; writing it throws ApiError 400 (statement-text.ts).
 */

/** The value of a parameter: text, a number or NULL. Instants are epoch milliseconds. */
export type Value = string | number | null;
export type StoredRow = Record<string, Value>;
/** Parameters by name; a list goes with `dialect.oneOf`. */
export type Values = Readonly<Record<string, Value | readonly string[] | readonly number[]>>;

/** Runs statements: on the committed state, or inside one transaction. */
export interface Statements {
  readonly dialect: Dialect;

  all<Row>(sql: string, values?: Values): Promise<Row[]>;
  /** Returns the first row, or `undefined` if there is none. */
  get<Row>(sql: string, values?: Values): Promise<Row | undefined>;

  /** Runs one writing statement, outside a transaction as a `write`. Returns the number of changed rows. */
  change(sql: string, values?: Values): Promise<number>;
}

/**
 * `flush` later: all readers see the change on return, and it survives the process, but not a power cut before the next
 * flushed transaction. Only for changes that are then repeated with the same result. `plan`: see BatchStatement.
 * `isolation` replaces PostgreSQL's default level. Other engines may ignore it.
 */
export type TransactionTerms = {
  readonly flush: 'now' | 'later';
  readonly plan?: 'once' | 'each';
  readonly isolation?: 'read committed';
};

/**
 * A statement that many callers run at once. PostgreSQL runs it for all waiting callers together, SQLite for each
 * within a commit that they share. A failed call harms no other.
 */
export type BatchStatement = {
  /** The callers' values with their SQL types. Writes are sorted by the first, which prevents deadlocks. */
  readonly columns: Readonly<Record<string, 'BIGINT' | 'TEXT'>>;
  readonly sql: (supplied: Supplied) => string;
  /** Statements that lock rows before the write, in its transaction. Calls with one key do not share a transaction. */
  readonly precededBy?: readonly ((supplied: Supplied) => string)[];
  /** Statements that run after the write, in its transaction. They return nothing. */
  readonly followedBy?: readonly ((supplied: Supplied) => string)[];
  /** For a write that may be flushed later (TransactionTerms). */
  readonly flush?: TransactionTerms['flush'];
  /** If nobody waits for the result: PostgreSQL gathers at most this many calls, for at most this many ms. */
  readonly gather?: { readonly calls: number; readonly ms: number };
  /** `once`: planning takes longer than running. PostgreSQL plans once for each connection and always uses indexes. */
  readonly plan?: TransactionTerms['plan'];
  /**
   * The column that finds a caller's row: it equals the caller's value. Calls with one key share one result, which for
   * a write only one of them gets.
   */
  readonly key: string;
  readonly writes: boolean;
  /**
   * For a lookup by `key` alone: the tables it reads, and those whose deletions cascade to them. A driver may return an
   * earlier result until one of these was written to.
   */
  readonly readsTables?: readonly string[];
};

/** The SQL for the callers' values in a batch's statement: a row for each on PostgreSQL, parameters on SQLite. */
export type Supplied = {
  readonly value: (column: string) => string;
  /** The text after an UPDATE's assignments. */
  readonly from: string;
  /** The text after the tables of a SELECT. */
  readonly andFrom: string;
  /** The text after an UPDATE's assignments or a SELECT's columns: each caller's rows of `query`, as `name`. */
  readonly fromEach: (query: string, name: string) => string;
  /** The text after an UPDATE's assignments: each caller's rows of `query`, which runs once for each caller. */
  readonly fromOnce: (query: string) => string;
};

export interface Database extends Statements {
  /** Runs one writing statement and returns its RETURNING rows, durably. Its failure undoes no other. */
  write<Row>(sql: string, values?: Values): Promise<Row[]>;

  /** Reads rows as they are stored: properties have the names of the columns, and NULL is `null`. */
  storedRows(sql: string, values?: Values): Promise<StoredRow[]>;

  /**
   * Runs `work` in one transaction, which is undone if it throws or a statement fails. Durable when it returns. `work`
   * awaits only its own statements, and may run again after a serialization failure.
   */
  transaction<T>(work: (tx: Statements) => Promise<T>, terms?: TransactionTerms): Promise<T>;

  /** Returns the caller's row of a batch; `undefined` if the statement returned none for it. */
  batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined>;

  /** Returns all of the caller's rows of a batch, in no order. */
  batchAll<Row>(statement: BatchStatement, values: Values): Promise<Row[]>;

  /** Runs a script of several statements, such as a migration, in one transaction with `after`. */
  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void>;

  /** Copies the live database of one moment into a new or empty file; writes continue. PostgreSQL throws. */
  backup(file: string): Promise<void>;

  /**
   * Removes deleted data from the disk: SQLite empties its log into the file. Calls within a second share this.
   * Resolves to false if others were reading all the time, and on PostgreSQL, which does it when it vacuums.
   */
  clearLog(): Promise<boolean>;

  /** The PostgreSQL server; undefined on SQLite. */
  readonly server: DatabaseServer | undefined;

  /** Waits for running statements, then closes the database. Later statements fail. */
  close(): Promise<void>;
}

export type DatabaseServer = {
  /** Returns whether the server is a standby or read-only, and measures its clock. Throws DatabaseAwayError. */
  isReadOnly(): Promise<boolean>;
  /** Returns the milliseconds by which the server's clock is ahead of this machine's, as measured last. */
  clockOffset(): number;
  /**
   * Returns whether it is not PostgreSQL itself but an engine that understands its protocol, as `isReadOnly` found out;
   * before that false.
   */
  isOtherEngine(): boolean;
  /** Returns the number of commits that were not confirmed within 5 seconds and still wait. */
  commitsWaiting(): number;
};

export type Dialect = {
  readonly engine: 'sqlite' | 'postgres';
  /** The end of a SELECT that picks rows to work on: it skips rows that others have locked. */
  readonly skipLocked: string;
  /** The suffix of text that is compared or sorted: by its bytes, regardless of the server's locale. */
  readonly byBytes: string;
  /** An expression for the size of the whole database on disk, in bytes. */
  readonly bytes: string;
  /** The suffix of an expression: whether it is in the list of the named parameter. */
  readonly oneOf: (parameter: string, type?: 'TEXT' | 'BIGINT') => string;
};
