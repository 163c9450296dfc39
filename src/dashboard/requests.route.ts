/** The request log: of all applications, of one application, and one request with its context. */

import { readableApplications } from '../administration/applications.ts';
import { html } from '../http/html.ts';
import type { Client } from '../oauth/client.ts';
import { may } from '../people/permission.ts';
import type { RequestEntry } from '../request-log/request-entry.ts';
import { parseBodyFields } from '../request-log/shown-body.ts';
import { readClient, showTab } from './application-tab.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute, DashboardVisit } from './guard.ts';
import { filterValues, type Query } from './log-filter.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { APPLICATIONS } from './pages/applications.page.ts';
import { addressWith } from './pages/filter-form.page.ts';
import { top } from './pages/parts.page.ts';
import { requestPage } from './pages/request.page.ts';
import { REQUEST_FILTERS, REQUESTS, requestsContent, requestsTab } from './pages/requests.page.ts';
import {
  findRequest,
  formatRequestPosition,
  parseRequestPosition,
  pathOfRequest,
  readRequestFilter,
  readStatus,
} from './requests.ts';
import { get } from './routes.ts';

const ON_A_PAGE = 50;

type Listed = {
  readonly path: string;
  readonly clients: readonly Client[];
  readonly query: Query;
  /** Whether the list is of one application. It then has no filter by application. */
  readonly isOfOne: boolean;
};

/** Reads one page of the list, and whether the page may ask for new entries. */
async function listIn({ person, deps }: DashboardVisit, { path, clients, query, isOfOne }: Listed) {
  const { filter, problems } = await readRequestFilter(person, { query, clients }, deps);
  const after = parseRequestPosition(query('after'));
  const page = { after, limit: ON_A_PAGE + 1 };
  const entries = filter === undefined ? [] : await deps.requestLog.listRequests(filter, page);
  const requests = entries.slice(0, ON_A_PAGE);
  const last = entries.length > ON_A_PAGE ? requests.at(-1) : undefined;
  const values = { ...filterValues(REQUEST_FILTERS, query), ...(isOfOne && { client: undefined }) };
  const older = last && addressWith(path, { ...values, after: formatRequestPosition(last) });
  const choices = isOfOne ? undefined : clients;
  const status = readStatus(query);
  const parts = {
    path,
    clients: choices,
    query,
    status,
    problems,
    requests,
    older,
    days: deps.requestLogDays,
  };
  return {
    content: requestsContent(parts),
    status: problems.length === 0 ? 200 : 400,
    isLive: after === undefined && problems.length === 0,
  };
}

/** Finds the section of the documentation about the error of a request. The tables of errors are loaded on first use. */
async function findErrorSection({ body }: RequestEntry, { publicUrl }: Pick<OpenDashboard, 'publicUrl'>) {
  const { code, error = code } = parseBodyFields(body) ?? {};
  const { ERROR_GROUPS } = await import('../documentation/error-index.ts');
  const row = ERROR_GROUPS.flatMap(({ errors }) => errors).find(
    (one) => one.code === code || one.code === error,
  );
  if (row === undefined) return undefined;
  // The links are relative to the page that the section is on.
  const fix = row.fix.replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return { code: row.code, fix, url: `${publicUrl}/docs/errors#${row.code}` };
}

export const requestsRoutes = ({ requestLogDays: days }: OpenDashboard): DashboardRoute[] => [
  get(REQUESTS, 'request.list', async (visit) => {
    const clients = await readableApplications(visit.person, visit.deps);
    const list = await listIn(visit, { path: REQUESTS, clients, query: visit.query, isOfOne: false });
    const title = messages.text('requests.title');
    const content = html`${top(title, messages.text('requests.lead', { days }))}${list.content}`;
    return visit.show({ title, content, isLive: list.isLive }, list.status);
  }),
  get(`${REQUESTS}/:requestId`, 'request.list', async ({ person, parameter, show, deps }) => {
    const entry = await findRequest(person, parameter('requestId'), deps);
    const clients = await readableApplications(person, deps);
    const path = may(person, 'delivery.read', entry.clientId) ? await pathOfRequest(entry, deps) : undefined;
    const error = await findErrorSection(entry, deps);
    const content = requestPage({ entry, clients, path, error });
    return show({ title: `${entry.method} ${entry.route ?? messages.text('requests.no_route')}`, content });
  }),
  get(`${APPLICATIONS}/:clientId/requests`, 'request.read', async (visit) => {
    const client = await readClient(visit);
    const query: Query = (name) => (name === 'client' ? client.clientId : visit.query(name));
    const path = requestsTab(client.clientId);
    const list = await listIn(visit, { path, clients: [client], query, isOfOne: true });
    return showTab(visit, { client, tab: '/requests', ...list });
  }),
];
