/** Which methods the paths have: what 405 answers for any other one, and HEAD wherever a GET changes nothing. */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';

import { ANY_CALL, ApiError } from './refusal.ts';

declare module 'fastify' {
  interface FastifyInstance {
    allowedMethods: AllowedMethods;
  }
}

/** Answers the methods of a request's path; nothing for a path that no route has. */
export type AllowedMethods = (path: string) => readonly string[];

/** Follows the routes that are mounted on `app` from now on, and makes them known there. */
export function followMethods(app: FastifyInstance): void {
  const routes: { readonly pattern: RegExp; readonly route: RouteOptions }[] = [];
  app.addHook('onRoute', (route) => {
    routes.push({ pattern: patternOf(route.url), route });
  });
  app.decorate('allowedMethods', (path) => {
    // Read now: hooks of the route's own plugin come after this one, and may add to its methods.
    const names = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ route }) => route.method);
    return [...new Set(names)].sort();
  });
}

/** 405 where the path is there for other methods. */
export function problemOfMethod({ method, url, server }: FastifyRequest): ApiError | undefined {
  const names = server.allowedMethods(url.split('?')[0] ?? '');
  if (names.length === 0) return undefined;
  const allow = names.join(', ');
  return new ApiError(ANY_CALL.method_not_allowed, {
    message: `${method} is not possible here: ${allow} ${names.length === 1 ? 'is' : 'are'}`,
    headers: { allow },
  });
}

/** Gives every GET of `app` its HEAD. Not for routes that a GET changes anything by. */
export function answerHead(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') route.method = ['GET', 'HEAD'];
  });
}

/** A parameter is one piece of the path that is not empty. A pattern with `*` is no path of its own. */
function patternOf(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+')}$`);
}
