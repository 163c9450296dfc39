/** POST, PUT and DELETE /calendars (additive to the wire). Only HTTP lives here. */
import type { FastifyPluginAsync } from 'fastify';

import { requireScope } from '../oauth/bearer-authentication.ts';
import { bearerHook } from '../oauth/bearer-hook.ts';
import { calendarDeletion, calendarUpdate, newCalendarRequest } from './calendar-input.ts';
import { createCalendar, deleteCalendar, updateCalendar } from './calendar-writes.ts';
import { type EventWriteRouteDeps, headerOf, JSON_TYPE, NO_WRITING } from './events.route.ts';
import { onceOnly } from './idempotency.ts';

/** Relative paths: mounted wherever the resources are. */
export function calendarWriteRoutes(deps: EventWriteRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const bearer = bearerHook(deps);
    // Before the body is read: whoever may not write need not hear what is wrong with it.
    app.addHook('onRequest', async (request) => {
      await bearer.check(request);
      requireScope(bearer.grantOf(request), 'read-write', NO_WRITING);
    });

    app.post('/calendars', async (request, reply) => {
      const grant = bearer.grantOf(request);
      const { body } = request;
      const key = headerOf(request, 'idempotency-key');
      const repeatable = { ...grant, key, operation: 'create-calendar', body };
      const create = (seed: string) => createCalendar(newCalendarRequest(body), { grant, seed }, deps);
      return reply.type(JSON_TYPE).send(await onceOnly(repeatable, create, deps));
    });

    app.put('/calendars', async (request, reply) => {
      const update = calendarUpdate(request.body);
      return reply.type(JSON_TYPE).send(await updateCalendar(update, bearer.grantOf(request), deps));
    });

    app.delete('/calendars', async (request, reply) => {
      const name = calendarDeletion(request);
      return reply.type(JSON_TYPE).send(await deleteCalendar(name, bearer.grantOf(request), deps));
    });
  };
}
