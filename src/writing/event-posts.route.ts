/** POST /event and POST /event/rsvp (docs/wire.md 1.8, 1.9). */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Grant } from '../oauth/grant.ts';
import { createEvent, newEventRequest, respondToEvent, responseRequest } from './event-posts.ts';
import { type EventWriteRouteDeps, JSON_TYPE, readHeader } from './events.route.ts';
import { executeOnce, type Repeatable } from './idempotency.ts';
import type { GrantOwner } from './idempotency-store.ts';

export function eventPostRoutes(deps: EventWriteRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const { check, grantOf } = deps.writeAccess;
    app.addHook('onRequest', check);

    app.post('/event', async (request, reply) => {
      const grant = grantOf(request);
      const create = (seed: string) => createEvent(newEventRequest(request.body), { grant, seed }, deps);
      const answer = await executeOnce(repeatable(request, grant, 'create'), create, deps);
      return reply.type(JSON_TYPE).send(answer);
    });

    app.post('/event/rsvp', async (request, reply) => {
      const grant = grantOf(request);
      const respond = () => respondToEvent(responseRequest(request.body), grant, deps);
      const answer = await executeOnce(repeatable(request, grant, 'rsvp'), respond, deps);
      return reply.type(JSON_TYPE).send(answer);
    });
  };
}

/** Returns the request in the form that its Idempotency-Key makes repeatable. */
export function repeatable(
  request: FastifyRequest,
  { clientId, userId, coverageId }: Grant,
  operation: string,
): Repeatable<GrantOwner> {
  const owner = { clientId, userId, coverageId };
  return { owner, key: readHeader(request, 'idempotency-key'), operation, body: request.body };
}
