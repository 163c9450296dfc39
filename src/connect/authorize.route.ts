/** `GET /authorize`, the authorization endpoint (RFC 6749 §3.1, requirement §4.1): only HTTP lives here. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { privately } from '../http/html.ts';
import { type ReceivedQuery, receivedQuery } from '../http/received-query.ts';
import { requestCookie } from './flow/connect-cookies.ts';
import { addressKey, type ConnectDeps } from './flow/connect-deps.ts';
import { ConnectError } from './flow/connect-error.ts';
import { selectionPath } from './flow/paths.ts';
import { startAuthorization } from './flow/start-authorization.ts';
import { prepare, setCookie } from './visit.ts';

/** Starts a flow, whatever `transaction` says: for mounts other than the origin's root (wire 0). */
export function authorizeRoute(deps: ConnectDeps): FastifyPluginAsync {
  return async (app) => {
    await prepare(app, deps);
    app.get('/authorize', (request, reply) => startFlow(request, reply, receivedQuery(request.url), deps));
  };
}

/** Answers 302 to the provider-selection page and sets `oauth_req` (requirement §2.7). */
export async function startFlow(
  { headers, ip }: FastifyRequest,
  reply: FastifyReply,
  query: ReceivedQuery,
  deps: ConnectDeps,
): Promise<FastifyReply> {
  await limitAddress(ip, deps);
  const request = await startAuthorization({ query, acceptLanguage: headers['accept-language'] }, deps);
  setCookie(reply, requestCookie(request), deps);
  return privately(reply).code(302).header('location', selectionPath(request)).send();
}

/** Throws 429 when flows are started too often. Their pages are not counted: a flow that began can end. */
async function limitAddress(address: string, { attempts }: ConnectDeps): Promise<void> {
  const retryAfter = await attempts.authorize(addressKey(address));
  if (retryAfter !== undefined) throw new ConnectError('too_many_requests', { retryAfter });
}
