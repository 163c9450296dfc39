/** Webhook subscriptions (docs/wire.md 1.12), under both of their names (docs/wire.md C11). */
import type { FastifyPluginAsync } from 'fastify';
import type { BearerDeps } from '../oauth/bearer-authentication.ts';
import { bearerHook } from '../oauth/bearer-hook.ts';
import { listSubscriptions, type SubscriptionDeps, subscribe, unsubscribe } from './subscriptions.ts';

export type WebhookRouteDeps = BearerDeps & SubscriptionDeps;

/** Every scope may subscribe: a delivery contains only what the scope may read (docs/wire.md 3.2). */
export function webhookRoutes(deps: WebhookRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const { check, grantOf } = bearerHook(deps);
    app.addHook('onRequest', check);
    for (const url of ['/subscribe-webhook', '/webhooks/subscribe'])
      app.post(url, async (request) => subscribe(request.body, grantOf(request), deps));
    for (const url of ['/unsubscribe-webhook', '/webhooks/unsubscribe'])
      app.post(url, async (request) => unsubscribe(request.body, grantOf(request), deps));
    app.get('/subscriptions', async (request) => listSubscriptions(grantOf(request), deps));
  };
}
