/** PUT /event (docs/wire.md 1.9). */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import { updateEvent } from './event-writes.ts';
import type { IdempotencyDeps } from './idempotency.ts';
import type { EventWriteDeps } from './latest-version.ts';
import { updateRequest } from './write-requests.ts';
import type { WritingPorts } from './writing-ports.ts';

export type EventWriteRouteDeps = Pick<WritingPorts, 'writeAccess'> & EventWriteDeps & IdempotencyDeps;

export const JSON_TYPE = 'application/json; charset=utf-8';

export function updateEventRoute(deps: EventWriteRouteDeps): FastifyPluginAsync {
  return async (app) => {
    const { check, grantOf } = deps.writeAccess;
    app.addHook('onRequest', check);

    app.put('/event', async (request, reply) => {
      const update = updateRequest(request.body, readHeader(request, 'if-match'));
      return reply.type(JSON_TYPE).send(await updateEvent(update, grantOf(request), deps));
    });
  };
}

export function readHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
