/** POST, PUT and DELETE /event, and POST /event/rsvp (wire 1.8, 1.9). Only HTTP lives here. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import { type BearerDeps, requireScope } from '../oauth/bearer-authentication.ts';
import { bearerHook } from '../oauth/bearer-hook.ts';
import { createEvent } from './create-event.ts';
import { deleteEvent } from './delete-event.ts';
import { type IdempotencyDeps, onceOnly } from './idempotency.ts';
import { respondToEvent } from './respond-to-event.ts';
import { updateEvent } from './update-event.ts';
import type { WriteDeps } from './write-deps.ts';

export type EventWriteRouteDeps = BearerDeps & WriteDeps & IdempotencyDeps;

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
      const repeatable = {
        ...grant,
        key: headerOf(request, 'idempotency-key'),
        operation: 'create',
        body: request.body,
      };
      const answer = await onceOnly(repeatable, deps, (seed) => createEvent(request.body, grant, seed, deps));
      return reply.type(JSON_TYPE).send(answer);
    });

    app.post('/event/rsvp', async (request, reply) => {
      const grant = bearer.grantOf(request);
      const repeatable = {
        ...grant,
        key: headerOf(request, 'idempotency-key'),
        operation: 'rsvp',
        body: request.body,
      };
      const answer = await onceOnly(repeatable, deps, () => respondToEvent(request.body, grant, deps));
      return reply.type(JSON_TYPE).send(answer);
    });

    app.put('/event', async (request, reply) => {
      const ifMatch = headerOf(request, 'if-match');
      const { body } = await updateEvent(request.body, ifMatch, bearer.grantOf(request), deps);
      return reply.type(JSON_TYPE).send(body);
    });

    app.delete('/event', async (request, reply) => {
      const { query, body } = request;
      const asked = { query, body, ifMatch: headerOf(request, 'if-match') };
      return reply.type(JSON_TYPE).send(await deleteEvent(asked, bearer.grantOf(request), deps));
    });
  };
}

/** A header's value, several joined. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
