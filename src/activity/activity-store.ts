import type { Activity, ActivityCount } from './activity.ts';

/** Counts by hour. Instants are epoch milliseconds; an hour is given by its first instant. */
export interface ActivityStore {
  /**
   * Adds all of these counts to that hour, or none. The counts of a deleted application are only in the totals.
   * Concurrent calls lose no counts.
   */
  addCounts(counts: readonly ActivityCount[], hour: number): Promise<void>;

  /** Returns the sums since that hour, of these applications or of all, without activities that did not happen. */
  sumsSince(hour: number, clientIds?: readonly string[]): Promise<ReadonlyMap<Activity, number>>;

  /** Returns the same counts by hour, in chronological order. */
  hoursSince(hour: number, clientIds?: readonly string[]): Promise<readonly HourCount[]>;

  /** Deletes the counts of hours before `before`; returns the number of rows. */
  deleteOldCounts(before: number): Promise<number>;
}

export type HourCount = { readonly hour: number; readonly activity: Activity; readonly count: number };
