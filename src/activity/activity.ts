/** Activities counted by hour and application for charts. The numbers may be slightly off: unfit for billing. */

/** The steps of the flow in order. An authorization request counts once for each step, even if it skipped one. */
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
  'calls',
  'refusals',
  /** The milliseconds in which these requests were answered. */
  'call_ms',
  'syncs',
  /** The milliseconds of these syncs. */
  'sync_ms',
  /** The attempts of deliveries. */
  'delivered',
  'failed',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** A recorder of activities, which does not wait for the write. */
export type ActivityNotes = {
  add(clientId: string, activity: Activity): void;
  /** Records an attempt of a delivery, for its application and its endpoint. */
  addAttempt(endpoint: AttemptedEndpoint, isFailure: boolean): void;
};

export type AttemptedEndpoint = { readonly clientId: string; readonly endpointId: string };

export type ActivityCount = {
  readonly clientId: string;
  readonly activity: Activity;
  readonly count: number;
};

/** The attempts of deliveries to an endpoint. `attempts` includes `failures`. */
export type AttemptCount = {
  readonly endpointId: string;
  readonly attempts: number;
  readonly failures: number;
};

export const HOUR_MS = 3_600_000;

/** Returns the first instant of the hour, in epoch milliseconds. */
export const startOfHour = (at: number): number => at - (at % HOUR_MS);

/** The retention, enough for a chart of a week on any day and at any hour. */
const KEPT_MS = 9 * 24 * HOUR_MS;

/** Deletes the counts that no page displays any more; returns the number of rows. */
export const deleteOldActivity = ({
  activity,
  now,
}: {
  readonly activity: { deleteOldCounts(before: number): Promise<number> };
  readonly now: () => number;
}): Promise<number> => activity.deleteOldCounts(now() - KEPT_MS);
