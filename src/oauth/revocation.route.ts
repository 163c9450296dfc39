/** POST /revoke (docs/wire.md O4.4): JSON, or a form as in RFC 7009 §2.1. */
import type { FastifyPluginAsync } from 'fastify';
import { FORM_BYTES } from '../http/sizes.ts';
import { authenticateClient, type ClientAuthenticationDeps, requireIssuer } from './client-authentication.ts';
import type { Issuer } from './issuers.ts';
import { type RevocationDeps, revokeToken } from './revocation.ts';
import { CREDENTIALS_FORM, presentedCredentials, REVOCATION_FORM, readForm } from './token-form.ts';

/**
 * Registers the route at the prefixes of an issuer. It returns 200 whatever the token's state. Credentials are read, and checked, only
 * if the token's application requires them.
 */
export function revocationRoute(
  deps: RevocationDeps & ClientAuthenticationDeps & { readonly issuer: Issuer },
): FastifyPluginAsync {
  const options = { bodyLimit: FORM_BYTES, config: { errorShape: 'oauth' } } as const;

  return async (app) => {
    app.post('/revoke', options, async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { token } = readForm(request.body, REVOCATION_FORM);
      const authenticate = async () => {
        const form = readForm(request.body, CREDENTIALS_FORM);
        const client = await authenticateClient(presentedCredentials(request, form), deps);
        requireIssuer(client, deps.issuer);
        return client;
      };
      await revokeToken({ token, authenticate }, deps);
      return { success: true };
    });
  };
}
