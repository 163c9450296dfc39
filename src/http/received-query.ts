/** A query string as received: the application must get its parameters back byte for byte (docs/wire.md O4.1). */

/** One parameter: `name` and `value` decoded, `spelling` as received, safe to put into an address. */
export type QueryParameter = {
  readonly name: string;
  readonly value: string;
  /** `name=value` in its received percent-encoding. */
  readonly spelling: string;
};

export type ReceivedQuery = readonly QueryParameter[];

/** Parses the query of a request target; it refuses nothing. */
export function receivedQuery(target: string): ReceivedQuery {
  const start = target.indexOf('?');
  if (start < 0) return [];
  return target
    .slice(start + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .flatMap((pair) => {
      const spelling = safeSpelling(pair);
      const [[name, value] = ['', '']] = new URLSearchParams(spelling);
      return [{ name, value, spelling }];
    });
}

/** Returns the first value that is not empty: an empty one counts as absent (docs/wire.md 1). */
export const scalar = (query: ReceivedQuery, name: string): string | undefined =>
  findQueryParameter(query, name)?.value;

/** Returns the same value in the spelling it was received in, without its name. */
export function scalarSpelling(query: ReceivedQuery, name: string): string | undefined {
  const spelling = findQueryParameter(query, name)?.spelling;
  return spelling?.slice(spelling.indexOf('=') + 1);
}

/** Returns all values of a parameter that may be repeated. */
export const values = (query: ReceivedQuery, name: string): string[] =>
  query.filter((parameter) => parameter.name === name).map(({ value }) => value);

/** Returns the query string without the named parameters, everything else as received. */
export const queryWithout = (query: ReceivedQuery, ...names: string[]): string =>
  query
    .filter(({ name }) => !names.includes(name))
    .map(({ spelling }) => spelling)
    .join('&');

const findQueryParameter = (query: ReceivedQuery, name: string): QueryParameter | undefined =>
  query.find((parameter) => parameter.name === name && parameter.value !== '');

/** Percent-encodes characters that RFC 3986 §3.4 forbids in a query. A target is Latin-1, so each is one byte. */
const safeSpelling = (pair: string): string =>
  pair.replace(/[^\w.~!$'()*+,;=:@/?%-]/g, (character) => {
    const byte = character.charCodeAt(0) & 0xff;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
