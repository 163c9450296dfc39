export const isGone = (status: number | undefined): boolean => status === 404 || status === 410;

/** Returns whether the server hides this resource from the user. */
export const isHidden = (status: number | undefined): boolean => status === 401 || status === 403;

/** Returns whether the server failed, so that nothing is known about the resource. */
export const isFailure = (status: number | undefined): boolean =>
  status !== undefined && (status === 429 || status >= 500);

const TEMPORARY: readonly number[] = [401, 429, 502, 503, 504];

/** Returns whether the status says nothing about the server's abilities: the request may succeed later. */
export const isTemporary = (status: number): boolean => TEMPORARY.includes(status);
