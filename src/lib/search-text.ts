/** Normalizes text for search, here and not in SQL, so that both databases find the same. */

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
