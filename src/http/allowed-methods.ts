/** The methods of each path: responds with 405 to any other method, and adds HEAD to every GET that changes nothing. */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from './refusal.ts';
import { SERVER } from './server-error.ts';

declare module 'fastify' {
  interface FastifyInstance {
    allowedMethods: AllowedMethods;
  }
}

/** Returns the methods of a request's path. Empty for a path without a route. */
export type AllowedMethods = (path: string) => readonly string[];

/** Records the routes that are mounted on `app` from now on. */
export function followMethods(app: FastifyInstance): void {
  const routes: { readonly pattern: RegExp; readonly route: RouteOptions }[] = [];
  app.addHook('onRoute', (route) => {
    routes.push({ pattern: toPathPattern(route.url), route });
  });
  app.decorate('allowedMethods', (path) => {
    // Read now: hooks of the route's own plugin come after this one, and may add to its methods.
    const names = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ route }) => route.method);
    return [...new Set(names)].sort();
  });
}

/** Returns a 405 error if the path exists for other methods. */
export function problemOfMethod({ method, url, server }: FastifyRequest): ApiError | undefined {
  const names = server.allowedMethods(url.split('?')[0] ?? '');
  if (names.length === 0) return undefined;
  const allow = names.join(', ');
  return new ApiError(SERVER.method_not_allowed, {
    message: `This path does not support ${method}, only ${allow}`,
    headers: { allow },
  });
}

/** Adds HEAD to every GET of `app`. Do not use it for routes whose GET changes anything. */
export function answerHead(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') route.method = ['GET', 'HEAD'];
  });
}

/** A parameter matches one non-empty path segment. `*` is not a wildcard. */
function toPathPattern(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+')}$`);
}
