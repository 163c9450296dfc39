/** The meanings of statuses (RFC 9110 §15). */

/** Returns whether the resource does not exist (any more). */
export const isGone = (status: number | undefined): boolean => status === 404 || status === 410;

const TEMPORARY: readonly number[] = [401, 429, 502, 503, 504];

/**
 * Returns whether the status says nothing about the server's capabilities: the same request may succeed later, or when
 * signed in.
 */
export const isTemporary = (status: number): boolean => TEMPORARY.includes(status);
