/** Orders and normalizes text so that the program and both databases sort and find the same. */

/** Limits the terms of one search: each is a condition of its own. */
export const MOST_SEARCH_TERMS = 8;
const LONGEST = 20_000;

/** Normalizes text: compatibility forms (ﬁ is fi) and apostrophes are equal, marks and tatweel go, spaces collapse. */
export const searchText = (parts: readonly (string | undefined)[]): string =>
  foldText(parts.filter((part) => part !== undefined).join('\n')).slice(0, LONGEST);

/** Returns the words of a query, folded; an empty list if it has none. */
export const searchTerms = (query: string): string[] => foldText(query).split(' ').filter(Boolean);

const foldText = (text: string): string =>
  text
    .slice(0, 2 * LONGEST)
    .toWellFormed()
    .replaceAll('\0', ' ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    // Lower case has marks of its own (İ), and a final sigma is a sigma.
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('ς', 'σ')
    .replaceAll('ß', 'ss')
    .replaceAll('\u0640', '')
    .replace(/[’‘ʼ]/g, "'")
    .replace(/\s+/gu, ' ')
    .trim();

/** Compares texts by UTF-8 bytes, as both databases do (`dialect.byBytes`); UTF-16 sorts surrogates too early. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference !== 0) return rankCodeUnit(a.charCodeAt(i)) - rankCodeUnit(b.charCodeAt(i));
  }
  return a.length - b.length;
}

/** Ranks surrogates after all other code units. */
const rankCodeUnit = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
