/** Writes a log line for each response: as `access` if the setting says so, else at level debug. */
import type { FastifyInstance } from 'fastify';
import type { Log } from '../lib/log.ts';
import { provenClientId } from './asker.ts';

export type LoggedAnswers = 'access' | 'debug';

export function logAnswers(app: FastifyInstance, as: LoggedAnswers, log: Log): void {
  app.addHook('onResponse', (request, reply, next) => {
    const { method, routeOptions, asker, ip, id: requestId } = request;
    const ms = Math.round(reply.elapsedTime);
    // The route's pattern, not the address: queries carry user ids and states, paths the ids of events.
    const fields = { method, route: routeOptions.url, status: reply.statusCode, ms, requestId };
    if (as === 'debug') log.debug({ event: 'request_answered', ...fields }, 'A request was answered');
    else
      log.info(
        { event: 'access', ...fields, application: provenClientId(asker), address: ip },
        'A request was answered',
      );
    next();
  });
}
