/** The connections of the PostgreSQL driver. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseAwayError } from '../../lib/database-away-error.ts';
import { errorCode } from '../../lib/error-code.ts';
import type { TransactionTerms } from './database.ts';
import { PostgresPresence } from './postgres-presence.ts';
import { isRefusal } from './postgres-query.ts';

/** How long a statement waits for a free connection of the pool, or for a new one, before it fails. */
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

const COMMIT_WAIT_MS = 5_000;
/** The interval between two checks of a long statement whose commit has not begun. */
const RECHECK_MS = 1_000;

/** Codes of a server that has received nothing: it is starting, restarting or has no free connection. */
const NOT_YET = new Set(['ECONNREFUSED', '57P03', '53300']);
const CONNECT_TRIES = 20;
/** After the first connection, a caller waits at most a second. */
const RECONNECT_TRIES = 10;
const CONNECT_WAIT_MS = 100;
/** Ends the wait for a connection of a pool that was replaced. */
const RECONNECT = Symbol('reconnect');

export class PostgresConnections {
  readonly presence: PostgresPresence;
  readonly #openPool: () => pg.Pool;
  #pool: pg.Pool;
  readonly #inUse = new Set<pg.PoolClient>();
  readonly #waiting = new Set<(reason: unknown) => void>();
  #wasThere = false;

  /** Connects at the first statement. `now` is that of PostgresOptions. */
  constructor(url: string, connections: number, now: (() => number) | undefined) {
    this.#openPool = () => openPool(url, connections);
    this.#pool = this.#openPool();
    this.presence = new PostgresPresence(url, {
      underWay: () => this.#inUse.size + this.#waiting.size,
      giveUp: () => {
        this.#openAnew(new DatabaseAwayError('PostgreSQL does not respond'));
        this.#closeInUse();
      },
      reconnect: () => this.#openAnew(RECONNECT),
      now,
    });
  }

  /** Closes the pool, and the connections of commits that still wait. */
  end(): Promise<void> {
    this.presence.stop();
    this.#closeInUse();
    return this.#pool.end();
  }

  /** Each closes at once, without a response to its statement, which is not cancelled. */
  #closeInUse(): void {
    for (const client of this.#inUse) client.end().catch(() => {});
  }

  release(client: pg.PoolClient, broken: boolean): void {
    this.#inUse.delete(client);
    client.release(broken);
  }

  async acquire(): Promise<pg.PoolClient> {
    const admission = this.presence.admission();
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
          if (this.#wasThere) this.presence.missed();
          throw isRefusal(reason) ? reason : new DatabaseAwayError(reason);
        }
      }
      await sleep(CONNECT_WAIT_MS);
    }
  }

  /** Replaces the pool. Waiting callers get `reason`; connections in use close after their statements. */
  #openAnew(reason: unknown): void {
    const before = this.#pool;
    this.#pool = this.#openPool();
    for (const end of this.#waiting) end(reason);
    before.end().catch(() => {});
  }

  #freeConnection(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      const end = (reason: unknown) => {
        this.#waiting.delete(end);
        reject(reason);
      };
      this.#waiting.add(end);
      this.#pool.connect((reason, client) => {
        // If the wait has ended already, the connection is of a replaced pool. After a timeout there is none.
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

function openPool(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'kalends',
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  });
  // The next statement replaces a connection that the server ended. The pool's listener gets only the errors of idle
  // connections. Without its own listener, a connection in use would end the process; its statement fails anyway.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Parses a bigint as a number: instants in milliseconds and 48-bit keys are exact in one. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  // The cast picks the overload: pg's typings list one for each format.
  return pg.types.getTypeParser(oid, format as 'text');
}

/** Starts the wait of a commit. `hasBegun` tells whether the commit of a single statement may have begun. */
export type Committing = (hasBegun?: () => Promise<boolean>) => void;

/**
 * Commits that wait, mostly for a synchronous standby. Nothing is cancelled: if a wait for replication is cancelled,
 * PostgreSQL commits on the primary alone and reports success.
 */
export class CommitWaits {
  /** The number of commits that PostgreSQL has not confirmed although their callers got an error. */
  count = 0;
  readonly #most: number;
  readonly #noted: () => void;

  /** Refuses further writes while `most` commits wait, so that reads have connections. Calls `noted` for each wait. */
  constructor(most: number, noted: () => void = () => {}) {
    this.#most = most;
    this.#noted = noted;
  }

  /**
   * Returns the result of `write`. Throws DatabaseAwayError, because the outcome is unknown, 5 seconds after it called
   * `committing`. `write` then continues, and keeps its connection until PostgreSQL responds.
   */
  watch<T>(write: (committing: Committing) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.count >= this.#most) throw new DatabaseAwayError('Too many commits wait for PostgreSQL');
      let timer: NodeJS.Timeout | undefined;
      let state: 'running' | 'waiting' | 'ended' = 'running';
      const giveUp = () => {
        if (state !== 'running') return;
        state = 'waiting';
        this.count += 1;
        this.#noted();
        reject(new DatabaseAwayError('PostgreSQL has not confirmed the commit within 5 seconds'));
      };
      const check = async (hasBegun: () => Promise<boolean>) => {
        if (await hasBegun()) giveUp();
        else if (state === 'running') timer = setTimeout(() => void check(hasBegun), RECHECK_MS);
      };
      const committing: Committing = (hasBegun) => {
        timer = setTimeout(() => (hasBegun === undefined ? giveUp() : void check(hasBegun)), COMMIT_WAIT_MS);
      };
      const end = () => {
        clearTimeout(timer);
        if (state === 'waiting') this.count -= 1;
        state = 'ended';
      };
      write(committing).finally(end).then(resolve, reject);
    });
  }
}

/** Settings for a reused plan, which must be right for an empty table and for a large one. */
const PLAN_ONCE = [
  'plan_cache_mode TO force_generic_plan',
  'enable_seqscan TO off',
  'enable_hashjoin TO off',
  'enable_mergejoin TO off',
];

export function beginText({ flush, plan, isolation }: Partial<TransactionTerms> = {}): string {
  const begin = isolation === undefined ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}`;
  const settings = [
    ...(flush === 'later' ? ['synchronous_commit TO off'] : []),
    ...(plan === 'once' ? PLAN_ONCE : []),
  ];
  return [begin, ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ');
}

const SERIALIZATION_RETRIES = 10;
/** serialization_failure and deadlock_detected: the transaction did nothing and may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/** Runs `work` again while it fails because of concurrent transactions. */
export async function retryingSerialization<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (reason) {
      if (!RETRYABLE.has(errorCode(reason) ?? '') || attempt > SERIALIZATION_RETRIES) throw reason;
    }
    // Waits for a random time, so that the same transactions do not collide again.
    await sleep(Math.random() * 2 ** Math.min(attempt, 6));
  }
}
