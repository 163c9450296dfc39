/** Everything a browser meets at the origin's root: `/authorize` in both its roles, and `/connect/…`. */
import type { FastifyPluginAsync } from 'fastify';

import { calendarsRoutes } from './calendars.route.ts';
import { consentRoutes } from './consent.route.ts';
import { disconnectRoutes } from './disconnect.route.ts';
import { prepare } from './error-pages.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { pageSettingsRoutes } from './page-settings.route.ts';
import { passwordFormRoutes } from './password-form.route.ts';
import { progressRoute } from './progress.route.ts';
import { providerSelectionRoute } from './provider-selection.route.ts';
import { redirectSignInRoutes } from './redirect-sign-in.route.ts';

/** The Connect pages and the start of the flow, to be mounted at the origin's root. */
export function connectRoutes(deps: ConnectDeps): FastifyPluginAsync {
  return async (app) => {
    await prepare(app, deps);
    providerSelectionRoute(app, deps);
    disconnectRoutes(app, deps);
    pageSettingsRoutes(app, deps);
    calendarsRoutes(app, deps);
    progressRoute(app, deps);
    redirectSignInRoutes(app, deps);
    passwordFormRoutes(app, deps);
    consentRoutes(app, deps);
  };
}
