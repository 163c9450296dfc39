/** The shared parts of the PostgreSQL driver and its batches: a statement for `pg`, and the errors of a statement. */
import { hash } from 'node:crypto';
import pg from 'pg';
import type { Values } from './database.ts';
import {
  numbered,
  propertyName,
  rowFrom,
  STATEMENTS_KEPT,
  type StatementText,
  valueFor,
} from './statement-text.ts';

/** A statement for `pg`; without a name it is parsed each time. */
export type Query = { text: string; values: unknown[]; name?: string; rowMode: 'array' };

/** Returns the query without its name, so that the server parses it each time. */
export const unnamed = ({ text, values, rowMode }: Query): Query => ({ text, values, rowMode });

/** 128 bits of the text's hash: `pg` refuses one name for two texts, and 63 bytes are a name's most. */
export const nameOf = (text: string): string => hash('sha256', text).slice(0, 32);

/** SQLSTATEs of a server that cannot be used now: it is read-only, lacks disk, memory or connections, or shuts down. */
const AWAY = /^(25006|53[1-3]00|57P)/;

/** Whether the server refused this statement only, so that the connection and other statements continue. */
export const isRefusal = (reason: unknown): boolean =>
  reason instanceof pg.DatabaseError && !AWAY.test(reason.code ?? '');

type TextRule = (text: string) => string;

export class PostgresTexts {
  readonly #known = new Map<string, StatementText & { name: string }>();
  /** The properties of the rows of each text. */
  readonly #names = new Map<string, readonly string[]>();

  query(sql: string, values: Values, rule: TextRule): Query {
    const prepared = this.#known.get(sql);
    if (prepared !== undefined)
      return { ...prepared, values: bound(prepared.parameters, values, rule), rowMode: 'array' };
    const { text, parameters } = numbered(sql, '$');
    const query: Query = { text, values: bound(parameters, values, rule), rowMode: 'array' };
    // The server keeps every named statement for as long as the connection lives: only so many.
    if (this.#known.size >= STATEMENTS_KEPT) return query;
    const name = nameOf(text);
    this.#known.set(sql, { text, parameters, name });
    return { ...query, name };
  }

  /** Returns the rows of a query. They have the columns of its list: the caller's Row states that list. */
  rowsOf<Row>({ text }: Query, { fields, rows }: pg.QueryArrayResult): Row[] {
    let names = this.#names.get(text);
    if (names === undefined) {
      names = fields.map(({ name }) => propertyName(name));
      if (this.#names.size < STATEMENTS_KEPT) this.#names.set(text, names);
    }
    const properties = names;
    return rows.map((row) => rowFrom(properties, row) as Row);
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
