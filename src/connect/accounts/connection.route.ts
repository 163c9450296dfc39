/** GET /connection-status and POST /disconnect (docs/wire.md 1.4, 1.5), mounted at several prefixes. */
import type { FastifyPluginAsync } from 'fastify';

import { FORM_BYTES } from '../../http/sizes.ts';
import { authenticateBearer, type BearerDeps } from '../../oauth/bearer-authentication.ts';
import { bearerHook } from '../../oauth/bearer-hook.ts';
import { type ConnectionDeps, connectionStatus, disconnect } from './connections.ts';

export type ConnectionRouteDeps = BearerDeps & ConnectionDeps;

type Fields = Readonly<Record<string, unknown>>;

export function connectionRoutes(deps: ConnectionRouteDeps): FastifyPluginAsync {
  const { check, grantOf } = bearerHook(deps);
  return async (app) => {
    app.get('/connection-status', async (request) => {
      const grant = await authenticateBearer(request, deps);
      return connectionStatus(grant, deps);
    });

    app.post<{ Querystring: Fields }>(
      '/disconnect',
      { onRequest: check, bodyLimit: FORM_BYTES },
      (request) => {
        const provider = fieldOf(request.query, request.body, 'provider');
        const account = fieldOf(request.query, request.body, 'account');
        return disconnect({ provider, account, address: request.ip }, grantOf(request), deps);
      },
    );
  };
}

/** The query's value, the body's where it has none. PHP sends an empty list for an empty body. */
function fieldOf(query: Fields, body: unknown, name: string): unknown {
  const value = query[name];
  const first = Array.isArray(value) ? value[0] : value;
  if (first !== undefined && first !== '') return first;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  return Reflect.get(body, name);
}
