/** GET /events (docs/wire.md 1.7). */
import type { FastifyPluginAsync } from 'fastify';
import { closedSignal } from '../http/closed-signal.ts';
import { authenticateBearer, type BearerDeps } from '../oauth/bearer-authentication.ts';
import { type ListEventsDeps, listEvents } from './list-events.ts';

export type EventListRouteDeps = BearerDeps & ListEventsDeps;

/** Registers relative paths under the prefix of the resources. */
export function eventListRoute(deps: EventListRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Record<string, unknown> }>('/events', async (request, reply) => {
      const grant = await authenticateBearer(request, deps);
      const answer = await listEvents(request.query, { grant, closed: () => closedSignal(reply) }, deps);
      return reply.type('application/json; charset=utf-8').send(answer);
    });
  };
}
