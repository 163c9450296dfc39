/**
 * The one interface of both databases. SQL is written once, with `:named` parameters, in the dialect that SQLite and
 * PostgreSQL share; their few differences are named pieces of `dialect`.
 *
 * Rules for stores:
 * - A text of SQL is a constant: it is prepared once and kept. A list is one parameter: `WHERE calendar_key
 *   ${db.dialect.oneOf('keys')}` with `{ keys: ['a', 'b'] }`; an empty one matches nothing.
 * - SQL names columns in snake_case: `client_id` is the property `clientId`, and NULL is `undefined`. Instants and keys
 *   are BIGINT, flags 0 or 1.
 * - A call passes every parameter that its SQL names, `null` if there is no value.
 * - Neither engine can store text with U+0000 or half a surrogate pair. In a read (`all`, `get`, a reading batch) such
 *   a value equals nothing; a write of it is refused with 400. See text-values.ts.
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
  /** The first row, `undefined` when there is none. */
  get<Row>(sql: string, values?: Values): Promise<Row | undefined>;

  /**
   * Runs one writing statement and returns the number of rows that it changed. Outside a transaction it is a `write`.
   */
  change(sql: string, values?: Values): Promise<number>;
}

/**
 * `flush` later: when it returns, all readers see the change and it survives the process, but not a power cut before
 * the next flushed transaction. Only for changes that are then repeated with the same result. `plan` once: as in a
 * BatchStatement.
 */
export type TransactionTerms = { readonly flush: 'now' | 'later'; readonly plan?: 'once' | 'each' };

/**
 * One statement that many callers run at once. PostgreSQL runs it for all waiting callers together;
 * SQLite runs it for each, inside the commit they share. A call that fails harms no other.
 */
export type BatchStatement = {
  /**
   * The columns that each caller supplies, with their SQL types. Writes are sent sorted by the first, so that no two
   * deadlock.
   */
  readonly columns: Readonly<Record<string, 'BIGINT' | 'TEXT'>>;
  /** The statement, written over what the callers supply. */
  readonly sql: (supplied: Supplied) => string;
  /**
   * The statements that run before a write for the same callers, in one transaction with it, and return nothing. They
   * lock rows for the statement. Calls with one key do not share a transaction: they run one after the other.
   */
  readonly precededBy?: readonly ((supplied: Supplied) => string)[];
  /** The statements that run after a write for the same callers, in one transaction with it, and return nothing. */
  readonly followedBy?: readonly ((supplied: Supplied) => string)[];
  /** For a write that may be flushed later (TransactionTerms). */
  readonly flush?: TransactionTerms['flush'];
  /**
   * For statements that nobody waits for: PostgreSQL gathers at most this many calls, for at most this many
   * milliseconds.
   */
  readonly gather?: { readonly calls: number; readonly ms: number };
  /**
   * `once`: its rows are found by keys alone, and it takes longer to plan than to run. PostgreSQL plans it once for
   * each connection, over indexes whatever it knows of the tables.
   */
  readonly plan?: TransactionTerms['plan'];
  /**
   * The column of the answer that equals the caller's value of that name and so finds its row. Calls
   * with one key must want one answer: of a write's, one of them gets the rows.
   */
  readonly key: string;
  readonly writes: boolean;
  /**
   * For a look-up whose result depends only on `key`: the tables it reads, and those whose deletions cascade to them. A
   * driver may return an earlier result until one of these was written to.
   */
  readonly readsTables?: readonly string[];
};

/** The SQL for the callers' values in a batch's statement: a row for each on PostgreSQL, parameters on SQLite. */
export type Supplied = {
  /** The value of a column. */
  readonly value: (column: string) => string;
  /** The text after an UPDATE's assignments. */
  readonly from: string;
  /** The text after the tables of a SELECT. */
  readonly andFrom: string;
  /**
   * The text after an UPDATE's assignments or the columns of a SELECT: the rows that the query finds for each caller,
   * under that name.
   */
  readonly fromEach: (query: string, name: string) => string;
};

export interface Database extends Statements {
  /**
   * Runs one writing statement and returns its RETURNING rows. Durable when it returns: writes that arrive during a
   * commit share the next one. Its failure undoes no other write.
   */
  write<Row>(sql: string, values?: Values): Promise<Row[]>;

  /** Reads rows as they are stored: properties have the names of the columns, and NULL is `null`. */
  storedRows(sql: string, values?: Values): Promise<StoredRow[]>;

  /**
   * Runs `work` in one transaction: all of it or, when it throws, nothing. Durable when it returns.
   * `work` awaits nothing but its own statements, and may be run again after a serialization failure.
   * A statement that fails fails the transaction, whether or not `work` catches it.
   */
  transaction<T>(work: (tx: Statements) => Promise<T>, terms?: TransactionTerms): Promise<T>;

  /** Returns the caller's row of a batch; `undefined` if the statement returned none for it. */
  batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined>;

  /** The same if the statement can return several rows for a caller: all of them, in no order. */
  batchAll<Row>(statement: BatchStatement, values: Values): Promise<Row[]>;

  /** Runs a script of several statements, such as a migration, in one transaction with `after`. */
  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void>;

  /**
   * Copies the live database into a new or empty file, as it is at one moment; writers go on
   * meanwhile. PostgreSQL refuses: its own tools do that better.
   */
  backup(file: string): Promise<void>;

  /**
   * Takes what was deleted off the disk: SQLite copies its log into the file and empties it. Calls within a second
   * share this. Resolves to false if others were reading all the time, and on PostgreSQL, which does it when it
   * vacuums.
   */
  clearLog(): Promise<boolean>;

  /** The server of PostgreSQL; undefined on SQLite. */
  readonly server: DatabaseServer | undefined;

  /** Waits for running statements, then closes the database. Later statements fail. */
  close(): Promise<void>;
}

export type DatabaseServer = {
  /**
   * Requests whether the server is a standby or otherwise read-only, and measures its clock. Throws DatabaseAwayError.
   */
  isReadOnly(): Promise<boolean>;
  /** The milliseconds by which the server's clock is ahead of this machine's, as measured last. */
  clockOffset(): number;
};

/** The differences between the engines. */
export type Dialect = {
  readonly engine: 'sqlite' | 'postgres';
  /** The end of a SELECT that picks rows to work on: it skips rows that others have locked. */
  readonly skipLocked: string;
  /** The suffix of text that is compared or sorted: by its bytes, regardless of the server's locale. */
  readonly byBytes: string;
  /** An expression: how many bytes the whole database has on disk. */
  readonly bytes: string;
  /** The suffix of an expression: whether it is in the list of the named parameter. */
  readonly oneOf: (parameter: string, type?: 'TEXT' | 'BIGINT') => string;
};
