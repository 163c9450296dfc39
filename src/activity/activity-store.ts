import type { Activity, ActivityCount } from './activity.ts';

/** Counts by hour. Instants are epoch milliseconds; an hour is its first one. */
export interface ActivityStore {
  /**
   * Adds all of these to that hour, or none. An application that is gone is left out; the counts of all together have it.
   * Calls at the same time lose nothing of each other.
   */
  addCounts(counts: readonly ActivityCount[], hour: number): Promise<void>;

  /** Since that hour, of these applications or of all; what did not happen is missing. */
  sumsSince(hour: number, clientIds?: readonly string[]): Promise<ReadonlyMap<Activity, number>>;

  /** The same hour by hour, in their order. */
  hoursSince(hour: number, clientIds?: readonly string[]): Promise<readonly HourCount[]>;

  /** Deletes those of hours before; answers how many. */
  deleteOldCounts(before: number): Promise<number>;
}

export type HourCount = { readonly hour: number; readonly activity: Activity; readonly count: number };
