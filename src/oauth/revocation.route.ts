/** POST /revoke (docs/wire.md O4.4): JSON, or a form as in RFC 7009 §2.1. */
import type { FastifyPluginAsync } from 'fastify';
import { FORM_BYTES } from '../http/sizes.ts';
import { type RevocationDeps, revokeToken } from './revocation.ts';
import { REVOCATION_FORM, readForm } from './token-form.ts';

/** Registers the route at the prefixes of an issuer. It always returns 200, whatever the token's state. */
export function revocationRoute(deps: RevocationDeps): FastifyPluginAsync {
  const options = { bodyLimit: FORM_BYTES, config: { errorShape: 'oauth' } } as const;

  return async (app) => {
    app.post('/revoke', options, async (request, reply) => {
      reply.header('cache-control', 'no-store');
      await revokeToken(readForm(request.body, REVOCATION_FORM).token, deps);
      return { success: true };
    });
  };
}
