import type { Activity, ActivityCount, AttemptCount } from './activity.ts';

/** Counts by hour. Instants are epoch milliseconds; an hour is given by its first instant. */
export interface ActivityStore {
  /**
   * Adds all counts or none; concurrent calls lose none. A deleted application's counts go to the totals only, and a
   * deleted endpoint's attempts nowhere.
   */
  addCounts(
    counts: readonly ActivityCount[],
    hour: number,
    attempts?: readonly AttemptCount[],
  ): Promise<void>;

  /** Returns the sums since that hour, of these applications or of all, without activities that did not happen. */
  sumsSince(hour: number, clientIds?: readonly string[]): Promise<ReadonlyMap<Activity, number>>;

  /** Returns the same counts by hour, in chronological order. */
  hoursSince(hour: number, clientIds?: readonly string[]): Promise<readonly HourCount[]>;

  /** Returns the applications with the most of `by` since that hour, by `by`, at most `limit`. */
  mostActive(hour: number, by: LoadOrder, limit: number): Promise<ApplicationLoad[]>;

  /** Deletes the counts of hours before `before`, also those of endpoints; returns the number of rows. */
  deleteOldCounts(before: number): Promise<number>;
}

type LoadCount = 'requests' | 'errors' | 'callMs' | 'syncs' | 'syncMs' | 'deliveries' | 'failures';
/** The load of an application. `requests` includes `errors`. `deliveries` are attempts and include `failures`. */
export type ApplicationLoad = { readonly clientId: string; readonly name: string } & {
  readonly [Count in LoadCount]: number;
};

/** What to order applications by. `time` is that of requests and syncs. */
export const LOAD_ORDERS = ['requests', 'errors', 'time', 'syncs', 'deliveries'] as const;
export type LoadOrder = (typeof LOAD_ORDERS)[number];

export type HourCount = { readonly hour: number; readonly activity: Activity; readonly count: number };
