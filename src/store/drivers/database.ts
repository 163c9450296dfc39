/**
 * The one interface both databases stand behind. SQL is written once, with `:named` parameters, in the
 * dialect SQLite and PostgreSQL share; the few things they do not share are named pieces of `dialect`.
 *
 * For whoever writes a store:
 * - A text of SQL is a constant: it is prepared once and kept. A list is one parameter:
 *   `WHERE calendar_key ${db.dialect.oneOf('keys')}` with `{ keys: ['a', 'b'] }`; an empty one matches nothing.
 * - SQL names columns in snake_case: `client_id` is the property `clientId`, and NULL is `undefined`. Instants and keys are
 *   BIGINT, flags 0 or 1.
 * - A SQL text passes every parameter it names, `null` where there is none.
 * - Text with U+0000 or half a surrogate pair can be stored by neither engine as it is. Where it is
 *   asked for (`all`, `get`, a reading batch) it equals nothing; where it would be written it is
 *   refused with 400. See text-values.ts.
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

  /** Runs one writing statement and returns the number of rows that it changed. Outside a transaction it is a `write`. */
  change(sql: string, values?: Values): Promise<number>;
}

/**
 * `flush` later: everybody sees it when it answers, and it outlives the process, but not a power cut that comes before the next
 * transaction was flushed. Only for what is then done again and comes to the same.
 * `plan` once: as of a BatchStatement.
 */
export type TransactionTerms = { readonly flush: 'now' | 'later'; readonly plan?: 'once' | 'each' };

/**
 * One statement that many callers run at once. PostgreSQL runs it for all waiting callers together;
 * SQLite runs it for each, inside the commit they share. A call that fails harms no other.
 */
export type BatchStatement = {
  /** What each caller supplies, with its SQL type. A write is sent sorted by the first, so that two never deadlock. */
  readonly columns: Readonly<Record<string, 'BIGINT' | 'TEXT'>>;
  /** The statement, written over what the callers supply. */
  readonly sql: (supplied: Supplied) => string;
  /**
   * Of a write: what is run before it for the same callers, in one transaction with it, and answers nobody. It locks what the
   * statement then sees as it is. Calls with one key do not share a transaction: they run one behind the other.
   */
  readonly precededBy?: readonly ((supplied: Supplied) => string)[];
  /** Of a write: what is run behind it for the same callers, in one transaction with it, and answers nobody. */
  readonly followedBy?: readonly ((supplied: Supplied) => string)[];
  /** Of a write that may be flushed later (TransactionTerms). */
  readonly flush?: TransactionTerms['flush'];
  /** Of what nobody waits for: PostgreSQL lets so many calls gather, for so many milliseconds at most. */
  readonly gather?: { readonly calls: number; readonly ms: number };
  /**
   * `once`: its rows are found by keys alone, and it takes longer to plan than to run. PostgreSQL plans it once for each
   * connection, over indexes whatever it knows of the tables.
   */
  readonly plan?: TransactionTerms['plan'];
  /**
   * The column of the answer that equals the caller's value of that name and so finds its row. Calls
   * with one key must want one answer: of a write's, one of them gets the rows.
   */
  readonly key: string;
  readonly writes: boolean;
  /**
   * Of a look-up whose answer `key` alone decides: the tables it reads, and those whose rows' deletion cascades to them.
   * A driver may answer again what it read before, until one of these was written to.
   */
  readonly readsTables?: readonly string[];
};

/** How a batch's statement names what its callers supply: a row for each on PostgreSQL, parameters on SQLite. */
export type Supplied = {
  /** The value of a column. */
  readonly value: (column: string) => string;
  /** Put behind an UPDATE's assignments. */
  readonly from: string;
  /** Put behind the tables of a SELECT. */
  readonly andFrom: string;
  /** Put behind an UPDATE's assignments, or what a SELECT lists: the rows that the query finds for each caller, by that name. */
  readonly fromEach: (query: string, name: string) => string;
};

export interface Database extends Statements {
  /**
   * Runs one writing statement and answers its RETURNING rows. Durable when it answers: writes that
   * arrive while a commit is under way share the next one. Its failure undoes nobody else's write.
   */
  write<Row>(sql: string, values?: Values): Promise<Row[]>;

  /** Reads rows as they are stored: properties have the names of the columns, and NULL is `null`. */
  storedRows(sql: string, values?: Values): Promise<StoredRow[]>;

  /**
   * Runs `work` in one transaction: all of it or, when it throws, nothing. Durable when it answers.
   * `work` awaits nothing but its own statements, and may be run again after a serialization failure.
   * A statement that fails fails the transaction, whether or not `work` catches it.
   */
  transaction<T>(work: (tx: Statements) => Promise<T>, terms?: TransactionTerms): Promise<T>;

  /** The caller's row of a batch, `undefined` when the statement answered none for it. */
  batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined>;

  /** The same where the statement can answer several for a caller: all of them, in no order. */
  batchAll<Row>(statement: BatchStatement, values: Values): Promise<Row[]>;

  /** Runs a script of several statements, such as a migration, in one transaction with `after`. */
  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void>;

  /**
   * Copies the live database into a new or empty file, as it is at one moment; writers go on
   * meanwhile. PostgreSQL refuses: its own tools do that better.
   */
  backup(file: string): Promise<void>;

  /**
   * Takes what was deleted off the disk: SQLite copies its log into the file and empties it. Calls within a second share
   * this. Resolves to false if others were reading all the time, and on PostgreSQL, which does it when it vacuums.
   */
  clearLog(): Promise<boolean>;

  /** The server of PostgreSQL; undefined on SQLite. */
  readonly server: DatabaseServer | undefined;

  /** Waits for what is under way, then lets go of the database. What is asked for after it fails. */
  close(): Promise<void>;
}

export type DatabaseServer = {
  /** Requests whether the server is a standby or otherwise read-only, and measures its clock. Throws DatabaseAwayError. */
  isReadOnly(): Promise<boolean>;
  /** By how many milliseconds the clock of the server is ahead of this machine's, as measured last. */
  clockOffset(): number;
};

/** What the engines do not share. */
export type Dialect = {
  readonly engine: 'sqlite' | 'postgres';
  /** Put behind a SELECT that picks rows to work on: others' locked rows are passed over. */
  readonly skipLocked: string;
  /** Put behind text that is compared or sorted: by its bytes, whatever locale the server was set up with. */
  readonly byBytes: string;
  /** An expression: how many bytes the whole database has on disk. */
  readonly bytes: string;
  /** Put behind an expression: whether it is one of the list that the named parameter holds. */
  readonly oneOf: (parameter: string, type?: 'TEXT' | 'BIGINT') => string;
};
