/** `GET /authorize`, the authorization endpoint (RFC 6749 §3.1, requirement §4.1): only HTTP lives here. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { privately } from '../http/html.ts';
import { requestCookie } from './connect-cookies.ts';
import { addressKey, type ConnectDeps } from './connect-deps.ts';
import { ConnectError } from './connect-error.ts';
import { selectionPath } from './paths.ts';
import { type ReceivedQuery, receivedQuery } from './received-query.ts';
import { startAuthorization } from './start-authorization.ts';
import { prepare, setCookie } from './visit.route.ts';

/** Starts a flow, whatever `transaction` says: for mounts other than the origin's root (wire 0). */
export function authorizeRoute(deps: ConnectDeps): FastifyPluginAsync {
  return async (app) => {
    await prepare(app, deps);
    app.get('/authorize', async (request, reply) => {
      await limitAddress(request, deps);
      return startFlow(request, reply, receivedQuery(request.url), deps);
    });
  };
}

/** Throws 429 when the address calls too often; both faces of `/authorize` count. */
export async function limitAddress({ ip }: FastifyRequest, { attempts }: ConnectDeps): Promise<void> {
  const retryAfter = await attempts.authorize(addressKey(ip));
  if (retryAfter !== undefined) throw new ConnectError('too_many_requests', { retryAfter });
}

/** Answers 302 to the provider-selection page and sets `oauth_req` (requirement §2.7). */
export async function startFlow(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  query: ReceivedQuery,
  deps: ConnectDeps,
): Promise<FastifyReply> {
  const request = await startAuthorization({ query, acceptLanguage: headers['accept-language'] }, deps);
  setCookie(reply, requestCookie(request, deps.publicUrl.startsWith('https:')));
  return privately(reply).code(302).header('location', selectionPath(request)).send();
}
