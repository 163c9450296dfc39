/** SQL with `:named` parameters as the drivers take it: numbered ones, and the values in their order. */

import { randomUUID } from 'node:crypto';
import { ANY_CALL, ApiError } from '../../http/refusal.ts';
import type { Values } from './database.ts';

/** More texts than the program has: any beyond are made from data and will not come again. */
export const STATEMENTS_KEPT = 1000;

export type StatementText = { readonly text: string; readonly parameters: readonly string[] };

/** `:name` → `?1` or `$1`; a cast (`::`), quoted text and comments stay as they are. */
export function numbered(sql: string, prefix: '?' | '$'): StatementText {
  const parameters: string[] = [];
  const text = sql.replace(/'[^']*'|"[^"]*"|--[^\n]*|::\w+|:(\w+)/g, (match, parameter?: string) => {
    if (parameter === undefined) return match;
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `${prefix}${parameters.indexOf(parameter) + 1}`;
  });
  return { text, parameters };
}

/** As SQLite takes it. Where LIMIT has a parameter alone, SQLite looks at its value and so plans again for each. */
export function sqliteText(sql: string): StatementText {
  const { text, parameters } = numbered(sql, '?');
  return { text: text.replace(/\bLIMIT (\?\d+)/g, 'LIMIT ($1 + 0)'), parameters };
}

/** Returns the property for a column: `clientId` for `client_id`. */
export const propertyName = (column: string): string =>
  column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Returns a row with those properties; `undefined` for NULL. */
export function rowFrom(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let place = 0;
  for (const name of names) row[name] = values[place++] ?? undefined;
  return row;
}

/** The value of a parameter; throws when the store that runs the statement has none for it. */
export function valueFor(values: Values, parameter: string): Values[string] {
  const value = values[parameter];
  if (value === undefined) throw new Error(`A statement got no value for :${parameter}`);
  return value;
}

const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Equals no stored text: it is random and never written. */
const NOTHING = `matches nothing ${randomUUID()}`;

/** The text to look for. A text that cannot be stored equals nothing that is. */
export const textToFind = (text: string): string => (storable(text) ? text : NOTHING);

/** The text to write; throws 400 for one that cannot be stored. */
export function textToWrite(text: string): string {
  if (storable(text)) return text;
  throw new ApiError(ANY_CALL.unusable_text);
}
