/** `GET /.well-known/webhook-keys` (docs/wire.md 2.7): the keys that verify deliveries. */
import type { FastifyPluginAsync } from 'fastify';
import { ApiError } from '../http/refusal.ts';
import { SERVER } from '../http/server-error.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import type { WebhookSigner } from './webhook-signer.ts';

export type WebhookKeysRouteDeps = {
  readonly webhookSigner: Pick<WebhookSigner, 'published'>;
  readonly clients: Pick<ClientStore, 'findClient'>;
};

/** Far shorter than the overlap of a rotation. Clients cache keys for at most a day. */
const CACHED_FOR = 'public, max-age=3600';

/** Mounted at the origin's root, where clients look whatever the interface's path. */
export function webhookKeysRoute({ webhookSigner, clients }: WebhookKeysRouteDeps): FastifyPluginAsync {
  return async (app) => {
    for (const path of ['/.well-known/webhook-keys', '/.well-known/webhook-keys/:id'])
      app.get<{ Params: { id?: string } }>(path, async ({ params: { id } }, reply) => {
        if (id !== undefined && (await clients.findClient(id)) === undefined)
          throw new ApiError(SERVER.not_found, 'No application has this id');
        reply.header('cache-control', CACHED_FOR);
        return { keys: webhookSigner.published(id) };
      });
  };
}
