/** The words of a search in SQL. */
import { MOST_SEARCH_TERMS } from '../../lib/search-text.ts';

const TERMS = Array.from({ length: MOST_SEARCH_TERMS }, (_, i) => `term${i}`);

/** Matches any text for terms that the search does not have. */
export const hasTerms = (column: string): string =>
  `(${TERMS.map((term) => `${column} LIKE :${term} ESCAPE '!'`).join(' AND ')})`;

/** Returns the values that `hasTerms` names; none for a statement that does not search. */
export const termValues = (search: readonly string[]): Record<string, string> =>
  search.length === 0
    ? {}
    : Object.fromEntries(TERMS.map((term, i) => [term, `%${patternOf(search[i] ?? '')}%`]));

/** An apostrophe matches any character: texts that were stored before have typographic ones. */
const patternOf = (term: string): string => term.replace(/[!%_]/g, '!$&').replaceAll("'", '_');
