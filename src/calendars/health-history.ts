import type { AccountHealth } from './account-store.ts';
import type { HealthReason } from './health-reason.ts';

/** Something that happened to an account. `connected`: its user linked it, the first time or again. */
export type HealthEvent = {
  readonly accountKey: string;
  readonly happened: 'connected' | 'recovered' | Exclude<AccountHealth['state'], 'active'>;
  /** Absent where it works from then on. */
  readonly reason: HealthReason | undefined;
  /** What happened, as public text. */
  readonly message: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
};

/** So many are kept of one account: the newest. */
export const MOST_HEALTH_EVENTS = 100;
/** For so long. */
export const HEALTH_EVENTS_KEPT_MS = 90 * 24 * 3_600_000;

/**
 * What happened to accounts. It is written in the transactions that change their health, and goes with the account. An
 * account that flaps has the newest events alone.
 */
export interface HealthHistory {
  /** Of the accounts that are the user's, the newest first. */
  listHealthEvents(clientId: string, userId: string): Promise<HealthEvent[]>;

  /** Answers how many were deleted. */
  deleteOldHealthEvents(before: number): Promise<number>;
}
