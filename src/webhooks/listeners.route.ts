/** Listeners (listeners.ts), for the application itself, by HTTP Basic. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { beforeBody } from '../http/before-body.ts';
import { closedSignal } from '../http/closed-signal.ts';
import { FORM_BYTES } from '../http/sizes.ts';
import { type ApplicationCallDeps, authenticateBasic } from '../oauth/client-authentication.ts';
import { addListener, type ListenersDeps, removeListener, takeDeliveries } from './listeners.ts';

export type ListenersRouteDeps = ApplicationCallDeps & ListenersDeps;

type OfListener = { Params: { id: string } };

export function listenersRoutes(deps: ListenersRouteDeps): FastifyPluginAsync {
  const { check, foundOf } = beforeBody((request: FastifyRequest) => authenticateBasic(request, deps));
  const options = { onRequest: check, bodyLimit: FORM_BYTES };
  return async (app) => {
    const stopping = new AbortController();
    app.addHook('preClose', async () => stopping.abort());
    app.post('/webhooks/listeners', options, (request) =>
      addListener(foundOf(request).clientId, request.body, deps),
    );
    app.get<OfListener>('/webhooks/listeners/:id/deliveries', options, (request, reply) => {
      const signal = AbortSignal.any([closedSignal(reply), stopping.signal]);
      const listener = { clientId: foundOf(request).clientId, endpointId: request.params.id };
      return takeDeliveries(listener, { query: request.query, signal }, deps);
    });
    app.delete<OfListener>('/webhooks/listeners/:id', options, (request) =>
      removeListener({ clientId: foundOf(request).clientId, endpointId: request.params.id }, deps),
    );
  };
}
