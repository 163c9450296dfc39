/**
 * Webhook subscriptions, which are not available yet (docs/wire.md 1.12), under both of their names
 * (docs/wire.md C11).
 */
import type { FastifyPluginAsync } from 'fastify';

import { ApiError } from '../http/refusal.ts';
import { authenticateBearer, type BearerDeps } from '../oauth/bearer-authentication.ts';

export type WebhookRouteDeps = BearerDeps;

const PATHS = ['/subscribe-webhook', '/unsubscribe-webhook', '/webhooks/subscribe', '/webhooks/unsubscribe'];

/** Every scope may subscribe: a notification contains only what its scope may read (docs/wire.md 3.2). */
export function webhookRoutes(deps: WebhookRouteDeps): FastifyPluginAsync {
  return async (app) => {
    for (const url of PATHS) {
      app.route({
        method: 'POST',
        url,
        onRequest: async ({ headers }) => {
          await authenticateBearer(headers.authorization, deps);
          throw new ApiError(501, 'not_implemented', 'Webhook subscriptions are not available yet');
        },
        handler: async () => {},
      });
    }
  };
}
