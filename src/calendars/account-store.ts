import type { Reader } from '../oauth/grant.ts';
import type { HealthReason } from './health-reason.ts';
import type { ProviderKind } from './provider-facts.ts';

/** An account that a user linked. `accountKey` is ours; `accountId` is its id on the wire. */
export type Account = {
  readonly accountKey: string;
  readonly clientId: string;
  readonly userId: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** Who proved to own it; `undefined` for one that was linked before that was kept. */
  readonly identity: string | undefined;
  /** Whether signing in to it proves that (docs/security.md T4): not where a server takes any password. */
  readonly provesOwner: boolean;
  readonly display: string;
  /** The provider's own scopes; empty for apple and caldav. */
  readonly grantedScopes: readonly string[];
  /** undefined where the provider has no such permission, or it is not known. */
  readonly calendarPermission: boolean | undefined;
  readonly health: AccountHealth;
  /**
   * When it last changed whether the user has to connect the account again, epoch milliseconds; `undefined` until it
   * first does. A permission that is missing is no such change: the credentials work.
   */
  readonly syncStateAt: number | undefined;
  /** When its server was last asked by which addresses events name the user, epoch milliseconds. */
  readonly addressesReadAt: number | undefined;
  /** Epoch milliseconds. */
  readonly linkedAt: number;
  /** How often the user has linked it: what was observed before says nothing about it after. */
  readonly timesLinked: number;
};

/** Whether the account works. The reason determines who must act. */
export type AccountHealth = {
  readonly state: 'active' | 'degraded' | 'reauth_required';
  /** Absent while it is active. */
  readonly reason: HealthReason | undefined;
  /** What happened, as public text; absent while it is active. */
  readonly message: string | undefined;
  /** When it entered that state, epoch milliseconds. */
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
  | 'clientId'
  | 'userId'
  | 'provider'
  | 'accountId'
  | 'provesOwner'
  | 'display'
  | 'grantedScopes'
  | 'calendarPermission'
> & {
  readonly identity: string;
  readonly credentials: Readonly<Record<string, unknown>>;
  /** What it was linked in, and when that ends, epoch milliseconds: it is the user's only once it was allowed. */
  readonly transaction: { readonly transactionId: string; readonly expiresAt: number };
  readonly device: DeviceChange;
  /** None where it is absent. */
  readonly limits?: AccountLimits;
};

/** How many accounts one person can link for a user, and how many a user has, whoever linked them. */
export type AccountLimits = { readonly ofPerson: number; readonly ofUser: number };

/** A browser's secrets, each as its SHA-256: the new one takes over all that the former stood for. */
export type DeviceChange = { readonly deviceHash: string; readonly formerHash: string | undefined };

/** An account of one linking: what is observed of it says nothing once its user has linked it again. */
export type AccountVersion = Pick<Account, 'accountKey' | 'timesLinked'>;

/** Accounts that a grant covers at one provider: all of them when `accountId` is absent. */
export type AccountSelection = Pick<Account, 'provider'> &
  Reader & {
    readonly accountId?: string | undefined;
  };

/** How far the first loading of an account's calendars is. */
export type AccountLoading = {
  /** Whether the list of its calendars was read at least once. */
  readonly isListed: boolean;
  readonly calendars: number;
  /** How many of them were read at least once, or could not be. */
  readonly loaded: number;
};

/** The transaction that an account was to be linked in has ended meanwhile. */
export class TransactionAnswered extends Error {}

/** There are as many accounts as there can be. */
export class AccountLimitReached extends Error {
  readonly most: number;

  constructor(most: number) {
    super(`No more than ${most} accounts can be connected`);
    this.most = most;
  }
}

/** Linked accounts, as they are read. */
export interface AccountReader {
  /** Those that the grant covers, in provider order, then by when they were linked. */
  accountsOf(reader: Reader): Promise<Account[]>;
  /** All that are the user's, whoever linked them, in that order. */
  listAccounts(clientId: string, userId: string): Promise<Account[]>;
  findAccount(accountKey: string): Promise<Account | undefined>;
  /** For every account of the user, by its key. */
  loadingOf(clientId: string, userId: string): Promise<ReadonlyMap<string, AccountLoading>>;
  /** Unsealed; `undefined` when the account is gone. */
  credentialsOf(accountKey: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** What changes an account, and what deletes it. */
export interface AccountChanges {
  /**
   * Links the account within its transaction, in a group that only the transaction has. Linked again in it, it keeps its
   * key and gets new credentials and health: concurrent calls make one account. Schedules its first sync in the same
   * database transaction. Syncs and renewals that are under way with the old credentials lose their leases. An account
   * of the user without an identity that is the same on the wire takes this one's. Whoever allowed the transaction and
   * waits has to allow it again. Throws TransactionAnswered, and nothing is changed, once it was answered.
   *
   * Where a user has as many accounts as there can be, the oldest of other people that are not the user's yet make room.
   * Throws AccountLimitReached, and nothing is changed, where a person or a user has too many all the same: never for an
   * account that is linked again. Of those that are not the user's yet, the newest few are synced.
   */
  linkAccount(account: NewAccount, now: number): Promise<Account>;
  /**
   * A no-op when the account is gone, was linked again since the caller read it, or is in that state for
   * that reason already. `degraded` does not replace `reauth_required`, so that a passing failure never hides what the
   * user must do. The reason `calendar_permission_missing` also sets `calendarPermission`.
   */
  setHealth(account: AccountVersion, problem: AccountProblem, now: number): Promise<void>;
  /**
   * Keeps the addresses by which events name the account's user, where there are any to keep, and that its server was
   * asked. A no-op when the account was linked again since the caller read it.
   */
  keepAddresses(
    account: AccountVersion,
    addresses: readonly string[] | undefined,
    now: number,
  ): Promise<void>;
  /**
   * Makes the account active, unless its list or one of its calendars failed its last sync. A calendar permission that
   * was missing counts as granted then.
   */
  recover(accountKey: string, now: number): Promise<void>;
  /**
   * Deletes accounts with their credentials, mirror and jobs. A pending code that covers no account any more is
   * withdrawn in the same transaction. Access that the provider can end is kept for a job that ends it
   * (ended-access-store.ts). Answers how many accounts were deleted; none is no error.
   */
  disconnect(accounts: AccountSelection, now: number): Promise<number>;
  /** Deletes one account as `disconnect` does, whether it is the user's or still a transaction's. False when it is gone. */
  removeAccount(accountKey: string, now: number): Promise<boolean>;
  /**
   * Brings the syncs of a user's accounts forward, or of one of them; those that are not the user's yet are left alone.
   * Answers of how many.
   */
  requestSync(
    user: Pick<Account, 'clientId' | 'userId'> & { readonly accountKey?: string | undefined },
    now: number,
  ): Promise<number>;
  /**
   * Deletes the accounts of transactions that ended before `endedBefore` without being the user's, as `disconnect` does.
   * Answers how many. What was allowed and never redeemed is remembered without its accounts for 30 days.
   */
  dropUnfinished(endedBefore: number, now: number): Promise<number>;
}

export type AccountStore = AccountReader & AccountChanges;
