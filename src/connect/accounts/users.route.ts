/** GET and DELETE /users/{user_id}, for the application itself by HTTP Basic. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

import { beforeBody } from '../../http/before-body.ts';
import { FORM_BYTES } from '../../http/sizes.ts';
import { authenticateBasic, type ClientAuthenticationDeps } from '../../oauth/client-authentication.ts';
import { forgetUser, showUser, type UserOfClient, type UsersDeps } from './users.ts';

export type UsersRouteDeps = ClientAuthenticationDeps & UsersDeps;

type UserRequest = FastifyRequest<{ Params: { user_id: string } }>;

/** The paths are relative to the prefix of the resources. */
export function usersRoutes(deps: UsersRouteDeps): FastifyPluginAsync {
  const identifyUser = async (request: UserRequest): Promise<UserOfClient> => {
    const { clientId } = await authenticateBasic(request, deps);
    return { clientId, userId: request.params.user_id };
  };
  // A DELETE may have a body.
  const { check, foundOf } = beforeBody(identifyUser);
  const options = { onRequest: check, bodyLimit: FORM_BYTES };
  return async (app) => {
    app.get('/users/:user_id', options, (request: UserRequest) => showUser(foundOf(request), deps));
    app.delete('/users/:user_id', options, (request: UserRequest) =>
      forgetUser(foundOf(request), request.ip, deps),
    );
  };
}
