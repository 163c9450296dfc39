/**
 * PostgreSQL behind the Database interface. Every statement is a named prepared one (1.8 times the
 * rate of an unnamed one); batches join the waiting callers into one `unnest()` statement.
 */
import { hash } from 'node:crypto';

import pg from 'pg';

import type { BatchStatement, Database, Statements, Values } from './database.ts';

/** More than two batches in flight only lengthen the queue at the server. */
const BATCHES_IN_FLIGHT = 2;
const ROWS_PER_BATCH = 500;
const SERIALIZATION_RETRIES = 10;
/** serialization_failure and deadlock_detected: the transaction did nothing and may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/** Opens a pool of at most `connections` on `url`; connects at the first statement. */
export function openPostgres(url: string, connections: number): Database {
  return new PostgresDatabase(url, connections);
}

class PostgresDatabase implements Database {
  readonly dialect = { engine: 'postgres', skipLocked: 'FOR UPDATE SKIP LOCKED' } as const;
  readonly #pool: pg.Pool;
  readonly #batches = new Map<BatchStatement, Batcher>();

  constructor(url: string, connections: number) {
    this.#pool = new pg.Pool({ connectionString: url, max: connections, types: { getTypeParser } });
    // An idle connection that the server ends is replaced at the next statement.
    this.#pool.on('error', () => {});
  }

  all<Row>(sql: string, values?: Values): Promise<Row[]> {
    return statementsOn(this.#pool).all<Row>(sql, values);
  }

  get<Row>(sql: string, values?: Values): Promise<Row | undefined> {
    return statementsOn(this.#pool).get<Row>(sql, values);
  }

  write<Row>(sql: string, values?: Values): Promise<Row[]> {
    return retryingSerialization(() => statementsOn(this.#pool).all<Row>(sql, values));
  }

  transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    return retryingSerialization(() => this.#once((client) => work(statementsOn(client))));
  }

  batch<Row>(statement: BatchStatement, values: Values): Promise<Row | undefined> {
    let batcher = this.#batches.get(statement);
    if (batcher === undefined) {
      batcher = new Batcher(this.#pool, statement);
      this.#batches.set(statement, batcher);
    }
    // The batch's RETURNING or SELECT list is the caller's Row.
    return batcher.run(values) as Promise<Row | undefined>;
  }

  script(sql: string, after: (tx: Statements) => Promise<void>): Promise<void> {
    return this.#once(async (client) => {
      await client.query(sql);
      await after(statementsOn(client));
    });
  }

  async backup(): Promise<void> {
    throw new Error('A PostgreSQL database is backed up with pg_dump; see docs/operations.md');
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #once<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (reason) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw reason;
    } finally {
      // A connection that could not roll back is destroyed, not returned to the pool.
      client.release(broken);
    }
  }
}

/** Joins the calls that wait into one statement; at most two statements are under way at a time. */
class Batcher {
  readonly #pool: pg.Pool;
  readonly #columns: string[];
  readonly #text: string;
  readonly #name: string;
  readonly #key: string;
  readonly #retry: <T>(work: () => Promise<T>) => Promise<T>;
  #waiting: { values: Values; resolve: (row: unknown) => void; reject: (reason: unknown) => void }[] = [];
  #inFlight = 0;

  constructor(pool: pg.Pool, { columns, sql, key, writes }: BatchStatement) {
    this.#pool = pool;
    this.#columns = Object.keys(columns);
    const arrays = Object.values(columns).map((type, i) => `$${i + 1}::${type}[]`);
    this.#text = sql(`unnest(${arrays.join(', ')}) AS v(${this.#columns.join(', ')})`);
    this.#name = nameOf(this.#text);
    this.#key = key;
    this.#retry = writes ? retryingSerialization : (work) => work();
  }

  run(values: Values): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#send());
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#inFlight < BATCHES_IN_FLIGHT) {
      const calls = this.#waiting.splice(0, ROWS_PER_BATCH);
      this.#inFlight += 1;
      this.#query(calls.map(({ values }) => values))
        .then(
          (rows) => {
            for (const { values, resolve } of calls) resolve(rows.get(values[this.#key]));
          },
          (reason) => {
            for (const { reject } of calls) reject(reason);
          },
        )
        .finally(() => {
          this.#inFlight -= 1;
          this.#send();
        });
    }
  }

  async #query(calls: Values[]): Promise<Map<unknown, unknown>> {
    const values = this.#columns.map((column) => calls.map((call) => call[column]));
    const query = { name: this.#name, text: this.#text, values };
    const { rows } = await this.#retry(() => this.#pool.query<Record<string, unknown>>(query));
    return new Map(rows.map((row) => [row[this.#key], row]));
  }
}

function statementsOn(client: pg.Pool | pg.PoolClient): Statements {
  const all = async <Row>(sql: string, values: Values = {}) => {
    const { name, text, parameters } = positional(sql);
    const query = { name, text, values: parameters.map((parameter) => values[parameter] ?? null) };
    const { rows } = await client.query(query);
    // Rows come back as the SELECT or RETURNING list names them: the caller's Row states that list.
    return rows as Row[];
  };
  return { all, get: async <Row>(sql: string, values?: Values) => (await all<Row>(sql, values))[0] };
}

type Positional = { name: string; text: string; parameters: string[] };
const positionalOf = new Map<string, Positional>();

/** `:name` → `$1`; a cast (`::`) and text in quotes stay as they are. */
function positional(sql: string): Positional {
  const known = positionalOf.get(sql);
  if (known !== undefined) return known;
  const parameters: string[] = [];
  const text = sql.replace(/'[^']*'|::\w+|:(\w+)/g, (found, parameter?: string) => {
    if (parameter === undefined) return found;
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  const translated = { name: nameOf(text), text, parameters };
  positionalOf.set(sql, translated);
  return translated;
}

const nameOf = (text: string): string => hash('sha256', text).slice(0, 32);

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
      const code = reason instanceof pg.DatabaseError ? reason.code : undefined;
      if (code === undefined || !RETRYABLE.has(code) || attempt > SERIALIZATION_RETRIES) throw reason;
    }
  }
}
