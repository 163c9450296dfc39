/** A statement for `pg`, and the errors of a statement. */
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

export const unnamed = ({ text, values, rowMode }: Query): Query => ({ text, values, rowMode });

/** Returns 128 bits of the text's hash: a name has at most 63 bytes, and `pg` refuses one name for two texts. */
export const nameStatement = (text: string): string => hash('sha256', text).slice(0, 32);

/**
 * SQLSTATEs of a server that cannot be used now: it is read-only, lacks disk, memory or connections, or shuts down. After
 * connection_exception (class 08) and statement_completion_unknown (40003), a write may have taken effect.
 */
const AWAY = /^(25006|53[1-3]00|57P|08|40003)/;

/** Returns whether the server refused this statement only, so that the connection can be used further. */
export const isRefusal = (reason: unknown): boolean =>
  reason instanceof pg.DatabaseError && !AWAY.test(reason.code ?? '');

type TextRule = (text: string) => string;

export class PostgresTexts {
  readonly #known = new Map<string, StatementText & { name: string }>();
  readonly #names = new Map<string, readonly string[]>();

  query(sql: string, values: Values, rule: TextRule): Query {
    const prepared = this.#known.get(sql);
    if (prepared !== undefined)
      return { ...prepared, values: bound(prepared.parameters, values, rule), rowMode: 'array' };
    const { text, parameters } = numbered(sql, '$');
    const query: Query = { text, values: bound(parameters, values, rule), rowMode: 'array' };
    // The server keeps every named statement until the connection ends, so their number is limited.
    if (this.#known.size >= STATEMENTS_KEPT) return query;
    const name = nameStatement(text);
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

const bound = (parameters: readonly string[], values: Values, rule: TextRule): unknown[] =>
  parameters.map((parameter) => {
    const value = valueFor(values, parameter);
    if (typeof value === 'string') return rule(value);
    if (value === null || typeof value === 'number') return value;
    return value.map((item) => (typeof item === 'string' ? rule(item) : item));
  });
