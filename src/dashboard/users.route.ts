/** The list of users, of all applications that the member may read or of one. */

import { readableApplications } from '../administration/applications.ts';
import { findUsers } from '../administration/users.ts';
import { html } from '../http/html.ts';
import type { UserPlace } from '../user-data/user-directory.ts';
import { readClient, showTab } from './application-tab.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute, DashboardVisit } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { APPLICATIONS, applicationPath } from './pages/applications.page.ts';
import { top } from './pages/parts.page.ts';
import { referredPlace, sealedPlace } from './pages/user-links.ts';
import { USERS, usersContent } from './pages/users.page.ts';
import { get } from './routes.ts';

const ON_A_PAGE = 50;

export const usersRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  get(USERS, 'user.list', async (visit) => {
    const applications = await readableApplications(visit.person, deps);
    const names = new Map(applications.map(({ clientId, name }) => [clientId, name]));
    const list = await listContent(visit, { names });
    const title = messages.text('users.title');
    return visit.show({ title, content: html`${top(title, messages.text('users.lead'))}${list}` });
  }),
  get(`${APPLICATIONS}/:clientId/users`, 'user.read', async (visit) => {
    const client = await readClient(visit);
    const { clientId, name } = client;
    const content = await listContent(visit, { clientId, names: new Map([[clientId, name]]) });
    return showTab(visit, { client, tab: '/users', content });
  }),
];

type Listed = { readonly clientId?: string; readonly names: ReadonlyMap<string, string> };

async function listContent({ person, viewer, query, deps }: DashboardVisit, { clientId, names }: Listed) {
  const beginning = query('q').trim();
  const after = referredPlace<UserPlace>(query('after'), deps);
  const page = await findUsers(person, { clientId, beginning, after, limit: ON_A_PAGE }, deps);
  const path = clientId === undefined ? USERS : `${applicationPath(clientId)}/users`;
  const { next } = page;
  const nextQuery = next && { ...(beginning !== '' && { q: beginning }), after: sealedPlace(next, deps) };
  const nextPath = nextQuery && `${path}?${new URLSearchParams(nextQuery)}`;
  const { userReferenceKey } = deps;
  const isFirstPage = after === undefined;
  return usersContent({ page, beginning, clientId, names, nextPath, userReferenceKey, isFirstPage }, viewer);
}
