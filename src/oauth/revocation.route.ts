/** POST /revoke (docs/wire.md O4.4): JSON as required, and the form encoding of RFC 7009 §2.1 too. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';

import { FORM_BYTES } from '../http/sizes.ts';
import { invalidRequest } from './oauth-error.ts';
import { type RevocationDeps, revokeToken } from './revocation.ts';
import { RevocationRequest } from './token.schema.ts';

/** Mounted at both prefixes. Answers 200 whatever became of the token. */
export function revocationRoute(deps: RevocationDeps): FastifyPluginAsyncTypebox {
  const options = {
    schema: { body: RevocationRequest },
    bodyLimit: FORM_BYTES,
    config: { errorShape: 'oauth' },
  } as const;

  return async (app) => {
    app.post('/revoke', options, async ({ body }, reply) => {
      reply.header('cache-control', 'no-store');
      if (body.token === '') throw invalidRequest('token is missing');
      await revokeToken(body.token, deps);
      return { success: true };
    });
  };
}
