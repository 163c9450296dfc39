/** The rate limits of the pages (docs/operations.md, docs/security.md T3). Each counts an attempt under its key. */
import { addressKey, callerKey } from '../../http/address-key.ts';
import { attemptLimit, limitKeyedBy } from '../../http/attempt-limit.ts';
import { ownLimits } from '../../http/shared-attempts.ts';

const PASSWORD_WINDOW_SECONDS = 600;

export type ConnectLimits = {
  readonly authorizePerMinute: number;
  readonly newUsersPerHour: number;
  /** Per ten minutes, like the next two. */
  readonly passwordsPerTransaction: number;
  readonly passwordsPerAddress: number;
  readonly passwordsPerAccount: number;
};

export type ConnectAttempts = ReturnType<typeof connectAttempts>;

/** Returns the limits of the pages. All instances share the limits by authorization request and account. */
export function connectAttempts(limits: ConnectLimits, createLimit = ownLimits) {
  const { passwordsPerTransaction, passwordsPerAddress, passwordsPerAccount } = limits;
  const seconds = PASSWORD_WINDOW_SECONDS;
  return {
    /** Started flows and sign-ins at a provider, per application and address. */
    authorize: limitKeyedBy(attemptLimit(limits.authorizePerMinute, 60), callerKey),
    /** Users created by `/authorize`, per application and address. */
    newUsers: limitKeyedBy(attemptLimit(limits.newUsersPerHour, 3600), callerKey),
    /** Keyed by the id of the authorization request. */
    passwordsInTransaction: createLimit('request', { attempts: passwordsPerTransaction, seconds }),
    passwordsFromAddress: limitKeyedBy(attemptLimit(passwordsPerAddress, seconds), addressKey),
    /** Passwords tried to confirm one account, by its internal key, from any address. */
    passwordsForAccount: createLimit('account', { attempts: passwordsPerAccount, seconds }),
  };
}
