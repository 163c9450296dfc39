/**
 * Watches the PostgreSQL server, whose clock all instances share. If it is paused, or a network drops its packets,
 * statements would wait for minutes. A standby and a server with default_transaction_read_only refuse writes.
 */
import pg from 'pg';
import { DatabaseAwayError } from '../../lib/database-away-error.ts';

/** The server is checked if no statement completed between three looks. */
const LOOK_MS = 250;
const QUIET_LOOKS = 2;
/** The timeout of that check; together with the looks before it, less than two seconds. */
const ANSWER_MS = 1_000;
/** The same while the server is away: statements wait for this check. */
const RETURN_MS = 500;
/** After a failure, further statements (such as for the page's branding) fail for this long without another check. */
const REFUSED_FOR_MS = 200;
/** Intervals for asking a read-only server whether it takes writes again, and any other server for its clock. */
const READ_ONLY_LOOK_MS = 1_000;
const CLOCK_LOOK_MS = 60_000;
/** A smaller change of the clocks' difference is not adopted. */
const LEAST_CHANGE_MS = 250;

export const SERVER_STATE = `
  SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is_read_only,
         CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS at,
         version() NOT LIKE 'PostgreSQL %' OR version() LIKE '%-YB-%' AS is_other_engine`;

/** Reads whether commits of this database wait for a synchronous standby. */
const WAITS_FOR_STANDBY = `
  SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()) AS waits`;

/** `at`: the server's clock in epoch milliseconds. */
export type ServerState = {
  readonly isReadOnly: boolean;
  readonly at: number | string;
  readonly isOtherEngine: boolean;
};

export type Statements = {
  /** The number of statements that wait for a result. */
  readonly underWay: () => number;
  readonly giveUp: () => void;
  readonly reconnect: () => void;
  /** This machine's clock in epoch milliseconds; undefined: the server's clock is not followed. */
  readonly now: (() => number) | undefined;
};

export class PostgresPresence {
  readonly #url: string;
  readonly #statements: Statements;
  readonly #looks: NodeJS.Timeout;
  #isAway = false;
  #isReadOnly = false;
  /** See DatabaseServer.clockOffset. */
  clockOffset = 0;
  /** See DatabaseServer. */
  isOtherEngine = false;
  #lookedAt = performance.now();
  #refusedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | undefined;
  #answers = 0;
  #answersSeen = 0;
  #quietLooks = 0;

  constructor(url: string, statements: Statements) {
    this.#url = url;
    this.#statements = statements;
    this.#looks = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Call this for every response of the server. */
  answered(): void {
    this.#answers += 1;
  }

  /** Call this if the server could not be connected to. */
  missed(): void {
    this.#isAway = true;
    this.#refusedAt = performance.now();
  }

  /** Checks whether an absent server is back; otherwise rejects with DatabaseAwayError. `undefined`: not away. */
  admission(): Promise<void> | undefined {
    return this.#isAway ? this.#admit() : undefined;
  }

  /** Returns the error of a failed statement. If the server takes no writes, asks it on a new connection. */
  failed(reason: unknown): DatabaseAwayError {
    const error = new DatabaseAwayError(reason);
    if (error.problem === 'read_only' && !this.#isReadOnly) {
      this.#isReadOnly = true;
      void this.#isThere(ANSWER_MS);
    }
    return error;
  }

  /**
   * Returns whether the server is read-only; throws errors of `read`. Once it is read-only, only the timer asks again:
   * callers of /ready must not replace the pool with each request.
   */
  async isReadOnly(read: () => Promise<ServerState | undefined>): Promise<boolean> {
    if (!this.#isReadOnly) this.#learn(await timed(read));
    return this.#isReadOnly;
  }

  /** Returns whether a commit waits for a synchronous standby; false if the server does not respond. */
  hasCommitsWaiting(): Promise<boolean> {
    return onNewConnection(this.#url, ANSWER_MS, async (client) => {
      return (await client.query(WAITS_FOR_STANDBY)).rows[0]?.waits === true;
    }).catch(() => false);
  }

  stop(): void {
    clearInterval(this.#looks);
  }

  async #admit(): Promise<void> {
    const isKnown = performance.now() - this.#refusedAt < REFUSED_FOR_MS;
    if (isKnown || !(await this.#isThere(RETURN_MS)))
      throw new DatabaseAwayError('PostgreSQL does not respond');
  }

  #look(): void {
    if (performance.now() - this.#lookedAt >= (this.#isReadOnly ? READ_ONLY_LOOK_MS : CLOCK_LOOK_MS)) {
      this.#lookedAt = performance.now();
      // If the server does not respond, statements notice that themselves.
      void readState(this.#url, ANSWER_MS).then((look) => this.#learn(look));
    }
    const isQuiet = this.#statements.underWay() > 0 && this.#answers === this.#answersSeen;
    this.#answersSeen = this.#answers;
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    if (this.#quietLooks < QUIET_LOOKS || this.#isAway) return;
    this.#quietLooks = 0;
    void this.#isThere(ANSWER_MS).then((isThere) => {
      if (!isThere) this.#statements.giveUp();
    });
  }

  #isThere(within: number): Promise<boolean> {
    this.#asking ??= readState(this.#url, within).then((look) => {
      this.#asking = undefined;
      this.#isAway = look === 'away';
      if (this.#isAway) this.#refusedAt = performance.now();
      this.#learn(look);
      return !this.#isAway;
    });
    return this.#asking;
  }

  #learn(look: Look): void {
    if (typeof look === 'string') return;
    const { state, roundTripMs } = look;
    this.#measureClock(Number(state.at), roundTripMs);
    this.isOtherEngine = state.isOtherEngine;
    const wasReadOnly = this.#isReadOnly;
    this.#isReadOnly = state.isReadOnly;
    if (wasReadOnly || state.isReadOnly) this.#statements.reconnect();
  }

  #measureClock(at: number, roundTripMs: number): void {
    const { now } = this.#statements;
    if (now === undefined) return;
    // The server read its clock at some time of the round trip: assuming the middle is wrong by half of it at most.
    const offset = Math.round(at + roundTripMs / 2 - now());
    if (Math.abs(offset - this.clockOffset) > Math.max(LEAST_CHANGE_MS, roundTripMs / 2))
      this.clockOffset = offset;
  }
}

/** `unknown`: there is a server, but its state could not be read. */
type Look = { readonly state: ServerState; readonly roundTripMs: number } | 'unknown' | 'away';

async function timed(read: () => Promise<ServerState | undefined>): Promise<Look> {
  const sent = performance.now();
  const state = await read();
  return state === undefined ? 'unknown' : { state, roundTripMs: performance.now() - sent };
}

/** Reads the state on a separate connection, since all others may be busy. Never rejects. */
async function readState(url: string, within: number): Promise<Look> {
  const started = performance.now();
  try {
    return await onNewConnection(url, within, (client) =>
      timed(async () => {
        const [row] = (await client.query(SERVER_STATE)).rows;
        return row && { isReadOnly: row.is_read_only, at: row.at, isOtherEngine: row.is_other_engine };
      }),
    );
  } catch (reason) {
    // A server without a free connection is present. A process that was delayed itself cannot tell.
    const isThere = reason instanceof pg.DatabaseError && !reason.code?.startsWith('57P');
    return isThere || performance.now() - started > 2 * within ? 'unknown' : 'away';
  }
}

async function onNewConnection<T>(
  url: string,
  within: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kalends',
    connectionTimeoutMillis: within,
    query_timeout: within,
  });
  client.on('error', () => {}); // its error fails the statement too
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => {});
  }
}
