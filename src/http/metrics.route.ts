/** GET /metrics for Prometheus, with the token of KALENDS_METRICS_TOKEN. It exists only if that is set. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import { METRICS_TYPE } from '../metrics/metrics-text.ts';
import { ANY_CALL, ApiError } from './refusal.ts';

export type MetricsRouteDeps = { readonly token: string; readonly scrape: () => Promise<string> };

/** Mounted only at the root of the origin. */
export function metricsRoute({ token, scrape }: MetricsRouteDeps): FastifyPluginAsync {
  const expected = hashSecret(`Bearer ${token}`);
  return async (app) => {
    app.get('/metrics', async ({ headers }, reply) => {
      if (!timingSafeEqual(hashSecret(headers.authorization ?? ''), expected))
        throw new ApiError(ANY_CALL.invalid_token, {
          message: 'Send the token of KALENDS_METRICS_TOKEN as Authorization: Bearer …',
          headers: { 'www-authenticate': 'Bearer' },
        });
      return reply.type(METRICS_TYPE).send(await scrape());
    });
  };
}

/** Returns a digest of constant length, as `timingSafeEqual` requires. */
const hashSecret = (text: string): Buffer => hash('sha256', text, 'buffer');
