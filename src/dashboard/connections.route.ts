/** Unhealthy accounts of all applications: grouped by reason, or all of one reason page by page. */

import { readableApplications } from '../administration/applications.ts';
import { listConnections, readConnections } from '../administration/connections.ts';
import { HEALTH_REASONS, type HealthReason } from '../calendars/health-reason.ts';
import type { UnhealthyPosition } from '../user-data/unhealthy-accounts.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute, DashboardVisit } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { CONNECTIONS, connectionsContent, reasonContent } from './pages/connections.page.ts';
import { referredPlace, sealedPlace } from './pages/user-links.ts';
import { get } from './routes.ts';

const OF_EACH = 5;
const ON_A_PAGE = 25;

export const connectionsRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  get(CONNECTIONS, 'user.list', async (visit) => {
    const { person, viewer, query, show } = visit;
    const applications = await readableApplications(person, deps);
    const names = new Map(applications.map(({ clientId, name }) => [clientId, name]));
    const reason = parseHealthReason(query('reason'));
    if (reason !== undefined) return showReason(visit, reason, names);
    const groups = await readConnections(person, { limit: OF_EACH }, deps);
    const content = connectionsContent({ ...deps, groups, names }, viewer);
    return show({ title: messages.text('connections.title'), content });
  }),
];

const parseHealthReason = (text: string): HealthReason | undefined =>
  Object.hasOwn(HEALTH_REASONS, text) ? (text as HealthReason) : undefined; // Its keys are the literal ones.

async function showReason(visit: DashboardVisit, reason: HealthReason, names: ReadonlyMap<string, string>) {
  const { person, viewer, query, show, deps } = visit;
  const after = referredPlace<UnhealthyPosition>(query('after'), deps);
  const { accounts, next } = await listConnections(person, { reason, after, limit: ON_A_PAGE }, deps);
  const nextQuery = next && { reason, after: sealedPlace(next, deps) };
  const nextPath = nextQuery && `${CONNECTIONS}?${new URLSearchParams(nextQuery)}`;
  const content = reasonContent({ ...deps, reason, accounts, names, nextPath }, viewer);
  return show({ title: messages.text(`reason.${reason}`), content });
}
