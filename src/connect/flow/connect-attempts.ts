/** How often the pages may be used: the limits of docs/operations.md. */
import { addressKey, callerKey } from '../../http/address-key.ts';
import { attemptLimit, limitKeyedBy } from '../../http/attempt-limit.ts';
import type { ConnectAttempts } from './connect-deps.ts';

const PASSWORD_WINDOW_SECONDS = 600;

/** How many attempts there may be, as the configuration has it. */
export type ConnectLimits = {
  readonly authorizePerMinute: number;
  readonly newUsersPerHour: number;
  /** These three in ten minutes. */
  readonly passwordsPerTransaction: number;
  readonly passwordsPerAddress: number;
  readonly passwordsPerAccount: number;
};

/** The limits of the pages, counted in memory from now on. */
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
