import type { Account } from '../calendars/account-store.ts';
import type { HealthReason } from '../calendars/health-reason.ts';

/** An account that does not work as it should. */
export type AilingAccount = Pick<
  Account,
  'accountKey' | 'clientId' | 'userId' | 'provider' | 'display' | 'health'
>;

export type AilingFilter = {
  /** Absent: of all applications. */
  readonly clientIds?: readonly string[] | undefined;
  readonly reason: HealthReason;
};

/** Behind which account a page begins. */
export type AilingPlace = { readonly since: number; readonly accountKey: string };

/** Accounts that do not work, by what is wrong with them. Those that are not their users' yet are in no list. */
export interface AilingAccounts {
  /** By reason, those without any left out; none is counted further than `most`. */
  countAiling(
    clientIds: readonly string[] | undefined,
    most: number,
  ): Promise<ReadonlyMap<HealthReason, number>>;

  /** The newest trouble first. */
  listAiling(
    filter: AilingFilter,
    page: { readonly after?: AilingPlace | undefined; readonly limit: number },
  ): Promise<AilingAccount[]>;
}
