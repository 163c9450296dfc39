/** What an open account needs of the instance while it is in use: access that is valid, and its turn. */
import type { Account } from '../calendars/account-store.ts';
import type { AccountSession, OAuthCredentials } from '../calendars/calendar-provider.ts';
import { REQUEST_LIMITS, type RequestLimits, requestGate } from './request-gate.ts';
import type { RequestLimitStore } from './request-limit-store.ts';
import { SPARE_MS, type TokenRenewalDeps, usableCredentials } from './token-renewal.ts';

export type AccountSessionDeps = TokenRenewalDeps & {
  readonly requestLimits: RequestLimitStore;
  /** The providers' published figures unless given. */
  readonly limits?: RequestLimits;
};

export interface AccountSessions {
  /** For one use of the account: a sync, a write. Asks nothing until it is used. */
  open(account: Account): AccountSession;
  /** Lets go of what is held for requests to come. */
  stop(): Promise<void>;
}

/** The sessions of this process; what they share with other instances is in the database. */
export function accountSessions(deps: AccountSessionDeps): AccountSessions {
  const gate = requestGate({ ...deps, limits: deps.limits ?? REQUEST_LIMITS });
  // Callers in one process share one wait. That only one renewal is under way is the lease's doing.
  const waits = new Map<string, Promise<OAuthCredentials>>();
  const usable = (account: Account, refused: string | undefined): Promise<OAuthCredentials> => {
    const name = `${account.accountKey} ${refused ?? ''}`;
    const current = waits.get(name);
    if (current !== undefined) return current;
    const wait = usableCredentials(account, refused, deps).finally(() => waits.delete(name));
    waits.set(name, wait);
    return wait;
  };

  return {
    open(account) {
      let credentials: OAuthCredentials | undefined;
      const current = async (): Promise<OAuthCredentials> => {
        if (credentials === undefined || credentials.expiresAt - deps.now() < SPARE_MS) {
          credentials = await usable(account, undefined);
        }
        return credentials;
      };
      return {
        accessToken: async () => (await current()).accessToken,
        async renewAccessToken(refused) {
          credentials = await usable(account, refused);
          return credentials.accessToken;
        },
        async limited(operation, request) {
          const { appClientId } = await current();
          return gate.run({ account, appClientId, operation }, request);
        },
      };
    },
    stop: () => gate.stop(),
  };
}
