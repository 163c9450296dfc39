export const isGone = (status: number | undefined): boolean => status === 404 || status === 410;

const TEMPORARY: readonly number[] = [401, 429, 502, 503, 504];

/** Returns whether the status says nothing about the server's abilities: the request may succeed later. */
export const isTemporary = (status: number): boolean => TEMPORARY.includes(status);
