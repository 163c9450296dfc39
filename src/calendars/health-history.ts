import type { AccountHealth } from './account-store.ts';
import type { HealthReason } from './health-reason.ts';

/**
 * An entry in the history of an account. `connected`: its user linked it, for the first time or again.
 * `refresh_reused`: a spent refresh token was presented, which ended a grant that covered it.
 */
export type HealthEvent = {
  readonly accountKey: string;
  readonly happened: 'connected' | 'recovered' | 'refresh_reused' | Exclude<AccountHealth['state'], 'active'>;
  /** Undefined if the account works from then on. */
  readonly reason: HealthReason | undefined;
  readonly message: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
};

/** The newest entries of an account that are stored. */
export const MOST_HEALTH_EVENTS = 100;
export const HEALTH_EVENTS_KEPT_MS = 90 * 24 * 3_600_000;

/** The history of accounts, written in the transactions that change an account's health, and deleted with it. */
export interface HealthHistory {
  /** Lists the entries of the user's accounts, the newest first. */
  listHealthEvents(clientId: string, userId: string): Promise<HealthEvent[]>;

  /** Deletes entries before `before` (epoch milliseconds) and returns their number. */
  deleteOldHealthEvents(before: number): Promise<number>;
}
