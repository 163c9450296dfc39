/** The most words of one search: each is a condition of its own. */
export const MOST_WORDS = 8;
