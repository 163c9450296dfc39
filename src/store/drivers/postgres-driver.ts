/**
 * PostgreSQL behind the Database interface. Every statement is a named prepared one (1.8 times the
 * rate of an unnamed one); batches join the waiting callers into one statement (postgres-batch.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';

import type { BatchStatement, Database, Statements, TransactionTerms, Values } from './database.ts';
import { PostgresBatch } from './postgres-batch.ts';
import { isRefusal, nameOf, type Query } from './postgres-query.ts';
import { numbered, STATEMENTS_KEPT, type StatementText, valueFor } from './statement-text.ts';
import { textToFind, textToWrite } from './text-values.ts';
import { TransactionStatements } from './transaction-statements.ts';

const SERIALIZATION_RETRIES = 10;
/** serialization_failure and deadlock_detected: the transaction did nothing and may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);
/** Nothing was sent: the server is starting, restarting or has no connection free at this moment. */
const NOT_YET = new Set(['ECONNREFUSED', '57P03', '53300']);
const CONNECT_TRIES = 20;
const CONNECT_WAIT_MS = 100;
/** How long a statement waits for a free connection of the pool, or for a new one, before it fails. */
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

/** One round trip. */
const BEGIN_UNFLUSHED = 'BEGIN; SET LOCAL synchronous_commit TO off';

type TextRule = (text: string) => string;

/** Opens a pool of at most `connections` on `url`; connects at the first statement. */
export function openPostgres(url: string, connections: number): Database {
  return new PostgresDatabase(url, connections);
}

class PostgresDatabase implements Database {
  readonly dialect = {
    engine: 'postgres',
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    byBytes: 'COLLATE "C"',
    bytes: 'pg_database_size(current_database())',
    oneOf: (parameter: string, type = 'TEXT') => `= ANY (:${parameter}::${type}[])`,
  } as const;
  readonly #pool: pg.Pool;
  readonly #texts = new StatementTexts();
  readonly #batches = new Map<BatchStatement, PostgresBatch>();
  #underWay = 0;
  #drained: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(url: string, connections: number) {
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'kalends',
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      types: { getTypeParser },
    });
    // A connection that the server ends is replaced at the next statement. Both are needed: the pool
    // hears of its idle connections only, and one in use would take the process down with it; the
    // statement it was running fails by itself.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
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
    const begin = terms?.flush === 'later' ? BEGIN_UNFLUSHED : 'BEGIN';
    return this.#whileOpen(() => retryingSerialization(() => this.#once((_, tx) => work(tx), begin)));
  }

  batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined> {
    let batch = this.#batches.get(statement);
    if (batch === undefined) {
      batch = new PostgresBatch(statement, (query) => retryingSerialization(() => this.#query(query)));
      this.#batches.set(statement, batch);
    }
    const calls = batch;
    // The batch's RETURNING or SELECT list is the caller's Row.
    return this.#whileOpen(() => calls.run(values) as Promise<Row | undefined>);
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
    await this.#pool.end();
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
      return (await client.query(query)).rows as Row[];
    } catch (reason) {
      // The pool would throw away the connection of every refused statement.
      broken = !isRefusal(reason);
      throw reason;
    } finally {
      client.release(broken);
    }
  }

  async #once<T>(work: (client: pg.PoolClient, tx: Statements) => Promise<T>, begin = 'BEGIN'): Promise<T> {
    const client = await this.#connect();
    const tx = new TransactionStatements(
      this.dialect,
      async (sql, values) => (await client.query(this.#texts.query(sql, values, textToWrite))).rows,
    );
    let broken = false;
    try {
      await client.query(begin);
      const result = await work(client, tx);
      tx.finish();
      await client.query('COMMIT');
      return result;
    } catch (reason) {
      await client.query('ROLLBACK').catch(() => {
        // A connection that could not roll back is destroyed, not returned to the pool.
        broken = true;
      });
      throw reason;
    } finally {
      tx.end();
      client.release(broken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#pool.connect();
      } catch (reason) {
        if (!NOT_YET.has(codeOf(reason) ?? '') || attempt === CONNECT_TRIES) throw reason;
      }
      await sleep(CONNECT_WAIT_MS);
    }
  }
}

/** The statements of the program, translated and named once. */
class StatementTexts {
  readonly #known = new Map<string, StatementText & { name: string }>();

  query(sql: string, values: Values, rule: TextRule): Query {
    const prepared = this.#known.get(sql);
    if (prepared !== undefined) return { ...prepared, values: bound(prepared.parameters, values, rule) };
    const { text, parameters } = numbered(sql, '$');
    const query = { text, values: bound(parameters, values, rule) };
    // The server keeps every named statement for as long as the connection lives: only so many.
    if (this.#known.size >= STATEMENTS_KEPT) return query;
    const name = nameOf(text);
    this.#known.set(sql, { text, parameters, name });
    return { ...query, name };
  }
}

function bound(parameters: readonly string[], values: Values, rule: TextRule): unknown[] {
  return parameters.map((parameter) => {
    const value = valueFor(values, parameter);
    if (typeof value === 'string') return rule(value);
    if (value === null || typeof value === 'number') return value;
    return value.map((item) => (typeof item === 'string' ? rule(item) : item));
  });
}

function codeOf(reason: unknown): string | undefined {
  const code = reason instanceof Error && 'code' in reason ? reason.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** bigint arrives as a number: instants in milliseconds and 48-bit keys are exact in one. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  // The cast picks the overload: pg's typings list one for each format.
  return pg.types.getTypeParser(oid, format as 'text');
}

async function retryingSerialization<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (reason) {
      if (!RETRYABLE.has(codeOf(reason) ?? '') || attempt > SERIALIZATION_RETRIES) throw reason;
    }
    // At different moments, so that the same ones do not meet again.
    await sleep(Math.random() * 2 ** Math.min(attempt, 6));
  }
}
