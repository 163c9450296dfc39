/** POST /introspect (RFC 7662 §2): a form, or JSON. */
import type { FastifyPluginAsync } from 'fastify';
import { FORM_BYTES } from '../http/sizes.ts';
import { authenticateClient, type ClientAuthenticationDeps } from './client-authentication.ts';
import { type IntrospectionDeps, introspectToken } from './introspection.ts';
import { AUTHORIZATION, OAuthError } from './oauth-error.ts';
import { INTROSPECTION_FORM, presentedCredentials, readForm } from './token-form.ts';

/** Registers the route at both prefixes. Errors are OAuthError. */
export function introspectionRoute(deps: ClientAuthenticationDeps & IntrospectionDeps): FastifyPluginAsync {
  const options = { bodyLimit: FORM_BYTES, config: { errorShape: 'oauth' } } as const;

  return async (app) => {
    app.post('/introspect', options, async (request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
      const form = readForm(request.body, INTROSPECTION_FORM);
      const client = await authenticateClient(presentedCredentials(request, form), deps);
      // Anyone can name a public application.
      if (client.clientAuthentication === 'none')
        throw new OAuthError(
          AUTHORIZATION.unauthorized_client,
          'A public application cannot introspect tokens',
        );
      return introspectToken({ token: form.token, client }, deps);
    });
  };
}
