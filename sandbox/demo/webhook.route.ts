/** The demo's webhook address. A delivery is believed once its signature is checked, over the body byte for byte. */
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
  // It fetches the application's public keys and keeps them for as long as Kalends says.
  const client = kalends({ ...application, url: application.kalendsUrl });

  return async (app) => {
    // What a parser makes of a body is no longer what was signed.
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
        // What Kalends signed has the form that docs/webhooks.md describes.
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
