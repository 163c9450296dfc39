/** POST /revoke (docs/wire.md O4.4): JSON as required, and the form encoding of RFC 7009 §2.1 too. */
import type { FastifyPluginAsync } from 'fastify';

import { FORM_BYTES } from '../http/sizes.ts';
import { type RevocationDeps, revokeToken } from './revocation.ts';
import { REVOCATION_FORM, readForm } from './token-form.ts';

/** Mounted at both prefixes. Answers 200 whatever became of the token. */
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
