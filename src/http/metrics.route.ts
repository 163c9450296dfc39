/** GET /metrics for Prometheus, with the token of KALENDS_METRICS_TOKEN. Without that setting nothing is counted and nothing is there. */
import { hash, timingSafeEqual } from 'node:crypto';

import type { FastifyPluginAsync } from 'fastify';

import { METRICS_TYPE, type MetricFamily, metricsText } from './metrics-text.ts';
import { ApiError } from './refusal.ts';

export type MetricsRouteDeps = {
  readonly token: string;
  /** What is counted or looked up at each scrape. */
  readonly families: () => Promise<readonly MetricFamily[]>;
};

/** At the origin's root alone. */
export function metricsRoute({ token, families }: MetricsRouteDeps): FastifyPluginAsync {
  const expected = digestOf(`Bearer ${token}`);
  return async (app) => {
    app.get('/metrics', async ({ headers }, reply) => {
      if (!timingSafeEqual(digestOf(headers.authorization ?? ''), expected))
        throw new ApiError(401, 'invalid_token', {
          message: 'Send the token of KALENDS_METRICS_TOKEN as Authorization: Bearer …',
          headers: { 'www-authenticate': 'Bearer' },
        });
      return reply.type(METRICS_TYPE).send(metricsText(await families()));
    });
  };
}

/** Of one length, whatever was sent. */
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
