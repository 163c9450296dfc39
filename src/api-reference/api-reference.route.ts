/**
 * GET /openapi.json and GET /docs. Both are made at the first request, so that they cost a server nothing before that.
 */
import type { FastifyPluginAsync } from 'fastify';

import { sendPage } from '../http/page.ts';

export type ApiReferenceDeps = {
  /** The public origin. */
  readonly publicUrl: string;
};

const CACHED_FOR = 'public, max-age=300';

/** Mounted at the origin's root. */
export function apiReferenceRoutes({ publicUrl }: ApiReferenceDeps): FastifyPluginAsync {
  const documentText = once(async () => {
    const { currentDocument } = await import('./current-document.ts');
    return JSON.stringify(currentDocument(publicUrl));
  });
  const referencePage = once(async () => {
    const [{ currentDocument }, { pageOf, PAGE_POLICY }] = await Promise.all([
      import('./current-document.ts'),
      import('./reference.page.ts'),
    ]);
    return { document: pageOf(currentDocument(publicUrl)), policy: PAGE_POLICY };
  });

  return async (app) => {
    app.get('/openapi.json', async (_request, reply) => {
      // Public, and read by tools that run on other origins.
      reply.header('cache-control', CACHED_FOR).header('access-control-allow-origin', '*');
      return reply.type('application/json; charset=utf-8').send(await documentText());
    });
    app.get('/docs', async (_request, reply) => sendPage(reply, await referencePage()));
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
