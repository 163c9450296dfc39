/** Group commit: waiting calls become one `unnest()` statement, at 14 times the rate of separate statements. */
import type { BatchStatement, Supplied, Values } from './database.ts';
import { isRefusal, nameStatement, type Query } from './postgres-query.ts';
import { textToFind, textToWrite, valueFor } from './statement-text.ts';

/** More than two batches in flight only lengthen the queue at the server. */
const BATCHES_IN_FLIGHT = 2;
const ROWS_PER_BATCH = 500;

type Row = Record<string, unknown>;
type Call = {
  readonly values: readonly unknown[];
  readonly key: unknown;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (reason: unknown) => void;
};

export class PostgresBatch {
  readonly #columns: readonly string[];
  readonly #statements: readonly Omit<Query, 'values'>[];
  readonly #answering: number;
  readonly #key: string;
  readonly #writes: boolean;
  /** Whether calls with one key run one after the other. */
  readonly #oneOfKey: boolean;
  readonly #gather: BatchStatement['gather'];
  readonly #run: (queries: readonly Query[], answering: number) => Promise<Row[]>;
  #waiting: Call[] = [];
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `run` returns the rows of the query at the index `answering`. */
  constructor(
    { columns, sql, precededBy = [], followedBy = [], key, writes, gather }: BatchStatement,
    run: (queries: readonly Query[], answering: number) => Promise<Row[]>,
  ) {
    this.#columns = Object.keys(columns);
    const arrays = Object.values(columns).map((type, i) => `$${i + 1}::${type}[]`);
    const rows = `unnest(${arrays.join(', ')}) AS v(${this.#columns.join(', ')})`;
    const supplied: Supplied = {
      value: (column) => `v.${column}`,
      from: `FROM ${rows}`,
      andFrom: `, ${rows}`,
      fromEach: (query, name) => `FROM ${rows} CROSS JOIN LATERAL (${query}) AS ${name}`,
      // If it were not materialized, a plan could run the query for each row of the table that is updated.
      fromOnce: (query) =>
        `FROM (WITH once AS MATERIALIZED (SELECT * FROM ${rows} CROSS JOIN LATERAL (${query}) AS q) SELECT * FROM once) AS v`,
    };
    this.#answering = precededBy.length;
    this.#statements = [...precededBy, sql, ...followedBy]
      .map((write) => write(supplied))
      .map((text) => ({ name: nameStatement(text), text, rowMode: 'array' }));
    this.#key = key;
    this.#writes = writes;
    this.#oneOfKey = precededBy.length > 0;
    this.#gather = gather;
    this.#run = run;
  }

  /** Returns the rows of a call. Throws only if its statement alone would, whatever else is in the batch. */
  async run(values: Values): Promise<Row[]> {
    const rule = this.#writes ? textToWrite : textToFind;
    const inOrder = this.#columns.map((column) => {
      const value = valueFor(values, column);
      return typeof value === 'string' ? rule(value) : value;
    });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values: inOrder, key: values[this.#key], resolve, reject });
      this.#sendSoon();
    });
  }

  #sendSoon(): void {
    const gathered = this.#waiting.length;
    if (this.#gather === undefined) {
      if (gathered === 1) setImmediate(() => this.#send());
    } else if (gathered >= this.#gather.calls) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), this.#gather.ms);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#inFlight < BATCHES_IN_FLIGHT) {
      this.#inFlight += 1;
      // Never rejects: every call is settled.
      this.#answer(this.#next()).finally(() => {
        this.#inFlight -= 1;
        this.#send();
      });
    }
  }

  #next(): Call[] {
    if (!this.#oneOfKey) return this.#waiting.splice(0, ROWS_PER_BATCH);
    const first = new Map<unknown, Call>();
    for (const call of this.#waiting)
      if (first.size < ROWS_PER_BATCH && !first.has(call.key)) first.set(call.key, call);
    const next = new Set(first.values());
    this.#waiting = this.#waiting.filter((call) => !next.has(call));
    return [...next];
  }

  async #answer(calls: Call[]): Promise<void> {
    try {
      const rows = Map.groupBy(await this.#rowsOf(calls), (row) => row[this.#key]);
      for (const { key, resolve } of calls) {
        resolve(rows.get(key) ?? []);
        // A written row is the result of one call only.
        if (this.#writes) rows.delete(key);
      }
    } catch (reason) {
      // A refused batch changed nothing. Each call is tried alone, so that only the faulty one fails.
      if (calls.length > 1 && isRefusal(reason)) for (const call of calls) await this.#answer([call]);
      else for (const { reject } of calls) reject(reason);
    }
  }

  #rowsOf(calls: Call[]): Promise<Row[]> {
    const sent = this.#writes ? inOneOrder(calls) : oneOfEachKey(calls);
    const values = this.#columns.map((_, column) => sent.map((call) => call.values[column]));
    const queries = this.#statements.map((statement) => ({ ...statement, values }));
    return this.#run(queries, this.#answering);
  }
}

/** Sorts the calls: all batches lock rows in one order, so that they do not deadlock. */
const inOneOrder = (calls: Call[]): Call[] => calls.sort((a, b) => compare(a.values[0], b.values[0]));

/** Returns one call for each key, such as an application's. All calls with the key get its rows. */
const oneOfEachKey = (calls: Call[]): Call[] => [...new Map(calls.map((call) => [call.key, call])).values()];

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : 1;
}
