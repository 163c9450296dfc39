/** GET /health (docs/wire.md 1.14): 200 once requests can be served. */
import type { FastifyPluginAsync } from 'fastify';

export const healthRoute: FastifyPluginAsync = async (app) => {
  app.route({ method: ['GET', 'HEAD'], url: '/health', handler: async () => ({ status: 'ok' }) });
};
