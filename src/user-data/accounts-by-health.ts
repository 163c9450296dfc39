/** The accounts of all users by health: those with a problem, and those that work. */
import type { Account, AccountHealth } from '../calendars/account-store.ts';
import type { HealthReason } from '../calendars/health-reason.ts';
import type { ReasonFilter } from './responsible-party.ts';

export type AccountWithHealth = Pick<
  Account,
  'accountKey' | 'accountId' | 'clientId' | 'userId' | 'provider' | 'display' | 'health'
>;

export type UnhealthyFilter = {
  /** Undefined selects all applications. */
  readonly clientIds?: readonly string[] | undefined;
  readonly reason?: HealthReason | undefined;
  readonly state?: Exclude<AccountHealth['state'], 'active'> | undefined;
  readonly provider?: Account['provider'] | undefined;
  /** The reasons to select. Undefined selects all. */
  readonly reasons?: readonly ReasonFilter[] | undefined;
};

/** The account after which a page begins. */
export type UnhealthyPosition = { readonly since: number; readonly accountKey: string };
/** The same for connected accounts. Without an address the first page begins. */
export type ConnectedPosition = { readonly display?: string | undefined; readonly accountKey: string };

/** Lists accounts by health, without accounts that belong to no user yet. */
export interface AccountsByHealth {
  /** Counts accounts by reason, up to `most` each, without reasons that have none. */
  countUnhealthy(
    filter: Omit<UnhealthyFilter, 'reason'>,
    most: number,
  ): Promise<ReadonlyMap<HealthReason, number>>;

  /** Lists accounts, the newest problem first. */
  listUnhealthy(
    filter: UnhealthyFilter,
    page: { readonly after?: UnhealthyPosition | undefined; readonly limit: number },
  ): Promise<AccountWithHealth[]>;

  /** Returns the account with the oldest problem. */
  findOldest(filter: UnhealthyFilter): Promise<AccountWithHealth | undefined>;

  /** Lists connected accounts by address, with `isWorking` only those that work. */
  listConnected(
    filter: Pick<UnhealthyFilter, 'clientIds'> & { readonly isWorking: boolean },
    page: { readonly after?: ConnectedPosition | undefined; readonly limit: number },
  ): Promise<AccountWithHealth[]>;
}
