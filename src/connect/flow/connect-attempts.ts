/** The rate limits of the pages (docs/operations.md). */
import { addressKey, callerKey } from '../../http/address-key.ts';
import { attemptLimit, limitKeyedBy } from '../../http/attempt-limit.ts';
import type { ConnectAttempts } from './connect-deps.ts';

const PASSWORD_WINDOW_SECONDS = 600;

export type ConnectLimits = {
  readonly authorizePerMinute: number;
  readonly newUsersPerHour: number;
  /** Per ten minutes, like the next two. */
  readonly passwordsPerTransaction: number;
  readonly passwordsPerAddress: number;
  readonly passwordsPerAccount: number;
};

/** Returns the limits of the pages, which count in memory. */
export function connectAttempts(limits: ConnectLimits): ConnectAttempts {
  const passwords = (most: number) => attemptLimit(most, PASSWORD_WINDOW_SECONDS);
  return {
    authorize: limitKeyedBy(attemptLimit(limits.authorizePerMinute, 60), callerKey),
    newUsers: limitKeyedBy(attemptLimit(limits.newUsersPerHour, 3600), callerKey),
    passwordsInTransaction: passwords(limits.passwordsPerTransaction),
    passwordsFromAddress: limitKeyedBy(passwords(limits.passwordsPerAddress), addressKey),
    passwordsForAccount: passwords(limits.passwordsPerAccount),
  };
}
