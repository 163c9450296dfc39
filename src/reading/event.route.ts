/** GET /event, GET /events/{id} and GET /events/changes. The writes of /event are elsewhere. */
import type { FastifyPluginAsync } from 'fastify';
import { closedSignal } from '../http/closed-signal.ts';
import { authenticateBearer, type BearerDeps } from '../oauth/bearer-authentication.ts';
import { findEvent, parseEventRequest } from './find-event.ts';
import { type ListChangesDeps, listChanges } from './list-changes.ts';

export type EventRouteDeps = BearerDeps & ListChangesDeps;

type EventRequest = { Querystring: Record<string, unknown>; Params: { id: string } };

const JSON_TYPE = 'application/json; charset=utf-8';

/** Registers relative paths under the prefix of the resources. */
export function eventRoutes(deps: EventRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const stopping = new AbortController();
    app.addHook('preClose', async () => stopping.abort());
    app.get<EventRequest>('/event', async (request, reply) => {
      const grant = await authenticateBearer(request, deps);
      return reply.type(JSON_TYPE).send(await findEvent(parseEventRequest(request.query), grant, deps));
    });

    app.get<EventRequest>('/events/changes', async (request, reply) => {
      const authenticate = () => authenticateBearer(request, deps);
      const signal = AbortSignal.any([closedSignal(reply), stopping.signal]);
      return reply.type(JSON_TYPE).send(await listChanges(request.query, { authenticate, signal }, deps));
    });

    app.get<EventRequest>('/events/:id', async (request, reply) => {
      const grant = await authenticateBearer(request, deps);
      const target = parseEventRequest(request.query, request.params.id);
      return reply.type(JSON_TYPE).send(await findEvent(target, grant, deps));
    });
  };
}
