/** What the server offers (RFC 8414), and its public keys (RFC 7517). */
import type { FastifyPluginAsync } from 'fastify';

import { SCOPES } from './scope.ts';
import type { SigningKeys } from './signing-keys.ts';

export type MetadataDeps = {
  /** The public origin. */
  readonly publicUrl: string;
  readonly signingKeys: SigningKeys;
  readonly tokenAlgorithm: 'HS256' | 'ES256';
};

const CACHED_FOR = 'public, max-age=300';

/** Mounted at the origin's root, where RFC 8615 has such documents. */
export function metadataRoutes({ publicUrl, signingKeys, tokenAlgorithm }: MetadataDeps): FastifyPluginAsync {
  const metadata = {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/authorize`,
    token_endpoint: `${publicUrl}/token`,
    revocation_endpoint: `${publicUrl}/revoke`,
    // A shared secret has no public half: with HS256 there is no key set to point to.
    ...(tokenAlgorithm === 'ES256' ? { jwks_uri: `${publicUrl}/.well-known/jwks.json` } : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
  };

  return async (app) => {
    app.get('/.well-known/oauth-authorization-server', async (_request, reply) => {
      reply.header('cache-control', CACHED_FOR);
      return metadata;
    });
    app.get('/.well-known/jwks.json', async (_request, reply) => {
      reply.header('cache-control', CACHED_FOR);
      return signingKeys.publicKeys();
    });
  };
}
