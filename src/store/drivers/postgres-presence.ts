/**
 * Whether PostgreSQL answers at all. A server that is paused, or behind a network that drops packets, refuses nothing:
 * its statements would wait for the kernel to give up, which takes minutes.
 */
import pg from 'pg';

import { DatabaseAwayError } from '../../lib/database-away-error.ts';
import { isRefusal } from './postgres-query.ts';

/** It is asked whether it is there when no statement was answered between three looks. */
const LOOK_MS = 250;
const QUIET_LOOKS = 2;
/** How long it has to answer that; together with the looks before less than two seconds. */
const ANSWER_MS = 1_000;
/** The same once it is known to be away: whoever asks then waits for this. */
const RETURN_MS = 500;
/** What follows one refusal, such as the look of its page, is refused without asking again. */
const REFUSED_FOR_MS = 200;

export type Statements = {
  /** How many wait for an answer. */
  readonly underWay: () => number;
  /** Ends all of them with DatabaseAwayError. */
  readonly giveUp: () => void;
};

export class PostgresPresence {
  readonly #url: string;
  readonly #statements: Statements;
  readonly #looks: NodeJS.Timeout;
  #isAway = false;
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

  /** To be called with every answer of the server. */
  answered(): void {
    this.#answers += 1;
  }

  /** To be called when it could not be connected to. */
  missed(): void {
    this.#isAway = true;
    this.#refusedAt = performance.now();
  }

  /** While it is away, asks whether it is back; undefined when there is nothing to wait for. Fails with DatabaseAwayError. */
  admission(): Promise<void> | undefined {
    return this.#isAway ? this.#admit() : undefined;
  }

  stop(): void {
    clearInterval(this.#looks);
  }

  async #admit(): Promise<void> {
    const isKnown = performance.now() - this.#refusedAt < REFUSED_FOR_MS;
    if (isKnown || !(await this.#isThere(RETURN_MS)))
      throw new DatabaseAwayError('PostgreSQL does not answer');
  }

  #look(): void {
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
    this.#asking ??= answers(this.#url, within).then((isThere) => {
      this.#asking = undefined;
      this.#isAway = !isThere;
      if (!isThere) this.#refusedAt = performance.now();
      return isThere;
    });
    return this.#asking;
  }
}

/** On a connection of its own: all others may be busy. Never rejects. */
async function answers(url: string, within: number): Promise<boolean> {
  const started = performance.now();
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kalends',
    connectionTimeoutMillis: within,
    query_timeout: within,
  });
  client.on('error', () => {}); // what it says fails the statement too
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (reason) {
    // A server without a free connection is there. A process that was held up itself knows nothing.
    return isRefusal(reason) || performance.now() - started > 2 * within;
  } finally {
    client.end().catch(() => {});
  }
}
