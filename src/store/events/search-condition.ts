/** The terms of a search in SQL. */
import { MOST_SEARCH_TERMS } from '../../lib/search-text.ts';

const TERMS = Array.from({ length: MOST_SEARCH_TERMS }, (_, i) => `term${i}`);

/** Returns a condition on all terms. Terms that the search does not have match any text. */
export const hasTerms = (column: string): string =>
  `(${TERMS.map((term) => `${column} LIKE :${term} ESCAPE '!'`).join(' AND ')})`;

/** Returns the values that `hasTerms` names; none for a statement that does not search. */
export const termValues = (search: readonly string[]): Record<string, string> =>
  search.length === 0
    ? {}
    : Object.fromEntries(TERMS.map((term, i) => [term, `%${toLikePattern(search[i] ?? '')}%`]));

/** Returns a pattern for LIKE. An apostrophe matches any character: texts stored earlier have typographic ones. */
const toLikePattern = (term: string): string => term.replace(/[!%_]/g, '!$&').replaceAll("'", '_');
