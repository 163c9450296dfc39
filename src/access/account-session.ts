/** The instance's services for an open account: a valid access token, and limits of requests. */
import type { Account } from '../calendars/account-store.ts';
import type { AccountSession, OAuthCredentials } from '../calendars/calendar-provider.ts';
import { toSlotOwner } from '../lib/fair-slots/slot-owner.ts';
import { type GateDeps, requestGate } from './request-gate.ts';
import { SPARE_MS, type TokenRenewalDeps, usableCredentials } from './token-renewal.ts';

export type AccountSessionDeps = TokenRenewalDeps & GateDeps;

export interface AccountSessions {
  /** Opens a session for one use of the account, such as a sync or a write. Reads nothing until it is used. */
  open(account: Account): AccountSession;
  /** Releases the resources that are kept for later requests. */
  stop(): Promise<void>;
}

/** Returns the sessions of this process; the state that they share with other instances is in the database. */
export function accountSessions(deps: AccountSessionDeps): AccountSessions {
  const gate = requestGate(deps);
  // Callers in one process share one wait; the lease keeps renewals apart over all instances.
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
        if (credentials === undefined || credentials.expiresAt - deps.now() < SPARE_MS)
          credentials = await usable(account, undefined);
        return credentials;
      };
      return {
        owner: toSlotOwner(account),
        accountKey: account.accountKey,
        user: account,
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
