/** `GET /authorize`, the authorization endpoint (RFC 6749 §3.1, docs/wire.md O4.1). */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { setCookie } from '../http/cookies.ts';
import { privately } from '../http/page.ts';
import { receivedQuery } from '../http/received-query.ts';
import { prepare } from './error-pages.ts';
import { transactionCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { type StartDeps, startAuthorization } from './flow/start-authorization.ts';
import { readBrowser } from './visit.ts';

/** Starts a flow even if there is a `transaction`, for prefixes other than the origin's root (docs/wire.md 0). */
export function authorizeRoute(deps: ConnectDeps & StartDeps): FastifyPluginAsync {
  return async (app) => {
    await prepare(app, deps);
    app.get('/authorize', (http, reply) => startFlow(http, reply, deps));
  };
}

/** Redirects (302) to the provider-selection page and sets `oauth_req` (docs/wire.md O2.7). */
export async function startFlow(
  http: FastifyRequest,
  reply: FastifyReply,
  deps: ConnectDeps & StartDeps,
): Promise<FastifyReply> {
  const { url, headers } = http;
  const visit = { query: receivedQuery(url), ...readBrowser(http, deps) };
  const start = { visit, acceptLanguage: headers['accept-language'] };
  const { request, secret, path } = await startAuthorization(start, deps);
  if (secret !== undefined) {
    const { transactions } = visit.cookies;
    for (const cookie of transactionCookies(request, secret, transactions, deps))
      setCookie(reply, cookie, deps);
  }
  return privately(reply).code(302).header('location', path).send();
}
