import type { ProviderKind } from './provider-kind.ts';

/** An account that a user linked. `accountKey` is ours; `accountId` is its id on the wire. */
export type Account = {
  readonly accountKey: string;
  readonly clientId: string;
  readonly userId: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  readonly display: string;
  /** The provider's own scopes; empty for apple and caldav. */
  readonly grantedScopes: readonly string[];
  /** undefined where the provider has no such permission, or it is not known. */
  readonly calendarPermission: boolean | undefined;
  readonly health: AccountHealth;
  /** Epoch milliseconds. */
  readonly linkedAt: number;
};

/** Whether the account works; `since` is when it came to be so, epoch milliseconds. */
export type AccountHealth = {
  readonly state: 'active' | 'degraded' | 'reauth_required';
  readonly reason: string | undefined;
  readonly since: number;
};

/** `accountKey`, `linkedAt` and `health` are the store's. `credentials` is sealed by the store. */
export type NewAccount = Pick<
  Account,
  'clientId' | 'userId' | 'provider' | 'accountId' | 'display' | 'grantedScopes' | 'calendarPermission'
> & {
  readonly credentials: Readonly<Record<string, unknown>>;
  /** SHA-256 of the device cookie of the browser that linked it. */
  readonly deviceHash: string;
};

export interface AccountStore {
  /**
   * Links the account, or renews credentials and health of the one already linked and keeps its
   * key: concurrent calls make one account. Makes its first sync's job in the same transaction.
   */
  linkAccount(account: NewAccount, now: number): Promise<Account>;

  /** In provider order, then by when they were linked. */
  listAccounts(clientId: string, userId: string): Promise<Account[]>;
  findAccount(accountKey: string): Promise<Account | undefined>;

  /** Keys of the user's accounts that the browser with this device hash linked. */
  accountsLinkedBy(clientId: string, userId: string, deviceHash: string): Promise<ReadonlySet<string>>;

  /** Unsealed; `undefined` when the account is gone. */
  credentialsOf(accountKey: string): Promise<Readonly<Record<string, unknown>> | undefined>;

  /**
   * A no-op when the account is gone or in that state for that reason already. What the user must mend
   * is not hidden by what passes: `degraded` does not replace `reauth_required`.
   */
  setHealth(
    accountKey: string,
    state: AccountHealth['state'],
    reason: string | undefined,
    now: number,
  ): Promise<void>;

  /** Active again, unless its list or one of its calendars failed its last sync. */
  recover(accountKey: string, now: number): Promise<void>;

  /**
   * Deletes accounts with their credentials, mirror and jobs; when that leaves the user without an
   * account, its pending code is withdrawn in the same transaction. All of a provider when
   * `accountId` is absent. Answers how many: none is no error.
   */
  disconnect(
    clientId: string,
    userId: string,
    provider: ProviderKind,
    accountId: string | undefined,
    now: number,
  ): Promise<number>;
}
