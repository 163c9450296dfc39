/** Parameters that a client sends in the query or in the body. */
import { asObject, type Input, type Members, readBody, type Table } from './fields.ts';

export type SentParameters = { readonly query: unknown; readonly body: unknown };

/**
 * Reads parameters of the query, as published clients send them, or of a JSON body; the query takes precedence
 * (docs/wire.md C5). Throws ApiError 400 with all mistakes.
 */
export function readQueryOrBody<T extends Table>({ query, body }: SentParameters, table: T): Input<T> {
  const entries = Object.entries(asObject(query) ?? {})
    .map(([name, value]) => [name, Array.isArray(value) ? value[0] : value] as const)
    .filter(([, value]) => value !== '' && value !== undefined);
  const parameters: Members = Object.fromEntries(entries);
  const members = asObject(body);
  return readBody(members === undefined ? (body ?? parameters) : { ...members, ...parameters }, table);
}
