/** PostgreSQL behind the Database interface. Statements are prepared by name, at 1.8 times the rate of unnamed ones. */
import type pg from 'pg';
import type {
  BatchStatement,
  Database,
  Statements,
  StoredRow,
  TransactionTerms,
  Values,
} from './database.ts';
import { PostgresBatch } from './postgres-batch.ts';
import {
  beginText,
  type Committing,
  CommitWaits,
  PostgresConnections,
  retryingSerialization,
} from './postgres-pool.ts';
import { SERVER_STATE, type ServerState } from './postgres-presence.ts';
import { isRefusal, PostgresTexts, type Query, unnamed } from './postgres-query.ts';
import { textToFind, textToWrite } from './statement-text.ts';
import { TransactionStatements } from './transaction-statements.ts';

export type PostgresOptions = {
  /** Whether statements are prepared by name: not behind a pooler whose sessions end with each transaction. */
  readonly prepares?: boolean;
  /** This machine's clock in epoch milliseconds, for `clockOffset`, which is 0 without it. */
  readonly now?: () => number;
  /** Called for every commit that PostgreSQL has not confirmed within 5 seconds. */
  readonly commitWaits?: (() => void) | undefined;
};

/** Opens a pool of at most `connections` on `url`; connects at the first statement. */
export const openPostgres = (url: string, connections: number, options: PostgresOptions = {}): Database =>
  new PostgresDatabase(url, connections, options);

class PostgresDatabase implements Database {
  readonly dialect = {
    engine: 'postgres',
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    byBytes: 'COLLATE "C"',
    bytes: 'pg_database_size(current_database())',
    oneOf: (parameter: string, type = 'TEXT') => `= ANY (:${parameter}::${type}[])`,
  } as const;
  readonly server = {
    isReadOnly: () => this.#connections.presence.isReadOnly(() => this.get<ServerState>(SERVER_STATE)),
    clockOffset: () => this.#connections.presence.clockOffset,
    isOtherEngine: () => this.#connections.presence.isOtherEngine,
    commitsWaiting: () => this.#commits.count,
  };
  readonly #prepares: boolean;
  readonly #connections: PostgresConnections;
  readonly #commits: CommitWaits;
  readonly #texts = new PostgresTexts();
  readonly #batches = new Map<BatchStatement, PostgresBatch>();
  #underWay = 0;
  #drained: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(url: string, connections: number, { prepares = true, now, commitWaits }: PostgresOptions) {
    this.#prepares = prepares;
    this.#commits = new CommitWaits(Math.ceil(connections / 2), commitWaits);
    this.#connections = new PostgresConnections(url, connections, now);
  }

  all<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#whileOpen(() => this.#query<Row>(this.#texts.query(sql, values, textToFind)));
  }

  async get<Row>(sql: string, values?: Values): Promise<Row | undefined> {
    return (await this.all<Row>(sql, values))[0];
  }

  write<Row>(sql: string, values: Values = {}): Promise<Row[]> {
    return this.#whileOpen(() => {
      const query = this.#texts.query(sql, values, textToWrite);
      return retryingSerialization(() => this.#written<Row>(query));
    });
  }

  change(sql: string, values: Values = {}): Promise<number> {
    return this.#whileOpen(() => {
      const query = this.#texts.query(sql, values, textToWrite);
      return retryingSerialization(async () => (await this.#committed(query)).rowCount ?? 0);
    });
  }

  storedRows(sql: string, values: Values = {}): Promise<StoredRow[]> {
    return this.#whileOpen(async () => {
      const { fields, rows } = await this.#alone(this.#texts.query(sql, values, textToFind));
      return rows.map((row) => Object.fromEntries(fields.map(({ name }, place) => [name, row[place]])));
    });
  }

  transaction<T>(work: (tx: Statements) => Promise<T>, terms?: TransactionTerms): Promise<T> {
    const begin = this.#begin(terms);
    return this.#whileOpen(() => retryingSerialization(() => this.#once((_, tx) => work(tx), begin)));
  }

  async batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined> {
    return (await this.batchAll<Row>(statement, values))[0];
  }

  batchAll<Row>(statement: BatchStatement, values: Values): Promise<Row[]> {
    let batch = this.#batches.get(statement);
    if (batch === undefined) {
      batch = new PostgresBatch(statement, (queries, answering) =>
        retryingSerialization(() => this.#queryTogether(queries, answering, statement)),
      );
      this.#batches.set(statement, batch);
    }
    const calls = batch;
    // The batch's RETURNING or SELECT list is the caller's Row.
    return this.#whileOpen(() => calls.run(values) as Promise<Row[]>);
  }

  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void> {
    return this.#whileOpen(() =>
      this.#once(async (client, tx) => {
        await client.query(sql);
        await after(tx);
      }),
    );
  }

  async backup(): Promise<void> {
    throw new Error('Back up a PostgreSQL database with pg_dump; see docs/operations.md');
  }

  async clearLog(): Promise<boolean> {
    return false;
  }

  close(): Promise<void> {
    this.#closed ??= this.#drain();
    return this.#closed;
  }

  async #drain(): Promise<void> {
    // The pool drops statements that wait for a connection when it ends, so none may wait.
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
      if (this.#underWay === 0) resolve();
    });
    await this.#connections.end();
  }

  async #whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new Error('The database is closed');
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#drained?.();
    }
  }

  async #query<Row>(query: Query): Promise<Row[]> {
    return this.#texts.rowsOf<Row>(query, await this.#alone(query));
  }

  async #written<Row>(query: Query): Promise<Row[]> {
    return this.#texts.rowsOf<Row>(query, await this.#committed(query));
  }

  #committed(query: Query): Promise<pg.QueryArrayResult> {
    return this.#commits.watch((committing) => this.#alone(query, committing));
  }

  async #alone(query: Query, committing?: Committing): Promise<pg.QueryArrayResult> {
    const client = await this.#connections.acquire();
    let broken = false;
    try {
      committing?.(() => this.#connections.presence.hasCommitsWaiting());
      return await this.#ask(client, query);
    } catch (reason) {
      // The pool would discard the connection of every refused statement.
      broken = !isRefusal(reason);
      throw reason;
    } finally {
      this.#connections.release(client, broken);
    }
  }

  /** Runs all in one transaction; a single query needs none. Returns the rows of the query at index `answering`. */
  async #queryTogether<Row>(
    queries: readonly Query[],
    answering: number,
    { flush = 'now', plan = 'each', writes }: Pick<BatchStatement, 'flush' | 'plan' | 'writes'>,
  ): Promise<Row[]> {
    const [alone, ...others] = queries;
    const isAlone = others.length === 0 && flush === 'now' && plan === 'each';
    if (alone !== undefined && isAlone) return writes ? this.#written(alone) : this.#query(alone);
    return this.#inTransaction(this.#begin({ flush, plan }), async (client) => {
      let rows: Row[] = [];
      for (const [place, query] of queries.entries()) {
        const answer = await this.#ask(client, query);
        if (place === answering) rows = this.#texts.rowsOf(query, answer);
      }
      return rows;
    });
  }

  /** Other engines do not have all settings of PostgreSQL's planner. */
  #begin(terms?: TransactionTerms): string {
    return beginText(this.server.isOtherEngine() ? { ...terms, plan: 'each' } : terms);
  }

  #once<T>(work: (client: pg.PoolClient, tx: Statements) => Promise<T>, begin = beginText()): Promise<T> {
    return this.#inTransaction(begin, async (client) => {
      const buildQuery = (sql: string, values: Values) => this.#texts.query(sql, values, textToWrite);
      const tx = new TransactionStatements(this.dialect, {
        all: async (sql, values) => {
          const query = buildQuery(sql, values);
          return this.#texts.rowsOf(query, await this.#ask(client, query));
        },
        change: async (sql, values) => (await this.#ask(client, buildQuery(sql, values))).rowCount ?? 0,
      });
      try {
        const result = await work(client, tx);
        tx.finish();
        return result;
      } finally {
        tx.end();
      }
    });
  }

  #inTransaction<T>(begin: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#commits.watch(async (committing) => {
      const client = await this.#connections.acquire();
      let broken = false;
      try {
        await this.#ask(client, begin);
        const result = await work(client);
        committing();
        await this.#ask(client, 'COMMIT');
        return result;
      } catch (reason) {
        await client.query('ROLLBACK').catch(() => {
          // A connection that could not roll back is destroyed, not returned to the pool.
          broken = true;
        });
        throw reason;
      } finally {
        this.#connections.release(client, broken);
      }
    });
  }

  /** Throws DatabaseAwayError if the failure is not of this statement alone. */
  async #ask(client: pg.PoolClient, query: Query | string): Promise<pg.QueryArrayResult> {
    try {
      if (typeof query === 'string') return await client.query(query);
      return await client.query(this.#prepares ? query : unnamed(query));
    } catch (reason) {
      if (isRefusal(reason)) throw reason;
      throw this.#connections.presence.failed(reason);
    } finally {
      this.#connections.presence.answered();
    }
  }
}
