/** The statements of the program as PostgreSQL takes them: translated and named once. */
import type { Values } from './database.ts';
import { nameOf, type Query } from './postgres-query.ts';
import { numbered, STATEMENTS_KEPT, type StatementText, valueFor } from './statement-text.ts';

type TextRule = (text: string) => string;

export class PostgresTexts {
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
