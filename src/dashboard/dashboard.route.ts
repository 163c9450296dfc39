/** The dashboard's routes, mounted at the root of its origin. */
import type { FastifyPluginAsync } from 'fastify';
import { readApplication, readableApplications } from '../administration/applications.ts';
import { waitingReviews } from '../administration/reviews.ts';
import { notice } from '../design/parts.page.ts';
import { acceptCookies } from '../http/cookies.ts';
import { isAtDashboard } from '../http/dashboard-origin.ts';
import { notFound } from '../http/error-mapping.ts';
import { html } from '../http/html.ts';
import { sendPage } from '../http/page.ts';
import { FORM_BYTES, PAGE_QUERY_BYTES } from '../http/sizes.ts';
import { readUploads } from '../http/upload-body.ts';
import { assignedClientIds, mayRole } from '../people/permission.ts';
import type { UnhealthyPlace } from '../webhooks/unhealthy-endpoints.ts';
import { accountRoutes } from './account.route.ts';
import { adminKeyRoutes } from './admin-keys.route.ts';
import { applicationRoutes } from './application.route.ts';
import { applicationsRoutes } from './applications.route.ts';
import { auditRoutes } from './audit.route.ts';
import { brandingRoutes } from './branding.route.ts';
import { connectionsRoutes } from './connections.route.ts';
import type { DashboardDeps, OpenDashboard } from './dashboard-deps.ts';
import { showDashboardErrors } from './dashboard-errors.ts';
import { deliveriesRoutes } from './deliveries.route.ts';
import { deliveryRoutes } from './delivery.route.ts';
import { type DashboardRoute, mount, type OpenRoute } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { readOverview } from './overview.ts';
import { APPLICATIONS } from './pages/applications.page.ts';
import { ENDPOINTS, endpointsContent } from './pages/needs-attention.page.ts';
import { overviewContent } from './pages/overview.page.ts';
import { top } from './pages/parts.page.ts';
import { referredPlace, sealedPlace } from './pages/user-links.ts';
import { waitingLink } from './pages/verification.page.ts';
import { passkeyRoutes } from './passkey.route.ts';
import { peopleRoutes } from './people.route.ts';
import { playgroundRoutes } from './playground.route.ts';
import { readPreviewWish, renderPreview } from './preview.ts';
import { providersRoutes } from './providers.route.ts';
import { requestsRoutes } from './requests.route.ts';
import { get } from './routes.ts';
import { signInRoutes } from './sign-in.route.ts';
import { singleSignOnRoutes } from './single-sign-on.route.ts';
import { systemRoutes } from './system.route.ts';
import { userRoutes } from './user.route.ts';
import { userActionRoutes } from './user-actions.route.ts';
import { usersRoutes } from './users.route.ts';
import { verificationRoutes } from './verification.route.ts';
import { webhooksRoutes } from './webhooks.route.ts';

export type { DashboardDeps } from './dashboard-deps.ts';

/** Returns all routes of the dashboard with the permission that each needs. */
export const allDashboardRoutes = (deps: OpenDashboard): readonly (DashboardRoute | OpenRoute)[] => [
  ...signInRoutes(deps),
  ...overviewRoutes(deps),
  ...applicationsRoutes(deps),
  ...applicationRoutes(deps),
  ...brandingRoutes(),
  ...verificationRoutes(),
  ...previewRoutes(),
  ...deliveriesRoutes(),
  ...deliveryRoutes(),
  ...providersRoutes(),
  ...webhooksRoutes(),
  ...requestsRoutes(deps),
  ...peopleRoutes(deps),
  ...playgroundRoutes(deps),
  ...usersRoutes(deps),
  ...userRoutes(),
  ...userActionRoutes(),
  ...connectionsRoutes(deps),
  ...auditRoutes(),
  ...systemRoutes(),
  ...adminKeyRoutes(),
  ...accountRoutes(deps),
  ...passkeyRoutes(deps),
  ...singleSignOnRoutes(deps),
];

/** Mounts the dashboard if it is on. Responds 404 outside its networks and, with its own origin, at other hosts. */
export function dashboardRoutes(deps: DashboardDeps): FastifyPluginAsync {
  return async (app) => {
    const { dashboardUrl } = deps;
    if (dashboardUrl === undefined) return;
    const open: OpenDashboard = { ...deps, dashboardUrl };
    app.addHook('onRoute', (route) => {
      route.bodyLimit ??= FORM_BYTES;
      route.config = { ...route.config, mostQueryBytes: PAGE_QUERY_BYTES };
    });
    await acceptCookies(app);
    readUploads(app);
    showDashboardErrors(app, open);
    app.addHook('onRequest', (request, _reply, next) => {
      next(isAtDashboard(request, deps) ? undefined : notFound(request));
    });
    for (const route of allDashboardRoutes(open)) mount(app, route, open);
  };
}

const ENDPOINTS_ON_A_PAGE = 40;

export const overviewRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  get('/dashboard', 'overview.read', async ({ person, viewer, query, show }) => {
    const isChecked = query('done') === 'checked';
    const [overview, waiting] = await Promise.all([
      readOverview(person, deps),
      mayRole(person.role, 'verification.review') ? waitingReviews(person, deps) : [],
    ]);
    const { applications: count } = overview;
    const title = messages.text('overview.title');
    const counted = messages.text('overview.applications', { count });
    const content = html`${top(title, messages.text('overview.lead'))}
${waitingLink(waiting.length)}
${isChecked && notice('done', html`${messages.text('system.done.checked')}`, true)}
<p>${count === 0 ? counted : html`<a href="${APPLICATIONS}">${counted}</a>`}</p>
${overviewContent(overview, viewer, deps)}`;
    return show({ title, content });
  }),
  get(ENDPOINTS, 'overview.read', async ({ person, viewer, query, show }) => {
    const after = referredPlace<UnhealthyPlace>(query('after'), deps);
    const clientIds = assignedClientIds(person);
    const endpoints = await deps.unhealthyEndpoints.listUnhealthy({ clientIds, now: deps.now() }, after);
    const applications = await readableApplications(person, deps);
    const names = new Map(applications.map(({ clientId, name }) => [clientId, name]));
    const visible = endpoints.slice(0, ENDPOINTS_ON_A_PAGE);
    const last = endpoints.length > visible.length ? visible.at(-1) : undefined;
    const next = last && sealedPlace({ since: last.since, endpointId: last.endpointId }, deps);
    const nextPath = next && `${ENDPOINTS}?${new URLSearchParams({ after: next })}`;
    const content = endpointsContent({ endpoints: visible, names, nextPath }, viewer);
    return show({ title: messages.text('endpoints.title'), content });
  }),
];

export const previewRoutes = (): DashboardRoute[] => [
  get('/dashboard/preview/:clientId', 'application.read', async (visit) => {
    const client = await readApplication(visit.person, visit.parameter('clientId'), visit.deps);
    return sendPage(visit.reply, await renderPreview(client, readPreviewWish(visit.query), visit.deps));
  }),
];
