/** The dashboard, to be mounted at the origin's root. Which pages it has is one list. */
import type { FastifyPluginAsync } from 'fastify';
import { acceptCookies } from '../http/cookies.ts';
import { notFound } from '../http/error-mapping.ts';
import { FORM_BYTES, PAGE_QUERY_BYTES } from '../http/sizes.ts';
import { readUploads } from '../http/upload-body.ts';
import { accountRoutes } from './account.route.ts';
import { applicationRoutes } from './application.route.ts';
import { applicationsRoutes } from './applications.route.ts';
import { auditRoutes } from './audit.route.ts';
import { brandingRoutes } from './branding.route.ts';
import { connectionsRoutes } from './connections.route.ts';
import type { DashboardDeps, OpenDashboard } from './dashboard-deps.ts';
import { showDashboardErrors } from './dashboard-errors.ts';
import { deliveriesRoutes } from './deliveries.route.ts';
import { deliveryRoutes } from './delivery.route.ts';
import { doorRoutes } from './door.route.ts';
import { type DashboardRoute, type DoorRoute, mount } from './guard.ts';
import { overviewRoutes } from './overview.route.ts';
import { passkeyRoutes } from './passkey.route.ts';
import { peopleRoutes } from './people.route.ts';
import { personAccessRoutes } from './person-access.route.ts';
import { playgroundRoutes } from './playground.route.ts';
import { previewRoutes } from './preview.route.ts';
import { providersRoutes } from './providers.route.ts';
import { requestsRoutes } from './requests.route.ts';
import { singleSignOnRoutes } from './single-sign-on.route.ts';
import { systemRoutes } from './system.route.ts';
import { userRoutes } from './user.route.ts';
import { userActionRoutes } from './user-actions.route.ts';
import { usersRoutes } from './users.route.ts';
import { verificationRoutes } from './verification.route.ts';
import { webhooksRoutes } from './webhooks.route.ts';

export type { DashboardDeps } from './dashboard-deps.ts';

/** Every route of the dashboard, with who may take it. */
export const allDashboardRoutes = (deps: OpenDashboard): readonly (DashboardRoute | DoorRoute)[] => [
  ...doorRoutes(deps),
  ...overviewRoutes(deps),
  ...applicationsRoutes(deps),
  ...applicationRoutes(deps),
  ...brandingRoutes(),
  ...verificationRoutes(),
  ...previewRoutes(),
  ...deliveriesRoutes(),
  ...deliveryRoutes(deps),
  ...providersRoutes(),
  ...webhooksRoutes(),
  ...requestsRoutes(deps),
  ...peopleRoutes(deps),
  ...personAccessRoutes(deps),
  ...playgroundRoutes(deps),
  ...usersRoutes(deps),
  ...userRoutes(),
  ...userActionRoutes(),
  ...connectionsRoutes(deps),
  ...auditRoutes(deps),
  ...systemRoutes(),
  ...accountRoutes(deps),
  ...passkeyRoutes(deps),
  ...singleSignOnRoutes(deps),
];

/** Mounts nothing if the dashboard is off. Outside its networks, and at other origins than its own, it is 404. */
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
      const isAtOrigin = !deps.hasOwnOrigin || request.host === new URL(dashboardUrl).host;
      next(isAtOrigin && deps.isDashboardNetwork(request.ip) ? undefined : notFound(request));
    });
    for (const route of allDashboardRoutes(open)) mount(app, route, open);
  };
}
