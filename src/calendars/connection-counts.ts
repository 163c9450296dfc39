import type { AccountHealth } from './account-store.ts';
import type { HealthReason } from './health-reason.ts';

/** How many connections there are, of these applications or of all; those that are not their users' yet do not ail. */
export interface ConnectionCounts {
  /** Exact where there are few; else as of the last time they were counted, an hour ago at most. */
  countConnections(
    clientIds?: readonly string[],
  ): Promise<{ readonly count: number; readonly isExact: boolean }>;

  /** Those that do not work, by state and reason, the most first. Counts no further than `most` of them. */
  countByHealth(most: number, clientIds?: readonly string[]): Promise<readonly AilingCount[]>;

  /** Counts those of each application anew, where that was not done within the hour; answers of how many applications. */
  keepTotals(now: number): Promise<number>;
}

export type AilingCount = {
  readonly state: Exclude<AccountHealth['state'], 'active'>;
  readonly reason: HealthReason;
  readonly count: number;
};
