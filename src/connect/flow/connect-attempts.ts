/** The rate limits of the pages (docs/operations.md, docs/security.md T3). Each counts an attempt under its key. */
import { toCallerNetworks, toNetworks } from '../../http/address-key.ts';
import { networkLimit } from '../../http/attempt-limit.ts';
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
    /** Started flows and sign-ins at a provider, per application and network. */
    authorize: networkLimit(limits.authorizePerMinute, 60, toCallerNetworks),
    /** Users created by `/authorize`, per application and network. */
    newUsers: networkLimit(limits.newUsersPerHour, 3600, toCallerNetworks),
    /** Keyed by the id of the authorization request. */
    passwordsInTransaction: createLimit('request', { attempts: passwordsPerTransaction, seconds }),
    passwordsFromAddress: networkLimit(passwordsPerAddress, seconds, toNetworks),
    /** Passwords tried to confirm one account, by its internal key, from any address. */
    passwordsForAccount: createLimit('account', { attempts: passwordsPerAccount, seconds }),
  };
}
