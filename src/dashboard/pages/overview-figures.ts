/** The numbers of the overview. */
import type { FUNNEL } from '../../activity/activity.ts';
import type { UnhealthyCount } from '../../calendars/connection-counts.ts';
import type { Problems } from './needs-attention.page.ts';

export type Overview = {
  readonly applications: number;
  readonly connections: { readonly count: number; readonly isExact: boolean };
  readonly ailing: readonly UnhealthyCount[];
  readonly problems: Problems;
  readonly funnel: Funnel;
  readonly hours: readonly Hour[];
  readonly hasDelivered: boolean;
};

export type Funnel = { readonly steps: readonly FunnelStep[]; readonly denied: number };

/** `left` is how many got no further. */
export type FunnelStep = {
  readonly step: (typeof FUNNEL)[number];
  readonly count: number;
  readonly left: number;
};

/** The counts of an hour. `at` is its start in epoch milliseconds. */
export type Hour = { readonly at: number } & Readonly<Record<DailyActivity, number>>;

export const DAILY = ['calls', 'refusals', 'delivered', 'failed'] as const;
export type DailyActivity = (typeof DAILY)[number];
