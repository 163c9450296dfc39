/** Converts SQL with `:named` parameters for the drivers: numbered parameters, and the values in their order. */

import { randomUUID } from 'node:crypto';
import { ApiError } from '../../http/refusal.ts';
import { SERVER } from '../../http/server-error.ts';
import type { Values } from './database.ts';

/** Above the number of texts in the program. Further texts are built from data and do not repeat. */
export const STATEMENTS_KEPT = 1000;

export type StatementText = { readonly text: string; readonly parameters: readonly string[] };

/** Converts `:name` to `?1` or `$1`. A cast (`::`), quoted text and comments stay as they are. */
export function numbered(sql: string, prefix: '?' | '$'): StatementText {
  const parameters: string[] = [];
  const text = sql.replace(/'[^']*'|"[^"]*"|--[^\n]*|::\w+|:(\w+)/g, (match, parameter?: string) => {
    if (parameter === undefined) return match;
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `${prefix}${parameters.indexOf(parameter) + 1}`;
  });
  return { text, parameters };
}

/** Returns the text for SQLite. If LIMIT is a parameter alone, SQLite plans again for each of its values. */
export function sqliteText(sql: string): StatementText {
  const { text, parameters } = numbered(sql, '?');
  return { text: text.replace(/\bLIMIT (\?\d+)/g, 'LIMIT ($1 + 0)'), parameters };
}

/** Returns the property for a column: `clientId` for `client_id`. */
export const propertyName = (column: string): string =>
  column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Returns a row with these properties; `undefined` for NULL. */
export function rowFrom(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let place = 0;
  for (const name of names) row[name] = values[place++] ?? undefined;
  return row;
}

/** Returns the value of a parameter. Throws if the caller passed none. */
export function valueFor(values: Values, parameter: string): Values[string] {
  const value = values[parameter];
  if (value === undefined) throw new Error(`A statement got no value for :${parameter}`);
  return value;
}

const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Equals no stored text: it is random and never written. */
const NOTHING = `matches nothing ${randomUUID()}`;

/** Returns the text to look for: for a text that cannot be stored, one that matches nothing. */
export const textToFind = (text: string): string => (storable(text) ? text : NOTHING);

/** Returns the text to write. Throws ApiError 400 if it cannot be stored. */
export function textToWrite(text: string): string {
  if (storable(text)) return text;
  throw new ApiError(SERVER.unusable_text);
}
