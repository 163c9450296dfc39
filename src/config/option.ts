/** One setting, and the parsers that several settings use. A parser throws an Error whose message continues the sentence that the setting's name starts. */

export type Option<T = unknown> = {
  readonly name: string;
  /** Parsed like any other text; undefined stands for the empty text. */
  readonly default?: string;
  readonly secret?: true;
  readonly parse: (text: string) => T;
  /** The sentence in `docs/configuration.md`. */
  readonly doc: string;
};

/** Settings by the property that their value has in `Config`. */
export type OptionTable = Readonly<Record<string, Option>>;

/** The values of a table: `{ port: Option<number> }` has the values `{ port: number }`. */
export type ValuesOf<T extends OptionTable> = { readonly [K in keyof T]: ReturnType<T[K]['parse']> };

/** Returns a parser that reads the empty text as undefined. */
export const optional =
  <T>(parse: (text: string) => T) =>
  (text: string): T | undefined =>
    text === '' ? undefined : parse(text);

export const asIs = (text: string): string => text;

/** Returns a parser of whole numbers; both ends are inclusive. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new Error(`must be a whole number from ${least} to ${most}`);
    return value;
  };
}

export function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const match = values.find((value) => value === text);
    if (match === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return match;
  };
}

/** Returns the default and the parser of a switch. */
export function onOff(fallback: 'on' | 'off') {
  const word = oneOf(fallback, fallback === 'on' ? 'off' : 'on');
  return { default: fallback, parse: (text: string): boolean => word(text) === 'on' };
}

export function httpUrl(text: string, rule = 'an http or https URL'): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`must be ${rule}`);
  return url;
}

export function origin(text: string): string {
  const url = httpUrl(text, 'an origin such as https://calendars.example.com');
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    throw new Error('must not have a path, query or user');
  return url.origin;
}

/** Returns an OpenID issuer unchanged, because issuers are compared character by character. */
export function openIdIssuer(text: string): string {
  const url = httpUrl(text);
  if (url.search || url.hash || url.username || url.password)
    throw new Error('must not have a query, fragment or user');
  return text;
}

/** Returns a URL without trailing slashes and otherwise unchanged. */
export const endpoint = (text: string): string => openIdIssuer(text).replace(/\/+$/, '');

export function printable(text: string): string {
  if (!/^[\x21-\x7e]{0,4096}$/.test(text))
    throw new Error('must be printable ASCII characters without spaces');
  return text;
}
