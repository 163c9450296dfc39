/**
 * PostgreSQL behind the Database interface. Every statement is a named prepared one (1.8 times the
 * rate of an unnamed one); batches join the waiting callers into one statement (postgres-batch.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type pg from 'pg';

import { DatabaseAwayError } from '../../lib/database-away-error.ts';
import { errorCode } from '../../lib/error-code.ts';
import type { BatchStatement, Database, Statements, TransactionTerms, Values } from './database.ts';
import { PostgresBatch } from './postgres-batch.ts';
import { beginText } from './postgres-begin.ts';
import { openPool } from './postgres-pool.ts';
import { PostgresPresence, SERVER_STATE, type ServerState } from './postgres-presence.ts';
import { isRefusal, type Query, unnamed } from './postgres-query.ts';
import { retryingSerialization } from './postgres-retries.ts';
import { PostgresTexts } from './postgres-texts.ts';
import { textToFind, textToWrite } from './text-values.ts';
import { TransactionStatements } from './transaction-statements.ts';

/** Nothing was sent: the server is starting, restarting or has no connection free at this moment. */
const NOT_YET = new Set(['ECONNREFUSED', '57P03', '53300']);
const CONNECT_TRIES = 20;
/** Once it was there, whoever asks is not kept waiting for longer than a second. */
const RECONNECT_TRIES = 10;
const CONNECT_WAIT_MS = 100;
/** Ends the wait for a connection of a pool that was replaced. */
const RECONNECT = Symbol('reconnect');

export type PostgresOptions = {
  /** Whether statements are prepared by name: not behind a pooler whose sessions end with each transaction. */
  readonly prepares?: boolean;
  /** This machine's clock in epoch milliseconds, for `clockOffset`, which is 0 without it. */
  readonly now?: () => number;
};

/** Opens a pool of at most `connections` on `url`; connects at the first statement. */
export function openPostgres(url: string, connections: number, options: PostgresOptions = {}): Database {
  return new PostgresDatabase(url, connections, options);
}

class PostgresDatabase implements Database {
  readonly dialect = {
    engine: 'postgres',
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    byBytes: 'COLLATE "C"',
    bytes: 'pg_database_size(current_database())',
    oneOf: (parameter: string, type = 'TEXT') => `= ANY (:${parameter}::${type}[])`,
  } as const;
  readonly server = {
    isReadOnly: () => this.#presence.isReadOnly(() => this.get<ServerState>(SERVER_STATE)),
    clockOffset: () => this.#presence.clockOffset,
  };
  readonly #openPool: () => pg.Pool;
  readonly #prepares: boolean;
  #pool: pg.Pool;
  readonly #presence: PostgresPresence;
  readonly #texts = new PostgresTexts();
  readonly #inUse = new Set<pg.PoolClient>();
  /** Those that wait for a connection, by what ends their wait. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  #wasThere = false;
  readonly #batches = new Map<BatchStatement, PostgresBatch>();
  #underWay = 0;
  #drained: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(url: string, connections: number, { prepares = true, now }: PostgresOptions) {
    this.#prepares = prepares;
    this.#openPool = () => openPool(url, connections);
    this.#pool = this.#openPool();
    this.#presence = new PostgresPresence(url, {
      underWay: () => this.#inUse.size + this.#waiting.size,
      giveUp: () => {
        this.#openAnew(new DatabaseAwayError('PostgreSQL does not answer'));
        // Without its statement being answered, each of these closes at once.
        for (const client of this.#inUse) client.end().catch(() => {});
      },
      reconnect: () => this.#openAnew(RECONNECT),
      now,
    });
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
      return retryingSerialization(() => this.#query<Row>(query));
    });
  }

  transaction<T>(work: (tx: Statements) => Promise<T>, terms?: TransactionTerms): Promise<T> {
    const begin = beginText(terms);
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
    throw new Error('A PostgreSQL database is backed up with pg_dump; see docs/operations.md');
  }

  async clearLog(): Promise<boolean> {
    return false;
  }

  close(): Promise<void> {
    this.#closed ??= this.#drain();
    return this.#closed;
  }

  async #drain(): Promise<void> {
    // The pool forgets statements that wait for a connection when it ends, so none may.
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
      if (this.#underWay === 0) resolve();
    });
    this.#presence.stop();
    await this.#pool.end();
  }

  /** Ends the pool, and each wait for a connection of it with `reason`. Connections in use close after their statements. */
  #openAnew(reason: unknown): void {
    const before = this.#pool;
    this.#pool = this.#openPool();
    for (const end of this.#waiting) end(reason);
    before.end().catch(() => {});
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
    const client = await this.#connect();
    let broken = false;
    try {
      // Rows come back as the SELECT or RETURNING list names them: the caller's Row states that list.
      return (await this.#ask(client, query)).rows as Row[];
    } catch (reason) {
      // The pool would throw away the connection of every refused statement.
      broken = !isRefusal(reason);
      throw reason;
    } finally {
      this.#release(client, broken);
    }
  }

  /** All in one transaction; one alone needs none around it. Answers the rows of one. */
  async #queryTogether<Row>(
    queries: readonly Query[],
    answering: number,
    { flush = 'now', plan = 'each' }: Pick<BatchStatement, 'flush' | 'plan'>,
  ): Promise<Row[]> {
    const [alone, ...others] = queries;
    const isAlone = others.length === 0 && flush === 'now' && plan === 'each';
    if (alone !== undefined && isAlone) return this.#query(alone);
    return this.#inTransaction(beginText({ flush, plan }), async (client) => {
      const answers: pg.QueryResult[] = [];
      for (const query of queries) answers.push(await this.#ask(client, query));
      return (answers[answering]?.rows ?? []) as Row[];
    });
  }

  #once<T>(work: (client: pg.PoolClient, tx: Statements) => Promise<T>, begin = beginText()): Promise<T> {
    return this.#inTransaction(begin, async (client) => {
      const tx = new TransactionStatements(
        this.dialect,
        async (sql, values) => (await this.#ask(client, this.#texts.query(sql, values, textToWrite))).rows,
      );
      try {
        const result = await work(client, tx);
        tx.finish();
        return result;
      } finally {
        tx.end();
      }
    });
  }

  async #inTransaction<T>(begin: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    try {
      await this.#ask(client, begin);
      const result = await work(client);
      await this.#ask(client, 'COMMIT');
      return result;
    } catch (reason) {
      await client.query('ROLLBACK').catch(() => {
        // A connection that could not roll back is destroyed, not returned to the pool.
        broken = true;
      });
      throw reason;
    } finally {
      this.#release(client, broken);
    }
  }

  /** Throws DatabaseAwayError if the failure is not of this statement alone. */
  async #ask(client: pg.PoolClient, query: Query | string): Promise<pg.QueryResult> {
    try {
      return await client.query(this.#prepares || typeof query === 'string' ? query : unnamed(query));
    } catch (reason) {
      if (isRefusal(reason)) throw reason;
      throw this.#presence.failed(reason);
    } finally {
      this.#presence.answered();
    }
  }

  #release(client: pg.PoolClient, broken: boolean): void {
    this.#inUse.delete(client);
    client.release(broken);
  }

  async #connect(): Promise<pg.PoolClient> {
    const admission = this.#presence.admission();
    if (admission !== undefined) await admission;
    const tries = this.#wasThere ? RECONNECT_TRIES : CONNECT_TRIES;
    for (let attempt = 1; ; attempt++) {
      try {
        const client = await this.#freeConnection();
        this.#wasThere = true;
        return client;
      } catch (reason) {
        if (reason === RECONNECT) continue;
        if (reason instanceof DatabaseAwayError) throw reason;
        if (!NOT_YET.has(errorCode(reason) ?? '') || attempt >= tries) {
          if (this.#wasThere) this.#presence.missed();
          throw isRefusal(reason) ? reason : new DatabaseAwayError(reason);
        }
      }
      await sleep(CONNECT_WAIT_MS);
    }
  }

  #freeConnection(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      const end = (reason: unknown) => {
        this.#waiting.delete(end);
        reject(reason);
      };
      this.#waiting.add(end);
      this.#pool.connect((reason, client) => {
        // If the wait was ended before, the connection is of a replaced pool. After a timeout there is none.
        if (!this.#waiting.delete(end)) client?.release(true);
        else if (client === undefined) reject(reason);
        else {
          this.#inUse.add(client);
          resolve(client);
        }
      });
    });
  }
}
