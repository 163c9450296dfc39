/** GET /openapi.json, created at the first request, so that it does not slow down the start. */
import type { FastifyPluginAsync } from 'fastify';
import { once } from '../lib/once.ts';

export type ApiReferenceDeps = { readonly publicUrl: string };

const CACHED_FOR = 'public, max-age=300';

/** Returns a function that creates the document of the administration API when it is first requested. */
export const adminDocumentText = (publicUrl: string) =>
  once(async () => {
    const { adminDocument } = await import('./admin-document.ts');
    return JSON.stringify(adminDocument(publicUrl));
  });

/** Mounted at the origin's root. */
export function apiReferenceRoutes({ publicUrl }: ApiReferenceDeps): FastifyPluginAsync {
  const documentText = once(async () => {
    const { currentDocument } = await import('./current-document.ts');
    return JSON.stringify(currentDocument(publicUrl));
  });

  return async (app) => {
    app.get('/openapi.json', async (_request, reply) => {
      // Public, and read by tools that run on other origins.
      reply.header('cache-control', CACHED_FOR).header('access-control-allow-origin', '*');
      return reply.type('application/json; charset=utf-8').send(await documentText());
    });
  };
}
