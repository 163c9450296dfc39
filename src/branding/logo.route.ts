/** GET /connect/logos/<SHA-256>.webp: a logo. Its name is the hash of its content, so it never changes. */
import type { FastifyPluginAsync } from 'fastify';

import { ApiError } from '../http/refusal.ts';
import { SERVER } from '../http/server-error.ts';
import type { BrandingStore } from './branding-store.ts';

export type LogoRouteDeps = { readonly branding: Pick<BrandingStore, 'findLogo'> };

/** Mounted at the root of the origin. An unknown logo gets the same response as an unknown path, without caching. */
export function logoRoute({ branding }: LogoRouteDeps): FastifyPluginAsync {
  return async (app) => {
    app.route<{ Params: { hash: string } }>({
      method: ['GET', 'HEAD'],
      url: '/connect/logos/:hash.webp',
      handler: async ({ params }, reply) => {
        const logo = /^[\da-f]{64}$/.test(params.hash) ? await branding.findLogo(params.hash) : undefined;
        if (logo === undefined) throw new ApiError(SERVER.not_found, 'There is no such logo');
        return reply
          .header('content-type', 'image/webp')
          .header('cache-control', 'public, max-age=31536000, immutable')
          .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
          .header('cross-origin-resource-policy', 'same-origin')
          .send(Buffer.from(logo.webp));
      },
    });
  };
}
