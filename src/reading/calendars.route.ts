/** GET /calendars (docs/wire.md 1.6). */
import type { FastifyPluginAsync } from 'fastify';
import { authenticateBearer, type BearerDeps, requireScope } from '../oauth/bearer-authentication.ts';
import { type ListCalendarsDeps, listCalendars, problemsHeader } from './list-calendars.ts';

export type CalendarRouteDeps = BearerDeps & ListCalendarsDeps;

const NO_CALENDAR_LIST = 'Calendar list access is forbidden for free-busy scope';

/** Registers relative paths under the prefix of the resources. */
export function calendarRoutes(deps: CalendarRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.get('/calendars', async (request, reply) => {
      const grant = await authenticateBearer(request, deps);
      requireScope(grant, 'read', { message: NO_CALENDAR_LIST, error: NO_CALENDAR_LIST });
      const { body, problems } = await listCalendars(grant, deps);
      if (problems.length > 0) reply.header('kalends-errors', problemsHeader(problems));
      return reply.type('application/json; charset=utf-8').send(body);
    });
  };
}
