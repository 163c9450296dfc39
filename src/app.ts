/** The routes of the program and where they are mounted. It decides nothing else. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';

import {
  type AdministrationRouteDeps,
  administrationRoutes,
} from './administration/operations/administration.route.ts';
import {
  type ApiReferenceDeps,
  adminDocumentText,
  apiReferenceRoutes,
} from './api-reference/api-reference.route.ts';
import { type LogoRouteDeps, logoRoute } from './branding/logo.route.ts';
import { type ConnectionRouteDeps, connectionRoutes } from './connect/accounts/connection.route.ts';
import { type UsersRouteDeps, usersRoutes } from './connect/accounts/users.route.ts';
import { authorizeRoute } from './connect/authorize.route.ts';
import { connectRoutes } from './connect/connect.route.ts';
import { checkPushedParameters } from './connect/flow/authorize-request.ts';
import type { ConnectDeps } from './connect/flow/connect-deps.ts';
import { findAccountToReconnect } from './connect/flow/start-authorization.ts';
import { type DashboardDeps, dashboardRoutes } from './dashboard/dashboard.route.ts';
import { ICON_SVG } from './design/parts.page.ts';
import { type DocumentationDeps, documentationRoutes } from './documentation/documentation.route.ts';
import { type FreeBusyRouteDeps, freeBusyRoutes } from './free-busy/free-busy.route.ts';
import { answerHead } from './http/allowed-methods.ts';
import { isAtDashboard } from './http/dashboard-origin.ts';
import { healthRoute } from './http/health.route.ts';
import { homePage } from './http/home.page.ts';
import { type MetricsRouteDeps, metricsRoute } from './http/metrics.route.ts';
import { type ReadyRouteDeps, readyRoute } from './http/ready.route.ts';
import { rootFilesRoute } from './http/root-files.route.ts';
import { type SecurityTxtDeps, securityTxtRoute } from './http/security-txt.route.ts';
import { createServer, type ServerOptions } from './http/server.ts';
import { introspectionRoute } from './oauth/introspection.route.ts';
import { createIssuer, type Issuer } from './oauth/issuers.ts';
import { type MetadataDeps, metadataRoutes } from './oauth/metadata.route.ts';
import { type ParRouteDeps, parRoute } from './oauth/par.route.ts';
import { revocationRoute } from './oauth/revocation.route.ts';
import type { RevocationDeps } from './oauth/revocation.ts';
import { type TokenRouteDeps, tokenRoute } from './oauth/token.route.ts';
import { answerCache } from './reading/answer-cache.ts';
import { type CalendarRouteDeps, calendarRoutes } from './reading/calendars.route.ts';
import { type EventRouteDeps, eventRoutes } from './reading/event.route.ts';
import { type EventListRouteDeps, eventListRoute } from './reading/events.route.ts';
import { type ReceiverRouteDeps, receiverRoutes } from './watches/receivers.route.ts';
import { type DeliveriesRouteDeps, deliveriesRoutes } from './webhooks/deliveries.route.ts';
import { type ListenersRouteDeps, listenersRoutes } from './webhooks/listeners.route.ts';
import { type WebhookKeysRouteDeps, webhookKeysRoute } from './webhooks/webhook-keys.route.ts';
import { type WebhookRouteDeps, webhookRoutes } from './webhooks/webhooks.route.ts';
import { calendarWriteRoutes } from './writing/calendars.route.ts';
import { deleteEventRoute } from './writing/delete-event.route.ts';
import { eventPostRoutes } from './writing/event-posts.route.ts';
import { type EventWriteRouteDeps, updateEventRoute } from './writing/events.route.ts';
import { type WritingPorts, writingPorts } from './writing/writing-ports.ts';

export type AppDeps = ServerOptions &
  ApiReferenceDeps &
  DocumentationDeps &
  MetadataDeps &
  Omit<TokenRouteDeps, 'issuer'> &
  RevocationDeps &
  Omit<ParRouteDeps, 'issuer' | 'checkAuthorization' | 'hasAccount'> &
  ConnectDeps &
  LogoRouteDeps &
  CalendarRouteDeps &
  EventListRouteDeps &
  EventRouteDeps &
  FreeBusyRouteDeps &
  Omit<EventWriteRouteDeps, keyof WritingPorts> &
  ConnectionRouteDeps &
  UsersRouteDeps &
  Omit<WebhookRouteDeps, keyof WritingPorts> &
  DeliveriesRouteDeps &
  ListenersRouteDeps &
  WebhookKeysRouteDeps &
  ReceiverRouteDeps &
  DashboardDeps &
  AdministrationAppDeps &
  ReadyRouteDeps &
  SecurityTxtDeps & {
    /** Undefined if there is no GET /metrics. */
    readonly metrics?: MetricsRouteDeps | undefined;
  };

type AppChecking = NonNullable<AdministrationRouteDeps['appChecking']>;
type AdministrationAppDeps = Omit<AdministrationRouteDeps, LazyDeps> &
  AppChecking & {
    /** Whether the administration API is at the origin of the dashboard. */
    readonly hasAdministration: boolean;
  };

type LazyDeps = 'adminDocument' | 'appChecking' | 'findRenderer';

/** Returns the dependencies whose modules are loaded when they are first used. */
const lazyDeps = (
  deps: AppChecking & { readonly publicUrl: string },
): Pick<AdministrationRouteDeps, LazyDeps> => ({
  appChecking: deps,
  adminDocument: adminDocumentText(deps.publicUrl),
  async findRenderer(row) {
    const { findRenderer } = await import('./cli/cli.ts');
    return findRenderer(row);
  },
});

/** Returns the administration API alone, not yet listening. It logs and counts no requests. */
export function buildAdministration(
  deps: ServerOptions & Omit<AdministrationAppDeps, 'hasAdministration'>,
): FastifyInstance {
  const { log, trustProxy, databaseRefused, connectionLimits, isDraining, errorDocumentation } = deps;
  const options = { log, trustProxy, databaseRefused, errorDocumentation, secure: false };
  const limits = { ...(connectionLimits && { connectionLimits }), ...(isDraining && { isDraining }) };
  const app = createServer({ ...options, ...limits });
  app.register(administrationRoutes({ ...deps, ...lazyDeps(deps) }, () => true));
  return app;
}

/** Returns the whole program behind HTTP, not yet listening. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps);
  const receivers = receiverRoutes(deps);
  app.register(connectRoutes(deps));
  app.register(dashboardRoutes(deps));
  if (deps.hasAdministration) {
    const isHere = (request: FastifyRequest) => isAtDashboard(request, deps);
    app.register(administrationRoutes({ ...deps, ...lazyDeps(deps) }, isHere));
  }
  app.register(logoRoute(deps));
  app.register(async (documents) => {
    answerHead(documents);
    documents.register(metadataRoutes(deps));
    documents.register(webhookKeysRoute(deps));
    documents.register(apiReferenceRoutes(deps));
    documents.register(documentationRoutes(deps));
    documents.register(homePage(deps));
    documents.register(securityTxtRoute(deps));
    documents.register(rootFilesRoute(ICON_SVG));
  });
  app.register(readyRoute(deps));
  if (deps.metrics !== undefined) app.register(metricsRoute(deps.metrics));
  app.register(healthRoute);
  app.register(healthRoute, { prefix: '/api' });
  for (const prefix of ['', '/api']) app.register(receivers, { prefix });

  // The interface's paths are at the origin's root, and the published clients' paths under /api (docs/wire.md 0), with
  // one set of handlers. `/authorize` at the root is also the page; connectRoutes has it.
  const resources = resourceRoutes(deps);
  for (const prefix of ['', '/api', '/api/oauth']) app.register(resources, { prefix });
  const [issuer, strict] = [createIssuer('default', deps.publicUrl), createIssuer('fapi2', deps.publicUrl)];
  app.register(oauthRoutes(deps, issuer));
  app.register(issuerRoutes(deps, issuer), { prefix: '/api/oauth' });
  app.register(issuerRoutes(deps, strict), { prefix: strict.prefix });
  return app;
}

function resourceRoutes(appDeps: AppDeps): FastifyPluginAsync {
  const deps = { ...appDeps, answers: answerCache(), ...writingPorts(appDeps) };
  return async (app) => {
    // A listener's GET reads deliveries.
    app.register(listenersRoutes(deps));
    app.register(async (reads) => {
      answerHead(reads);
      reads.register(calendarRoutes(deps));
      reads.register(eventListRoute(deps));
      reads.register(eventRoutes(deps));
      reads.register(freeBusyRoutes(deps));
      reads.register(updateEventRoute(deps));
      reads.register(deleteEventRoute(deps));
      reads.register(eventPostRoutes(deps));
      reads.register(calendarWriteRoutes(deps));
      reads.register(connectionRoutes(deps));
      reads.register(usersRoutes(deps));
      reads.register(webhookRoutes(deps));
      reads.register(deliveriesRoutes(deps));
    });
  };
}

/** All endpoints of an issuer, for prefixes other than the origin's root. */
const issuerRoutes =
  (deps: AppDeps, issuer: Issuer): FastifyPluginAsync =>
  async (app) => {
    app.register(oauthRoutes(deps, issuer));
    app.register(authorizeRoute({ ...deps, issuer }));
  };

function oauthRoutes(appDeps: AppDeps, issuer: Issuer): FastifyPluginAsync {
  const hasAccount: ParRouteDeps['hasAccount'] = async (account) =>
    (await findAccountToReconnect(account, appDeps)) !== undefined;
  const pushing = { checkAuthorization: checkPushedParameters, hasAccount };
  const deps = { ...appDeps, ...pushing, issuer, signer: appDeps.signer.at(issuer) };
  return async (app) => {
    for (const route of [tokenRoute, revocationRoute, introspectionRoute, parRoute])
      app.register(route(deps));
  };
}
