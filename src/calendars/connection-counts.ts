import type { AccountHealth } from './account-store.ts';
import type { HealthReason } from './health-reason.ts';

/** Counts accounts, of these applications or of all. Accounts of unfinished flows never count. */
export interface ConnectionCounts {
  /** Returns an exact count if it is small, otherwise the last stored total. */
  countConnections(
    clientIds?: readonly string[],
  ): Promise<{ readonly count: number; readonly isExact: boolean }>;

  /** Counts unhealthy accounts by state and reason, the most frequent first. Stops at `most` accounts. */
  countByHealth(most: number, clientIds?: readonly string[]): Promise<readonly UnhealthyCount[]>;

  /** Stores the total of each application, at most once per hour. Returns the number of applications. */
  keepTotals(now: number): Promise<number>;
}

export type UnhealthyCount = {
  readonly state: Exclude<AccountHealth['state'], 'active'>;
  readonly reason: HealthReason;
  readonly count: number;
};
