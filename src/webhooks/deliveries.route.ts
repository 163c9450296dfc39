/** The delivery log and resends, for the application itself, by HTTP Basic. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { beforeBody } from '../http/before-body.ts';
import { FORM_BYTES } from '../http/sizes.ts';
import { type ApplicationCallDeps, authenticateBasic } from '../oauth/client-authentication.ts';
import {
  type DeliveriesDeps,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
  showDelivery,
} from './deliveries.ts';

export type DeliveriesRouteDeps = ApplicationCallDeps & DeliveriesDeps;

type OfDelivery = { Params: { id: string } };

export function deliveriesRoutes(routeDeps: DeliveriesRouteDeps): FastifyPluginAsync {
  const deps = { ...routeDeps, by: undefined };
  const { check, foundOf } = beforeBody((request: FastifyRequest) => authenticateBasic(request, deps));
  const options = { onRequest: check, bodyLimit: FORM_BYTES };
  return async (app) => {
    app.get('/webhooks/deliveries', options, (request) =>
      listDeliveries(foundOf(request).clientId, request.query, deps),
    );
    app.get<OfDelivery>('/webhooks/deliveries/:id', options, (request) =>
      showDelivery(foundOf(request).clientId, request.params.id, deps),
    );
    app.post<OfDelivery>('/webhooks/deliveries/:id/replay', options, (request) =>
      replayDelivery(foundOf(request).clientId, request.params.id, deps),
    );
    app.post('/webhooks/replay', options, (request) =>
      replayDeliveries(foundOf(request).clientId, request.body, deps),
    );
  };
}
