/** GET /connection-status and POST /disconnect (docs/wire.md 1.4, 1.5), mounted at several prefixes. */
import type { FastifyPluginAsync } from 'fastify';

import { asObject } from '../../http/fields.ts';
import { readQueryOrBody } from '../../http/sent-parameters.ts';
import { FORM_BYTES } from '../../http/sizes.ts';
import { authenticateBearer, type BearerDeps } from '../../oauth/bearer-authentication.ts';
import { bearerHook } from '../../oauth/bearer-hook.ts';
import { type ConnectionDeps, connectionStatus, DISCONNECTION, disconnect } from './connections.ts';

export type ConnectionRouteDeps = BearerDeps & ConnectionDeps;

export function connectionRoutes(deps: ConnectionRouteDeps): FastifyPluginAsync {
  const { check, grantOf } = bearerHook(deps);
  return async (app) => {
    app.get('/connection-status', async (request) => {
      const grant = await authenticateBearer(request, deps);
      return connectionStatus(grant, deps);
    });

    app.post('/disconnect', { onRequest: check, bodyLimit: FORM_BYTES }, (request) => {
      // A body that is not an object has no fields.
      const sent = { query: request.query, body: asObject(request.body) };
      const input = readQueryOrBody(sent, DISCONNECTION);
      return disconnect({ ...input, address: request.ip }, grantOf(request), deps);
    });
  };
}
