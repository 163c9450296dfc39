/** Our clock for libraries that read the system's clock themselves. */
import { clockSkew, clockTolerance } from 'oauth4webapi';

/** Seconds by which a provider's clock and ours may differ. */
const TOLERANCE = 300;

/** Returns how many whole seconds `now`, epoch milliseconds, is ahead of the system's clock. */
const secondsAhead = (now: number): number => Math.round((now - Date.now()) / 1000);

/** Returns oauth4webapi client members that check ID token times against `now`, epoch milliseconds. */
export const clockOptions = (now: number) => ({
  [clockSkew]: secondsAhead(now),
  [clockTolerance]: TOLERANCE,
});
