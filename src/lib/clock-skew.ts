/** The one place besides the entrances that reads the system's clock: for libraries that read it themselves. */

/** By how many whole seconds `now`, epoch milliseconds, is ahead of the system's clock. */
export const secondsAhead = (now: number): number => Math.round((now - Date.now()) / 1000);
