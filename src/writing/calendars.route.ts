/** POST, PUT and DELETE /calendars (additive to the wire). */
import type { FastifyPluginAsync } from 'fastify';

import { calendarDeletion, calendarUpdate, newCalendarRequest } from './calendar-input.ts';
import { createCalendar, deleteCalendar, updateCalendar } from './calendar-writes.ts';
import { repeatable } from './event-posts.route.ts';
import { type EventWriteRouteDeps, JSON_TYPE } from './events.route.ts';
import { executeOnce } from './idempotency.ts';

export function calendarWriteRoutes(deps: EventWriteRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const { check, grantOf } = deps.writeAccess;
    app.addHook('onRequest', check);

    app.post('/calendars', async (request, reply) => {
      const grant = grantOf(request);
      const create = (seed: string) =>
        createCalendar(newCalendarRequest(request.body), { grant, seed }, deps);
      const answer = await executeOnce(repeatable(request, grant, 'create-calendar'), create, deps);
      return reply.type(JSON_TYPE).send(answer);
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
