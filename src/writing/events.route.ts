/** POST, PUT and DELETE /event, and POST /event/rsvp (docs/wire.md 1.8, 1.9). */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import type { Grant } from '../oauth/grant.ts';
import { createEvent, deleteEvent, respondToEvent, updateEvent } from './event-writes.ts';
import { executeOnce, type IdempotencyDeps, type Repeatable } from './idempotency.ts';
import type { EventWriteDeps } from './latest-version.ts';
import { deletionRequest, newEventRequest, responseRequest, updateRequest } from './write-requests.ts';
import type { WritingPorts } from './writing-ports.ts';

export type EventWriteRouteDeps = Pick<WritingPorts, 'writeAccess'> & EventWriteDeps & IdempotencyDeps;

export const JSON_TYPE = 'application/json; charset=utf-8';

export function eventWriteRoutes(deps: EventWriteRouteDeps): FastifyPluginAsync {
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

    app.put('/event', async (request, reply) => {
      const update = updateRequest(request.body, readHeader(request, 'if-match'));
      return reply.type(JSON_TYPE).send(await updateEvent(update, grantOf(request), deps));
    });

    app.delete('/event', async (request, reply) => {
      const deletion = deletionRequest(request, readHeader(request, 'if-match'));
      return reply.type(JSON_TYPE).send(await deleteEvent(deletion, grantOf(request), deps));
    });
  };
}

/** Returns the request in the form that its Idempotency-Key makes repeatable. */
export function repeatable(request: FastifyRequest, grant: Grant, operation: string): Repeatable {
  return { grant, key: readHeader(request, 'idempotency-key'), operation, body: request.body };
}

function readHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
