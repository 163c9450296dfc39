/** The numbers of the overview. All are stored or bounded, so the page is fast with any number of users. */

import type { ProviderAppStore } from '../access/provider-apps.ts';
import { type Activity, FUNNEL, HOUR_MS, startOfHour } from '../activity/activity.ts';
import type { ActivityStore, HourCount } from '../activity/activity-store.ts';
import { readableApplications } from '../administration/applications.ts';
import { listOwnApps } from '../administration/users.ts';
import type { ConnectionCounts, UnhealthyCount } from '../calendars/connection-counts.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import { assignedClientIds, mayRole } from '../people/permission.ts';
import type { Person } from '../people/person.ts';
import type { SystemStore } from '../system/system-store.ts';
import type { AccountsByHealth } from '../user-data/accounts-by-health.ts';
import { findResponsible } from '../user-data/responsible-party.ts';
import type { MessageLog } from '../webhooks/message-log.ts';
import type { UnhealthyEndpoints } from '../webhooks/unhealthy-endpoints.ts';
import type { FailedCheck, ReasonProblem } from './pages/needs-attention.page.ts';
import {
  DAILY,
  type DailyActivity,
  type Funnel,
  type Hour,
  type Overview,
} from './pages/overview-figures.ts';

export type OverviewDeps = {
  readonly activity: Pick<ActivityStore, 'sumsSince' | 'hoursSince'>;
  readonly connectionCounts: ConnectionCounts;
  readonly clients: ClientStore;
  readonly messages: Pick<MessageLog, 'listMessages'>;
  readonly accountsByHealth: AccountsByHealth;
  readonly unhealthyEndpoints: UnhealthyEndpoints;
  readonly providerApps: Pick<ProviderAppStore, 'listProviderApps'>;
  readonly system: Pick<SystemStore, 'lastChecks'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const DAY_HOURS = 24;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** If more accounts than this are unhealthy, the page says only that there are more. */
export const MOST_AILING = 20_000;

/** Returns the overview. A developer sees only the assigned applications. */
export async function readOverview(person: Person, deps: OverviewDeps): Promise<Overview> {
  const { activity, connectionCounts, messages, now } = deps;
  const clientIds = assignedClientIds(person);
  const filter = clientIds === undefined ? {} : { clientId: clientIds };
  const thisHour = startOfHour(now());
  const [applications, checks, endpoints, connections, ailing, sums, hours, delivered] = await Promise.all([
    readableApplications(person, deps),
    mayRole(person.role, 'system.read') ? failedChecks(deps) : [],
    deps.unhealthyEndpoints.listUnhealthy({ clientIds, now: now() }),
    connectionCounts.countConnections(clientIds),
    connectionCounts.countByHealth(MOST_AILING + 1, clientIds),
    activity.sumsSince(startOfHour(now() - WEEK_MS), clientIds),
    activity.hoursSince(thisHour - (DAY_HOURS - 1) * HOUR_MS, clientIds),
    messages.listMessages({ ...filter, state: 'delivered' }, { after: undefined, limit: 1 }),
  ]);
  return {
    applications: applications.length,
    connections,
    ailing,
    problems: {
      checks,
      endpoints,
      reasons: await reasonProblems(ailing, clientIds, deps),
      isCut: ailing.reduce((sum, { count }) => sum + count, 0) > MOST_AILING,
      names: new Map(applications.map(({ clientId, name }) => [clientId, name])),
    },
    funnel: countFunnel(sums),
    hours: listHours(hours, thisHour),
    hasDelivered: delivered.length > 0,
  };
}

async function failedChecks({ system }: Pick<OverviewDeps, 'system'>): Promise<FailedCheck[]> {
  const last = await system.lastChecks();
  const failed = last?.checks.filter(({ status }) => status === 'fail') ?? [];
  return failed.map((check) => ({ ...check, since: check.since ?? last?.at ?? 0 }));
}

/** Merges the counts of each reason, the most frequent first. */
function reasonProblems(
  counts: readonly UnhealthyCount[],
  clientIds: readonly string[] | undefined,
  deps: OverviewDeps,
): Promise<ReasonProblem[]> {
  const sums = [...Map.groupBy(counts, ({ reason }) => reason)].map(([reason, ofReason]) => ({
    reason,
    count: ofReason.reduce((sum, { count }) => sum + count, 0),
  }));
  const problems = sums.map(async ({ reason, count }) => {
    const oldest = await deps.accountsByHealth.findOldest({ clientIds, reason });
    const ownApps = oldest && (await listOwnApps(oldest.clientId, deps));
    const hasOwnApp = oldest !== undefined && ownApps?.has(oldest.provider) === true;
    return { reason, count, oldest, turn: findResponsible(reason, hasOwnApp) };
  });
  return Promise.all(problems);
}

/** Counts each step at least as often as the later ones: a flow may have begun before the week. */
export function countFunnel(sums: ReadonlyMap<Activity, number>): Funnel {
  const counts = FUNNEL.map((step) => sums.get(step) ?? 0);
  const reached = counts.map((_, index) => Math.max(...counts.slice(index)));
  return {
    steps: FUNNEL.map((step, index) => {
      const count = reached[index] ?? 0;
      return { step, count, left: count - (reached[index + 1] ?? count) };
    }),
    denied: sums.get('flow_denied') ?? 0,
  };
}

/** Returns all 24 hours, oldest first, including hours without activity. */
function listHours(counts: readonly HourCount[], last: number): Hour[] {
  const countByHour = new Map(counts.map(({ hour, activity, count }) => [`${hour} ${activity}`, count]));
  return Array.from({ length: DAY_HOURS }, (_, index) => {
    const at = last - (DAY_HOURS - 1 - index) * HOUR_MS;
    const entries = DAILY.map((name) => [name, countByHour.get(`${at} ${name}`) ?? 0] as const);
    return { at, ...(Object.fromEntries(entries) as Record<DailyActivity, number>) }; // one for each name
  });
}
