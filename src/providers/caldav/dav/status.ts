/** What statuses say (RFC 9110 §15). */

/** Whether nothing is at this address (any more). */
export const isGone = (status: number | undefined): boolean => status === 404 || status === 410;

const TEMPORARY: readonly number[] = [401, 429, 502, 503, 504];

/** Whether it says nothing of what the server can do: the same request may succeed later, or signed in. */
export const isTemporary = (status: number): boolean => TEMPORARY.includes(status);
