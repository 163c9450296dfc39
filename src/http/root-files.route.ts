/** GET /favicon.ico and /robots.txt, which browsers and crawlers request from every origin. */
import type { FastifyPluginAsync } from 'fastify';

/** Search engines list no page of this service. */
const ROBOTS = 'User-agent: *\nDisallow: /\n';

/** Mounted at the origin's root. `icon` is SVG, which browsers recognize by its type. */
export function rootFilesRoute(icon: string): FastifyPluginAsync {
  const files = [
    { path: '/favicon.ico', type: 'image/svg+xml', body: icon },
    { path: '/robots.txt', type: 'text/plain; charset=utf-8', body: ROBOTS },
  ];
  return async (app) => {
    for (const { path, type, body } of files)
      app.get(path, async (_request, reply) =>
        reply.type(type).header('cache-control', 'public, max-age=86400').send(body),
      );
  };
}
