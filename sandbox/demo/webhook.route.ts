/**
 * The demo's webhook address. A delivery is accepted only after its signature is verified, over the body byte for byte.
 */
import type { FastifyPluginAsync } from 'fastify';

import { KalendsError, kalends, WebhookRefused } from '../../packages/client/src/kalends.ts';
import type { DeliveryLog, DeliveryPayload } from './delivery-log.ts';
import type { Application } from './kalends-client.ts';

export type WebhookDeps = {
  readonly application: Application;
  readonly deliveries: DeliveryLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export const WEBHOOK_PATH = '/webhooks';

export function webhookRoute({ application, deliveries, now }: WebhookDeps): FastifyPluginAsync {
  // The client fetches the application's public keys and caches them for as long as Kalends allows.
  const client = kalends({ ...application, url: application.kalendsUrl });

  return async (app) => {
    // The signature is over the raw body, not over the result of a parser.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    app.post(WEBHOOK_PATH, async ({ headers, body }, reply) => {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      const at = now();
      const refuse = (reason: string) => {
        deliveries.refuse({ at, reason, bytes: bytes.length });
        return reply.code(400).send({ error: reason });
      };
      try {
        // A payload that Kalends signed has the form that docs/webhooks.md describes.
        const payload = (await client.webhook({ headers, body: bytes })) as DeliveryPayload;
        deliveries.accept({ id: String(headers['webhook-id']), at, payload, raw: bytes.toString() });
        return reply.code(204).send();
      } catch (failure) {
        if (failure instanceof WebhookRefused) return refuse(failure.reason);
        // Kalends sends it again.
        if (failure instanceof KalendsError) return reply.code(503).send({ error: 'no_keys' });
        throw failure;
      }
    });
  };
}
