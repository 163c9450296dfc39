/** Accounts of all applications: those with problems grouped by reason, or page by page by reason or state. */

import { readableApplications } from '../administration/applications.ts';
import {
  CONNECTION_STATES,
  type ConnectionFilter,
  hasOnlyProblems,
  listConnections,
  readConnections,
} from '../administration/connections.ts';
import { HEALTH_REASONS, type HealthReason } from '../calendars/health-reason.ts';
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import type { ConnectedPosition, UnhealthyPosition } from '../user-data/accounts-by-health.ts';
import { TURNS } from '../user-data/responsible-party.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute, DashboardVisit } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import {
  CONNECTIONS,
  connectionsContent,
  connectionsPath,
  listContent,
  titleKey,
} from './pages/connections.page.ts';
import { referredPlace, sealedPlace } from './pages/user-links.ts';
import { get } from './routes.ts';

const OF_EACH = 5;
const ON_A_PAGE = 40;

export const connectionsRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  get(CONNECTIONS, 'user.list', async (visit) => {
    const { person, viewer, show } = visit;
    const clients = await readableApplications(person, deps);
    const query = readQuery(visit);
    const parts = { ...deps, clients, query };
    if (query.state !== undefined || query.reason !== undefined) {
      const content = listContent({ ...parts, ...(await listPage(visit, query)) }, viewer);
      return show({ title: messages.text(titleKey(query)), content });
    }
    const { clientId, provider, turn } = query;
    const groups = await readConnections(person, { clientId, provider, turn, limit: OF_EACH }, deps);
    const content = connectionsContent({ ...parts, groups }, viewer);
    return show({ title: messages.text('connections.title'), content });
  }),
];

/** Reads the filters, without values that do not exist or do not apply to accounts that work. */
function readQuery({ query }: DashboardVisit): ConnectionFilter {
  const clientId = query('client') || undefined;
  const state = CONNECTION_STATES.find((one) => one === query('state'));
  if (!hasOnlyProblems(state)) return { clientId, state };
  const provider = PROVIDER_KINDS.find((one) => one === query('provider'));
  const turn = TURNS.find((one) => one === query('turn'));
  return { clientId, state, provider, turn, reason: parseHealthReason(query('reason')) };
}

const parseHealthReason = (text: string): HealthReason | undefined =>
  Object.hasOwn(HEALTH_REASONS, text) ? (text as HealthReason) : undefined; // Its keys are the literal ones.

async function listPage({ person, query, deps }: DashboardVisit, filter: ConnectionFilter) {
  const after = referredPlace<UnhealthyPosition & ConnectedPosition>(query('after'), deps);
  const { accounts, next } = await listConnections(person, { ...filter, after, limit: ON_A_PAGE }, deps);
  return { accounts, nextPath: next && connectionsPath(filter, sealedPlace(next, deps)) };
}
