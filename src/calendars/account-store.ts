import type { HealthReason } from './health-reason.ts';
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
  /** One more each time the user links it: what was found out before says nothing of it after. */
  readonly timesLinked: number;
};

/** Whether the account works; who must act follows from the reason. */
export type AccountHealth = {
  readonly state: 'active' | 'degraded' | 'reauth_required';
  /** Absent while it is active. */
  readonly reason: HealthReason | undefined;
  /** What happened, in public words; absent while it is active. */
  readonly message: string | undefined;
  /** When it came to be in that state, epoch milliseconds. */
  readonly since: number;
};

/** What keeps an account from working as it should; the store adds since when. */
export type AccountProblem = {
  readonly state: Exclude<AccountHealth['state'], 'active'>;
  readonly reason: HealthReason;
  readonly message: string;
};

/**
 * `accountKey`, `linkedAt` and `health` are the store's. `credentials` is sealed by the store. Without the
 * calendar permission it is linked all the same, as one whose user must act.
 */
export type NewAccount = Pick<
  Account,
  'clientId' | 'userId' | 'provider' | 'accountId' | 'display' | 'grantedScopes' | 'calendarPermission'
> & {
  readonly credentials: Readonly<Record<string, unknown>>;
  /** SHA-256 of the device cookie of the browser that linked it. */
  readonly deviceHash: string;
};

/** An account as it was when something was found out about it. */
export type AccountSeen = Pick<Account, 'accountKey' | 'timesLinked'>;

/** How far the first loading of an account's calendars is. */
export type AccountLoading = {
  /** Whether the list of its calendars was read at least once. */
  readonly isListed: boolean;
  readonly calendars: number;
  /** How many of them were read at least once, or could not be. */
  readonly loaded: number;
};

export interface AccountStore {
  /**
   * Links the account, or renews credentials and health of the one already linked and keeps its
   * key: concurrent calls make one account. Makes its first sync's job in the same transaction. Syncs
   * and renewals with the old credentials that are under way lose their leases.
   */
  linkAccount(account: NewAccount, now: number): Promise<Account>;

  /** In provider order, then by when they were linked. */
  listAccounts(clientId: string, userId: string): Promise<Account[]>;
  findAccount(accountKey: string): Promise<Account | undefined>;

  /** Keys of the user's accounts that the browser with this device hash linked. */
  accountsLinkedBy(clientId: string, userId: string, deviceHash: string): Promise<ReadonlySet<string>>;

  /** Of every account of the user, by its key. */
  loadingOf(clientId: string, userId: string): Promise<ReadonlyMap<string, AccountLoading>>;

  /** Unsealed; `undefined` when the account is gone. */
  credentialsOf(accountKey: string): Promise<Readonly<Record<string, unknown>> | undefined>;

  /**
   * A no-op when the account is gone, was linked again since the caller read it, or is in that state for
   * that reason already. What the user must mend is not hidden by what passes: `degraded` does not
   * replace `reauth_required`. A missing calendar permission is noted as that too.
   */
  setHealth(account: AccountSeen, problem: AccountProblem, now: number): Promise<void>;

  /**
   * Active again, unless its list or one of its calendars failed its last sync; a calendar permission
   * found missing before is there then.
   */
  recover(accountKey: string, now: number): Promise<void>;

  /**
   * Deletes accounts with their credentials, mirror and jobs; when that leaves the user without an
   * account, its pending code is withdrawn in the same transaction. Access the provider can end is
   * handed to a job that does (ended-access-store.ts). All of a provider when `accountId` is absent.
   * Answers how many: none is no error.
   */
  disconnect(
    clientId: string,
    userId: string,
    provider: ProviderKind,
    accountId: string | undefined,
    now: number,
  ): Promise<number>;
}
