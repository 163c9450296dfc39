/** POST, PUT and DELETE /calendars (additive to the wire). Only HTTP lives here. */
import type { FastifyPluginAsync } from 'fastify';

import { calendarDeletion, calendarUpdate, newCalendarRequest } from './calendar-input.ts';
import { createCalendar, deleteCalendar, updateCalendar } from './calendar-writes.ts';
import { type EventWriteRouteDeps, headerOf, JSON_TYPE } from './events.route.ts';
import { onceOnly } from './idempotency.ts';

/** Relative paths: mounted wherever the resources are. */
export function calendarWriteRoutes(deps: EventWriteRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const { check, grantOf } = deps.writeAccess;
    app.addHook('onRequest', check);

    app.post('/calendars', async (request, reply) => {
      const grant = grantOf(request);
      const { body } = request;
      const key = headerOf(request, 'idempotency-key');
      const repeatable = { ...grant, key, operation: 'create-calendar', body };
      const create = (seed: string) => createCalendar(newCalendarRequest(body), { grant, seed }, deps);
      return reply.type(JSON_TYPE).send(await onceOnly(repeatable, create, deps));
    });

    app.put('/calendars', async (request, reply) => {
      const update = calendarUpdate(request.body);
      return reply.type(JSON_TYPE).send(await updateCalendar(update, grantOf(request), deps));
    });

    app.delete('/calendars', async (request, reply) => {
      const name = calendarDeletion(request);
      return reply.type(JSON_TYPE).send(await deleteCalendar(name, grantOf(request), deps));
    });
  };
}
