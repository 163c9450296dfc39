/** GET /metrics for Prometheus, with the token of KALENDS_METRICS_TOKEN. Without that setting it is not there. */
import { hash, timingSafeEqual } from 'node:crypto';

import type { FastifyPluginAsync } from 'fastify';

import { METRICS_TYPE } from '../metrics/metrics-text.ts';
import { ANY_CALL, ApiError } from './refusal.ts';

export type MetricsRouteDeps = {
  readonly token: string;
  /** What is counted or looked up at each scrape, as text. */
  readonly scrape: () => Promise<string>;
};

/** At the origin's root alone. */
export function metricsRoute({ token, scrape }: MetricsRouteDeps): FastifyPluginAsync {
  const expected = digestOf(`Bearer ${token}`);
  return async (app) => {
    app.get('/metrics', async ({ headers }, reply) => {
      if (!timingSafeEqual(digestOf(headers.authorization ?? ''), expected))
        throw new ApiError(ANY_CALL.invalid_token, {
          message: 'Send the token of KALENDS_METRICS_TOKEN as Authorization: Bearer …',
          headers: { 'www-authenticate': 'Bearer' },
        });
      return reply.type(METRICS_TYPE).send(await scrape());
    });
  };
}

/** Of one length, whatever was sent. */
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
