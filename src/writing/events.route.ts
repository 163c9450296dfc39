/** POST, PUT and DELETE /event, and POST /event/rsvp (wire 1.8, 1.9). Only HTTP lives here. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import { type BearerDeps, requireScope } from '../oauth/bearer-authentication.ts';
import { bearerHook } from '../oauth/bearer-hook.ts';
import { createEvent } from './create-event.ts';
import { deleteEvent } from './delete-event.ts';
import { type IdempotencyDeps, onceOnly } from './idempotency.ts';
import type { EventWriteDeps } from './latest-version.ts';
import { respondToEvent } from './respond-to-event.ts';
import { updateEvent } from './update-event.ts';
import { deletionRequest, newEventRequest, responseRequest, updateRequest } from './write-requests.ts';

export type EventWriteRouteDeps = BearerDeps & EventWriteDeps & IdempotencyDeps;

export const JSON_TYPE = 'application/json; charset=utf-8';
export const NO_WRITING = 'Write access denied for current scope';

/** Relative paths: mounted wherever the resources are. */
export function eventWriteRoutes(deps: EventWriteRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const bearer = bearerHook(deps);
    // Before the body is read: whoever may not write need not hear what is wrong with it.
    app.addHook('onRequest', async (request) => {
      await bearer.check(request);
      requireScope(bearer.grantOf(request), 'read-write', NO_WRITING);
    });

    app.post('/event', async (request, reply) => {
      const grant = bearer.grantOf(request);
      const { body } = request;
      const repeatable = { ...grant, key: headerOf(request, 'idempotency-key'), operation: 'create', body };
      const create = (seed: string) => createEvent(newEventRequest(body), { grant, seed }, deps);
      return reply.type(JSON_TYPE).send(await onceOnly(repeatable, create, deps));
    });

    app.post('/event/rsvp', async (request, reply) => {
      const grant = bearer.grantOf(request);
      const { body } = request;
      const repeatable = { ...grant, key: headerOf(request, 'idempotency-key'), operation: 'rsvp', body };
      const respond = () => respondToEvent(responseRequest(body), grant, deps);
      return reply.type(JSON_TYPE).send(await onceOnly(repeatable, respond, deps));
    });

    app.put('/event', async (request, reply) => {
      const update = updateRequest(request.body, headerOf(request, 'if-match'));
      return reply.type(JSON_TYPE).send(await updateEvent(update, bearer.grantOf(request), deps));
    });

    app.delete('/event', async (request, reply) => {
      const deletion = deletionRequest(request, headerOf(request, 'if-match'));
      return reply.type(JSON_TYPE).send(await deleteEvent(deletion, bearer.grantOf(request), deps));
    });
  };
}

/** A header's value, several joined. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
