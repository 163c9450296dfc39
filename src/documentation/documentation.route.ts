/** GET /docs and its pages, search, /llms.txt and /llms-full.txt, created at the first request. */
import { hash } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../http/error-mapping.ts';
import { contentSecurityPolicy, type Page } from '../http/page.ts';
import { once } from '../lib/once.ts';

export type DocumentationDeps = { readonly publicUrl: string };

const CACHED_FOR = 'public, max-age=300';
const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

type PageRequest = { Params: { '*': string } };
type SearchRequest = { Querystring: { q?: string | string[] } };

/** Mounted at the origin's root. */
export function documentationRoutes({ publicUrl }: DocumentationDeps): FastifyPluginAsync {
  const site = once(async () => {
    const { openSite } = await import('./site.ts');
    return openSite(publicUrl);
  });

  return async (app) => {
    app.get('/docs', async (request, reply) => sendPage(request, reply, (await site()).start()));
    app.get('/docs.md', async (request, reply) =>
      send(request, reply, { type: MARKDOWN, text: (await site()).startMarkdown() }),
    );
    app.get<SearchRequest>('/docs/search', async (request, reply) => {
      const { q = '' } = request.query;
      const { results } = await site();
      return sendPage(request, reply, await results(Array.isArray(q) ? (q[0] ?? '') : q));
    });
    app.get<PageRequest>('/docs/*', async (request, reply) => {
      const { markdownOf, pageOf, missing } = await site();
      const name = request.params['*'];
      if (name.endsWith('.md')) {
        const markdown = markdownOf(`/docs/${name.slice(0, -'.md'.length)}`);
        if (markdown === undefined) throw notFound(request);
        return send(request, reply, { type: MARKDOWN, text: markdown });
      }
      const page = pageOf(`/docs/${name}`);
      return page === undefined
        ? sendPage(request, reply.status(404), missing())
        : sendPage(request, reply, page);
    });
    app.get('/llms.txt', async (request, reply) =>
      send(request, reply, { type: TEXT, text: (await site()).llms() }),
    );
    app.get('/llms-full.txt', async (request, reply) =>
      send(request, reply, { type: TEXT, text: (await site()).llmsFull() }),
    );
  };
}

type Text = { readonly type: string; readonly text: string };

function sendPage(request: FastifyRequest, reply: FastifyReply, { document, policy }: Page) {
  reply.header('content-security-policy', contentSecurityPolicy(policy));
  return send(request, reply, { type: HTML, text: `<!doctype html>\n${document.markup}` });
}

/** Sends a text that caches keep for a while and then revalidate. */
function send({ headers }: FastifyRequest, reply: FastifyReply, { type, text }: Text) {
  if (reply.statusCode !== 200) return reply.type(type).send(text);
  const etag = `"${hash('sha256', text, 'base64url')}"`;
  reply.header('cache-control', CACHED_FOR).header('etag', etag);
  const etags = headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return etags.includes(etag) ? reply.code(304).send() : reply.type(type).send(text);
}
