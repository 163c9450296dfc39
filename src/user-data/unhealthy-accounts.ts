import type { Account } from '../calendars/account-store.ts';
import type { HealthReason } from '../calendars/health-reason.ts';

export type UnhealthyAccount = Pick<
  Account,
  'accountKey' | 'accountId' | 'clientId' | 'userId' | 'provider' | 'display' | 'health'
>;

export type UnhealthyFilter = {
  /** Undefined selects all applications. */
  readonly clientIds?: readonly string[] | undefined;
  readonly reason: HealthReason;
};

/** The account after which a page begins. */
export type UnhealthyPosition = { readonly since: number; readonly accountKey: string };

/** Lists accounts that have a problem, without accounts that belong to no user yet. */
export interface UnhealthyAccounts {
  /** Counts accounts by reason, up to `most` each, without reasons that have none. */
  countAiling(
    clientIds: readonly string[] | undefined,
    most: number,
  ): Promise<ReadonlyMap<HealthReason, number>>;

  /** Lists accounts, the newest problem first. */
  listAiling(
    filter: UnhealthyFilter,
    page: { readonly after?: UnhealthyPosition | undefined; readonly limit: number },
  ): Promise<UnhealthyAccount[]>;

  /** Returns the account with the oldest problem. */
  findOldest(filter: UnhealthyFilter): Promise<UnhealthyAccount | undefined>;
}
