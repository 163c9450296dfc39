/** What the pages about a user, and about accounts that ail, show. */
import type { Account } from '../calendars/account-store.ts';
import type { HealthEvent } from '../calendars/health-history.ts';
import type { HealthReason } from '../calendars/health-reason.ts';
import type { Client } from '../oauth/client.ts';
import type { LivingGrant, UserSummary } from '../oauth/user-store.ts';
import type { CalendarPlace, SyncedCalendar } from '../user-data/account-calendars.ts';
import type { AilingAccount } from '../user-data/ailing-accounts.ts';
import type { AccountUpdates } from '../watches/watch-store.ts';

export type ShownUser = {
  readonly client: Client;
  readonly user: UserSummary;
  readonly accounts: readonly Account[];
  /** By account, the newest first. */
  readonly history: ReadonlyMap<string, readonly HealthEvent[]>;
  /** By account. */
  readonly updates: ReadonlyMap<string, AccountUpdates>;
  readonly grants: readonly LivingGrant[];
  /** The providers at which the application has an app of its own. */
  readonly ownApps: ReadonlySet<string>;
};

export type ShownAccount = Omit<ShownUser, 'accounts'> & {
  readonly account: Account;
  readonly calendars: readonly SyncedCalendar[];
  /** Where the next page of calendars begins; absent on the last one. */
  readonly next: CalendarPlace | undefined;
};

/** Accounts of one reason are counted no further. */
export const MOST_COUNTED = 1_000;

export type ListedAccount = AilingAccount & {
  /** Whether the application has an app of its own at the provider. */
  readonly hasOwnApp: boolean;
};

export type ReasonGroup = {
  readonly reason: HealthReason;
  /** `MOST_COUNTED + 1` for more. */
  readonly count: number;
  /** The newest trouble first. */
  readonly accounts: readonly ListedAccount[];
};
