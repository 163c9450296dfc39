/** `GET /.well-known/webhook-keys` (docs/wire.md 2.7): what receivers verify deliveries with. */
import type { FastifyPluginAsync } from 'fastify';

import type { WebhookSigner } from './webhook-signer.ts';

export type WebhookKeysRouteDeps = { readonly webhookSigner: WebhookSigner };

/** Shorter than the overlap of a rotation by far; clients keep keys for a day at most. */
const CACHED_FOR = 'public, max-age=3600';

/** Mounted at the origin's root, where clients look whatever path the interface is under. */
export function webhookKeysRoute({ webhookSigner }: WebhookKeysRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.get('/.well-known/webhook-keys', async (_request, reply) => {
      reply.header('cache-control', CACHED_FOR);
      return { keys: webhookSigner.published() };
    });
  };
}
