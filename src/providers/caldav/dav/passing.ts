/** Statuses that say nothing of what the server can do: try the same again, later or signed in. */
const PASSING: readonly number[] = [401, 429, 502, 503, 504];

export const isPassing = (status: number): boolean => PASSING.includes(status);
