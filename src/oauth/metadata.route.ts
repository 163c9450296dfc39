/** The server's metadata (RFC 8414) and its public keys (RFC 7517). */
import type { FastifyPluginAsync } from 'fastify';
import { type MetadataSubject, serverMetadata } from './server-metadata.ts';
import type { SigningKeys } from './signing-keys.ts';

export type MetadataDeps = MetadataSubject & { readonly signingKeys: SigningKeys };

const CACHED_FOR = 'public, max-age=300';

/** Mounted at the origin's root, as RFC 8615 requires. */
export function metadataRoutes({ publicUrl, signingKeys, tokenAlgorithm }: MetadataDeps): FastifyPluginAsync {
  const metadata = serverMetadata({ publicUrl, tokenAlgorithm });

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
