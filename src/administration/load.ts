/** The load of applications, as owners and the command line see it. */
import { HOUR_MS, startOfHour } from '../activity/activity.ts';
import type { ActivityStore, ApplicationLoad, LoadOrder } from '../activity/activity-store.ts';
import type { DocumentField } from './documents/field.ts';

const HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24 };
export type LoadPeriod = keyof typeof HOURS;
export const LOAD_PERIODS = Object.keys(HOURS) as readonly LoadPeriod[]; // its own keys

const MOST_LISTED = 20;

export type LoadQuery = { readonly period: LoadPeriod; readonly by: LoadOrder };

/** `since` is the start of the counted hours, in epoch milliseconds. */
export type Load = { readonly since: number; readonly applications: readonly ApplicationLoad[] };

/** Lists the 20 applications with the most load. The period is extended to whole hours, by less than one. */
export async function readLoad(
  { period, by }: LoadQuery,
  { activity, now }: { readonly activity: Pick<ActivityStore, 'mostActive'>; readonly now: () => number },
): Promise<Load> {
  const since = startOfHour(now() - HOURS[period] * HOUR_MS);
  return { since, applications: await activity.mostActive(since, by, MOST_LISTED) };
}

export const LOAD: readonly DocumentField<ApplicationLoad>[] = [
  { name: 'client_id', value: ({ clientId }) => clientId },
  { name: 'name', value: ({ name }) => name },
  { name: 'requests', value: ({ requests }) => requests },
  { name: 'errors', value: ({ errors }) => errors },
  { name: 'call_ms', value: ({ callMs }) => callMs },
  { name: 'syncs', value: ({ syncs }) => syncs },
  { name: 'sync_ms', value: ({ syncMs }) => syncMs },
  { name: 'deliveries', value: ({ deliveries }) => deliveries },
  { name: 'failures', value: ({ failures }) => failures },
];
