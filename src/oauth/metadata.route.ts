/** The metadata (RFC 8414) and the public keys (RFC 7517) of each issuer. */
import type { FastifyPluginAsync } from 'fastify';
import { createIssuer, ISSUER_NAMES } from './issuers.ts';
import { serverMetadata } from './server-metadata.ts';
import type { SigningAlgorithm } from './signing-key-store.ts';
import type { SigningKeys } from './signing-keys.ts';

export type MetadataDeps = {
  readonly publicUrl: string;
  readonly signingKeys: SigningKeys;
  readonly tokenAlgorithm: SigningAlgorithm;
};

const CACHED_FOR = 'public, max-age=300';

/** Mounted at the origin's root, as RFC 8615 requires. */
export function metadataRoutes({ publicUrl, signingKeys, tokenAlgorithm }: MetadataDeps): FastifyPluginAsync {
  return async (app) => {
    for (const name of ISSUER_NAMES) {
      const issuer = createIssuer(name, publicUrl);
      const metadata = serverMetadata(issuer, tokenAlgorithm);
      // RFC 8414 §3.1: the path of the issuer follows.
      app.get(`/.well-known/oauth-authorization-server${issuer.prefix}`, async (_request, reply) => {
        reply.header('cache-control', CACHED_FOR);
        return metadata;
      });
      app.get(issuer.keysPath, async (_request, reply) => {
        const keySet = await signingKeys.publicKeys(issuer.tokenAlgorithm);
        // The first keys of an issuer can be created at any time.
        const isFinal = issuer.tokenAlgorithm === undefined || keySet.keys.length > 0;
        reply.header('cache-control', isFinal ? CACHED_FOR : 'no-store');
        return keySet;
      });
    }
  };
}
