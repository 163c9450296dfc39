/** DELETE /event (docs/wire.md 1.9). */
import type { FastifyPluginAsync } from 'fastify';
import { deleteEvent, deletionRequest } from './delete-event.ts';
import { type EventWriteRouteDeps, JSON_TYPE, readHeader } from './events.route.ts';

export function deleteEventRoute(deps: EventWriteRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const { check, grantOf } = deps.writeAccess;
    app.addHook('onRequest', check);

    app.delete('/event', async (request, reply) => {
      const deletion = deletionRequest(request, readHeader(request, 'if-match'));
      return reply.type(JSON_TYPE).send(await deleteEvent(deletion, grantOf(request), deps));
    });
  };
}
