/** GET /free-busy and POST /availability. Every scope is enough, because they show only busy and free time. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import { beforeBody } from '../http/before-body.ts';
import { closedSignal } from '../http/closed-signal.ts';
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import { authenticateBearer, type BearerDeps } from '../oauth/bearer-authentication.ts';
import type { Client } from '../oauth/client.ts';
import {
  authenticateClient,
  type ClientAuthenticationDeps,
  findTokenClient,
} from '../oauth/client-authentication.ts';
import type { Grant, ScopedReader } from '../oauth/grant.ts';
import type { ListEventsDeps } from '../reading/list-events.ts';
import { availability, FREE_BUSY } from './availability.ts';
import { type AvailabilityRequest, parseAvailability } from './availability-request.ts';
import { freeBusy } from './free-busy.ts';

export type FreeBusyRouteDeps = BearerDeps & ClientAuthenticationDeps & ListEventsDeps;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Registers relative paths under the prefix of the resources. */
export function freeBusyRoutes(deps: FreeBusyRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Record<string, unknown> }>('/free-busy', async (request, reply) => {
      const grant = await authenticateBearer(request, deps);
      return reply
        .type(JSON_TYPE)
        .send(await freeBusy(request.query, { grant, closed: () => closedSignal(reply) }, deps));
    });

    const { check, foundOf } = beforeBody((request: FastifyRequest) => authenticateCaller(request, deps));
    app.post('/availability', { onRequest: check }, async (http, reply) => {
      const caller = foundOf(http);
      const request = parseAvailability(http.body);
      const users =
        'userId' in caller ? usersOfToken(caller, request) : usersOfClient(caller.clientId, request);
      const signal = closedSignal(reply);
      return reply.type(JSON_TYPE).send(await availability(request, { users, signal }, deps));
    });
  };
}

async function authenticateCaller(
  request: FastifyRequest,
  deps: BearerDeps & ClientAuthenticationDeps,
): Promise<Grant | Client> {
  const { authorization } = request.headers;
  if (!/^Basic\b/i.test(authorization ?? ''))
    return (await findTokenClient(request, deps)) ?? authenticateBearer(request, deps);
  const credentials = { request, authorization, clientId: undefined, clientSecret: undefined };
  return authenticateClient(credentials, deps);
}

function usersOfToken(grant: Grant, { user_ids: userIds }: AvailabilityRequest): ScopedReader[] {
  if (userIds === undefined || (userIds.length === 1 && userIds[0] === grant.userId)) return [grant];
  throw new ApiError(FREE_BUSY.client_authentication_required);
}

/** Returns the users with everything that their living grants cover. The application gets only busy time. */
function usersOfClient(clientId: string, { user_ids: userIds }: AvailabilityRequest): ScopedReader[] {
  if (userIds !== undefined)
    return userIds.map((userId) => ({ clientId, userId, scope: 'free-busy', coverageId: undefined }));
  const message = 'user_ids is missing: list the users, or send the access token of one user';
  throw new ApiError(ANY_CALL.invalid_request, { message, field: 'user_ids' });
}
