import type { Account } from '../calendars/account-store.ts';
import type { HealthReason } from '../calendars/health-reason.ts';

/** An account that does not work as it should. */
export type AilingAccount = Pick<
  Account,
  'accountKey' | 'clientId' | 'userId' | 'provider' | 'display' | 'health'
>;

export type AilingFilter = {
  /** All applications if absent. */
  readonly clientIds?: readonly string[] | undefined;
  readonly reason: HealthReason;
};

/** The account behind which a page begins. */
export type AilingPlace = { readonly since: number; readonly accountKey: string };

/** Lists accounts that have a problem, by reason, without accounts that are not their users' yet. */
export interface AilingAccounts {
  /** Counts accounts by reason, up to `most` each. Reasons without accounts are left out. */
  countAiling(
    clientIds: readonly string[] | undefined,
    most: number,
  ): Promise<ReadonlyMap<HealthReason, number>>;

  /** Lists accounts, the newest problem first. */
  listAiling(
    filter: AilingFilter,
    page: { readonly after?: AilingPlace | undefined; readonly limit: number },
  ): Promise<AilingAccount[]>;
}
