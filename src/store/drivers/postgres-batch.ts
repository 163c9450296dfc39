/**
 * Group commit on PostgreSQL: the calls that wait become one `unnest()` statement and one commit, at 14 times the rate of
 * one statement each. At most two batches are under way while the next one gathers.
 */
import type { BatchStatement, Supplied, Values } from './database.ts';
import { isRefusal, nameOf, type Query } from './postgres-query.ts';
import { valueFor } from './statement-text.ts';
import { textToFind, textToWrite } from './text-values.ts';

/** More than two batches in flight only lengthen the queue at the server. */
const BATCHES_IN_FLIGHT = 2;
const ROWS_PER_BATCH = 500;

type Row = Record<string, unknown>;
type Call = {
  /** In the order of the statement's columns. */
  readonly values: readonly unknown[];
  readonly key: unknown;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (reason: unknown) => void;
};

export class PostgresBatch {
  readonly #columns: readonly string[];
  readonly #statements: readonly { readonly name: string; readonly text: string }[];
  readonly #key: string;
  readonly #writes: boolean;
  readonly #run: (queries: readonly Query[]) => Promise<Row[]>;
  #waiting: Call[] = [];
  #inFlight = 0;

  /** `run` answers the rows of the first query. */
  constructor(
    { columns, sql, followedBy = [], key, writes }: BatchStatement,
    run: (queries: readonly Query[]) => Promise<Row[]>,
  ) {
    this.#columns = Object.keys(columns);
    const arrays = Object.values(columns).map((type, i) => `$${i + 1}::${type}[]`);
    const rows = `unnest(${arrays.join(', ')}) AS v(${this.#columns.join(', ')})`;
    const supplied: Supplied = {
      value: (column) => `v.${column}`,
      from: `FROM ${rows}`,
      andFrom: `, ${rows}`,
    };
    this.#statements = [sql, ...followedBy]
      .map((write) => write(supplied))
      .map((text) => ({ name: nameOf(text), text }));
    this.#key = key;
    this.#writes = writes;
    this.#run = run;
  }

  /** The call's row. Throws as its statement alone would, whatever is in the rest of the batch. */
  async run(values: Values): Promise<Row | undefined> {
    const rule = this.#writes ? textToWrite : textToFind;
    const inOrder = this.#columns.map((column) => {
      const value = valueFor(values, column);
      return typeof value === 'string' ? rule(value) : value;
    });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values: inOrder, key: values[this.#key], resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#send());
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#inFlight < BATCHES_IN_FLIGHT) {
      this.#inFlight += 1;
      // Never rejects: every call is answered one way or the other.
      this.#answer(this.#waiting.splice(0, ROWS_PER_BATCH)).finally(() => {
        this.#inFlight -= 1;
        this.#send();
      });
    }
  }

  async #answer(calls: Call[]): Promise<void> {
    try {
      const rows = new Map((await this.#rowsOf(calls)).map((row) => [row[this.#key], row]));
      for (const { key, resolve } of calls) {
        resolve(rows.get(key));
        // A written row answers one call only.
        if (this.#writes) rows.delete(key);
      }
    } catch (reason) {
      // A refused batch did nothing: each call is tried alone, so that only the one at fault fails.
      if (calls.length > 1 && isRefusal(reason)) for (const call of calls) await this.#answer([call]);
      else for (const { reject } of calls) reject(reason);
    }
  }

  #rowsOf(calls: Call[]): Promise<Row[]> {
    const sent = this.#writes ? inOneOrder(calls) : oneOfEachKey(calls);
    const values = this.#columns.map((_, column) => sent.map((call) => call.values[column]));
    return this.#run(this.#statements.map((statement) => ({ ...statement, values })));
  }
}

/** Rows are locked in one order by every batch, so that two of them never wait for each other. */
function inOneOrder(calls: Call[]): Call[] {
  return calls.sort((a, b) => compare(a.values[0], b.values[0]));
}

/** Calls for the same key, such as one application's, are sent once and get the same answer. */
function oneOfEachKey(calls: Call[]): Call[] {
  return [...new Map(calls.map((call) => [call.key, call])).values()];
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : 1;
}
