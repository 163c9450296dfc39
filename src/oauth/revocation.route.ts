/** POST /revoke (docs/wire.md O4.4): JSON, or a form as in RFC 7009 §2.1. */
import type { FastifyPluginAsync } from 'fastify';
import { FORM_BYTES } from '../http/sizes.ts';
import { authenticateClient, type ClientAuthenticationDeps } from './client-authentication.ts';
import { type RevocationDeps, revokeToken } from './revocation.ts';
import { CREDENTIALS_FORM, presentedCredentials, REVOCATION_FORM, readForm } from './token-form.ts';

/**
 * Registers the route at both prefixes. It returns 200 whatever the token's state. Credentials are read, and checked, only
 * if the token's application requires them.
 */
export function revocationRoute(deps: RevocationDeps & ClientAuthenticationDeps): FastifyPluginAsync {
  const options = { bodyLimit: FORM_BYTES, config: { errorShape: 'oauth' } } as const;

  return async (app) => {
    app.post('/revoke', options, async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { token } = readForm(request.body, REVOCATION_FORM);
      const authenticate = async () => {
        const form = readForm(request.body, CREDENTIALS_FORM);
        return authenticateClient(presentedCredentials(request, form), deps);
      };
      await revokeToken({ token, authenticate }, deps);
      return { success: true };
    });
  };
}
