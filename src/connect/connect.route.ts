/** Everything a browser meets at the origin's root: `/authorize` in both its roles, and `/connect/…`. */
import type { FastifyPluginAsync } from 'fastify';
import { receivedQuery, scalar } from '../http/received-query.ts';
import { startFlow } from './authorize.route.ts';
import { consentRoutes } from './consent.route.ts';
import { disconnectRoutes } from './disconnect.route.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { pageSettingsRoutes } from './page-settings.route.ts';
import { passwordFormRoutes } from './password-form.route.ts';
import { progressRoute } from './progress.route.ts';
import { showSelection } from './provider-selection.route.ts';
import { redirectSignInRoutes } from './redirect-sign-in.route.ts';
import { prepare } from './visit.ts';

export type { ConnectDeps } from './flow/connect-deps.ts';

/** The Connect pages and the start of the flow, to be mounted at the origin's root. */
export function connectRoutes(deps: ConnectDeps): FastifyPluginAsync {
  return async (app) => {
    await prepare(app, deps);
    app.get('/authorize', async (request, reply) => {
      const query = receivedQuery(request.url);
      // The parameter that only this server makes tells the page from the start (wire 0).
      const starts = scalar(query, 'transaction') === undefined;
      return starts ? startFlow(request, reply, query, deps) : showSelection(request, reply, deps);
    });
    disconnectRoutes(app, deps);
    pageSettingsRoutes(app, deps);
    progressRoute(app, deps);
    redirectSignInRoutes(app, deps);
    passwordFormRoutes(app, deps);
    consentRoutes(app, deps);
  };
}
