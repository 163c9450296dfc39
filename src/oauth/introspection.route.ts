/** POST /introspect (RFC 7662 §2): a form, or JSON. */
import type { FastifyPluginAsync } from 'fastify';
import { FORM_BYTES } from '../http/sizes.ts';
import { authenticateClient, type ClientAuthenticationDeps, requireIssuer } from './client-authentication.ts';
import { type IntrospectionDeps, introspectToken } from './introspection.ts';
import { INTROSPECTION_FORM, presentedCredentials, readForm } from './token-form.ts';

/** Registers the route at the prefixes of an issuer. Errors are OAuthError. */
export function introspectionRoute(deps: ClientAuthenticationDeps & IntrospectionDeps): FastifyPluginAsync {
  const options = { bodyLimit: FORM_BYTES, config: { errorShape: 'oauth' } } as const;

  return async (app) => {
    app.post('/introspect', options, async (request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
      const form = readForm(request.body, INTROSPECTION_FORM);
      const client = await authenticateClient(presentedCredentials(request, form), deps);
      requireIssuer(client, deps.issuer);
      return introspectToken({ token: form.token, client }, deps);
    });
  };
}
