import type { Caller } from '../audit/audit-entry.ts';
import type { Reader } from '../oauth/grant.ts';
import type { HealthReason } from './health-reason.ts';
import type { ProviderKind } from './provider-facts.ts';

/** A linked account. `accountKey` is internal; `accountId` is its id on the wire. */
export type Account = {
  readonly accountKey: string;
  readonly clientId: string;
  readonly userId: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** The identity that the sign-in proved; `undefined` for accounts that were linked before identities were stored. */
  readonly identity: string | undefined;
  /** Whether signing in proves the owner (docs/security.md T4): false for a server that accepts any password. */
  readonly provesOwner: boolean;
  readonly display: string;
  /** The provider's own scopes; empty for apple and caldav. */
  readonly grantedScopes: readonly string[];
  /** Undefined if the provider has no such permission, or if it is unknown. */
  readonly calendarPermission: boolean | undefined;
  readonly health: AccountHealth;
  /** When the result of `syncStateOf` last changed, epoch milliseconds; `undefined` until it first does. */
  readonly syncStateAt: number | undefined;
  /** When the server was last asked for the addresses that events use for the user, epoch milliseconds. */
  readonly addressesReadAt: number | undefined;
  /** Epoch milliseconds. */
  readonly linkedAt: number;
  /** How often the user has linked it. Results from before a link say nothing about the account after it. */
  readonly timesLinked: number;
};

/** The health of an account. The reason determines who must act. */
export type AccountHealth = {
  readonly state: 'active' | 'degraded' | 'reauth_required';
  readonly reason: HealthReason | undefined;
  /** A public sentence about what happened; undefined while the account is active. */
  readonly message: string | undefined;
  /** When it entered that state, epoch milliseconds. */
  readonly since: number;
};

/** A problem of an account. The store adds its start. */
export type AccountProblem = {
  readonly state: Exclude<AccountHealth['state'], 'active'>;
  readonly reason: HealthReason;
  readonly message: string;
};

/** An account to link, with credentials to seal. Without the calendar permission it is linked too, as a problem. */
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
  /** Its authorization request, which must be allowed first, and the end of that, epoch milliseconds. */
  readonly transaction: { readonly transactionId: string; readonly expiresAt: number };
  readonly device: DeviceChange;
  /** Undefined: no limits. */
  readonly limits?: AccountLimits;
};

/** The maximum accounts that one person can link for a user, and that a user can have in total. */
export type AccountLimits = { readonly ofPerson: number; readonly ofUser: number };

/** The SHA-256 hashes of a browser's secrets. The new one replaces the former everywhere. */
export type DeviceChange = { readonly deviceHash: string; readonly formerHash: string | undefined };

/** An account as of one link. Results for it are void once the user links it again. */
export type AccountVersion = Pick<Account, 'accountKey' | 'timesLinked'>;

/** Accounts of a grant at one provider: all of them if `accountId` is undefined. */
export type AccountSelection = Pick<Account, 'provider'> &
  Reader & {
    readonly accountId?: string | undefined;
  };

/** The progress of the first sync of an account's calendars. */
export type AccountLoading = {
  readonly isListed: boolean;
  readonly calendars: number;
  /** How many of them were read, or failed, at least once. */
  readonly loaded: number;
};

/** The authorization request of the account has ended. */
export class TransactionAnswered extends Error {}

export class AccountLimitReached extends Error {
  readonly most: number;

  constructor(most: number) {
    super(`No more than ${most} accounts can be connected`);
    this.most = most;
  }
}

export interface AccountReader {
  /** Lists the accounts of a grant, by provider, then by the time of the link. */
  accountsOf(reader: Reader): Promise<Account[]>;
  /** Lists all accounts of the user, also those that other people linked, in the same order. */
  listAccounts(clientId: string, userId: string): Promise<Account[]>;
  findAccount(accountKey: string): Promise<Account | undefined>;
  /** Returns the progress of each account of the user, by `accountKey`. */
  loadingOf(clientId: string, userId: string): Promise<ReadonlyMap<string, AccountLoading>>;
  /** Returns the unsealed credentials; `undefined` if the account was deleted. */
  credentialsOf(accountKey: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export interface AccountChanges {
  /**
   * Links the account within its authorization request and schedules its first sync, in one database transaction. An
   * account that is linked again in this request keeps its key and gets the new credentials and health. Concurrent
   * calls create one account. Running syncs and renewals with the old credentials lose their leases. An account of the
   * user without an identity gets this one's if their wire ids match. An earlier Allow of the open request is
   * withdrawn. Throws TransactionAnswered, without a change, if the request has ended.
   *
   * If the user has the maximum of accounts, the oldest of other people that are not yet the user's are deleted. Throws
   * AccountLimitReached, without a change, if a person or a user still has too many, except for an account that is
   * linked again. Only the newest few accounts that are not yet the user's are synced.
   */
  linkAccount(account: NewAccount, now: number): Promise<Account>;
  /**
   * Does nothing if the account was deleted, was linked again since it was read, or already has that problem.
   * `degraded` does not replace `reauth_required`. The reason `calendar_permission_missing` also sets
   * `calendarPermission`.
   */
  setHealth(account: AccountVersion, problem: AccountProblem, now: number): Promise<void>;
  /** Stores the given addresses and the time. Does nothing if the account was linked again since it was read. */
  keepAddresses(
    account: AccountVersion,
    addresses: readonly string[] | undefined,
    now: number,
  ): Promise<void>;
  /** Sets the account active, with its calendar permission, unless its last syncs failed or left out events. */
  recover(accountKey: string, now: number): Promise<void>;
  /**
   * Deletes accounts with their credentials, mirror and jobs and returns their number. In the same transaction,
   * withdraws pending codes that then cover none. Access that the provider can end is stored for a job that ends it
   * (ended-access-store.ts).
   */
  disconnect(accounts: AccountSelection, now: number): Promise<number>;
  /** Deletes one account as `disconnect` does, also one that is not yet the user's. Returns false if there is none. */
  removeAccount(accountKey: string, now: number, by: Caller | undefined): Promise<boolean>;
  /** Moves the syncs of a user's accounts, or of one, forward. Returns their number. Skips those of open requests. */
  requestSync(
    user: Pick<Account, 'clientId' | 'userId'> & { readonly accountKey?: string | undefined },
    now: number,
    by: Caller | undefined,
  ): Promise<number>;
  /** Audits a new reconnect link for the account; does nothing without a caller. */
  auditReconnectLink(
    account: Pick<Account, 'clientId' | 'userId' | 'provider'>,
    by: Caller | undefined,
  ): Promise<void>;
  /**
   * Deletes accounts of requests that ended before `endedBefore` without making them the user's; returns their number.
   * An approval whose code was never redeemed is remembered for 30 days.
   */
  dropUnfinished(endedBefore: number, now: number): Promise<number>;
}

export type AccountStore = AccountReader & AccountChanges;

/** Returns whether an account is a calendar that is published at an address. Its provider is `caldav`; it is read-only. */
export const isCalendarLink = ({ accountId }: Pick<Account, 'accountId'>): boolean =>
  accountId.startsWith('feed://');
