/** What is counted by hour and application, for charts: numbers that may be a little off, never what somebody is owed. */

/** Steps of the flow in their order. A transaction counts once for each, also where it skipped one. */
export const FUNNEL = [
  'flow_started',
  'flow_chosen',
  'flow_linked',
  'flow_allowed',
  'flow_exchanged',
] as const;

export const ACTIVITIES = [
  ...FUNNEL,
  'flow_denied',
  /** What an application called and was given. */
  'calls',
  'refusals',
  /** Attempts of deliveries. */
  'delivered',
  'failed',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** Whoever notes that something happened, without waiting for it to be written. */
export type ActivityNotes = { add(clientId: string, activity: Activity): void };

/** Counts of one application. */
export type ActivityCount = {
  readonly clientId: string;
  readonly activity: Activity;
  readonly count: number;
};

export const HOUR_MS = 3_600_000;

/** The first instant of the hour, in epoch milliseconds. */
export const hourOf = (at: number): number => at - (at % HOUR_MS);

/** A week is shown, of whatever day and hour it is. */
const KEPT_MS = 9 * 24 * HOUR_MS;

/** Deletes what no page shows any more; answers how many rows. */
export const deleteOldActivity = ({
  activity,
  now,
}: {
  readonly activity: { deleteOldCounts(before: number): Promise<number> };
  readonly now: () => number;
}): Promise<number> => activity.deleteOldCounts(now() - KEPT_MS);
