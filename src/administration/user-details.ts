/** The data of the pages about a user and about unhealthy accounts. */
import type { Account } from '../calendars/account-store.ts';
import type { HealthEvent } from '../calendars/health-history.ts';
import type { HealthReason } from '../calendars/health-reason.ts';
import type { Client } from '../oauth/client.ts';
import type { LivingGrant, UserSummary } from '../oauth/user-store.ts';
import type { CalendarPlace, SyncedCalendar } from '../user-data/account-calendars.ts';
import type { AccountWithHealth } from '../user-data/accounts-by-health.ts';
import type { AccountUpdates } from '../watches/watch-store.ts';

export type ShownUser = {
  readonly client: Client;
  readonly user: UserSummary;
  readonly accounts: readonly Account[];
  /** The history by account, newest first. */
  readonly history: ReadonlyMap<string, readonly HealthEvent[]>;
  readonly updates: ReadonlyMap<string, AccountUpdates>;
  readonly grants: readonly LivingGrant[];
  readonly ownApps: ReadonlySet<string>;
};

export type ShownAccount = Omit<ShownUser, 'accounts'> & {
  readonly account: Account;
  readonly calendars: readonly SyncedCalendar[];
  /** The position of the next page of calendars; absent on the last page. */
  readonly next: CalendarPlace | undefined;
};

/** An account with its first calendars and its newest history. */
export type UserAccount = {
  readonly account: Account;
  readonly calendars: readonly SyncedCalendar[];
  readonly history: readonly HealthEvent[];
};

/** A page of a user's accounts: the first ones with details. `next` is the number of the next page, if there is one. */
export type UserAccountPage = {
  readonly accounts: readonly UserAccount[];
  readonly further: readonly Account[];
  readonly next: number | undefined;
};

/** The limit of counting the accounts of one reason. */
export const MOST_COUNTED = 1_000;

export type ListedAccount = AccountWithHealth & {
  /** Whether the application has its own app at the provider. */
  readonly hasOwnApp: boolean;
};

export type ReasonGroup = {
  readonly reason: HealthReason;
  /** `MOST_COUNTED + 1` if there are more. */
  readonly count: number;
  /** The accounts, the latest problem first. */
  readonly accounts: readonly ListedAccount[];
};
