/** The way to Google's and Microsoft's own pages, and back from them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import type { RedirectSignIn } from '../calendars/calendar-provider.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import { beginSignIn, finishSignIn, transactionOfState } from './accounts/redirect-sign-in.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { deviceCookie, newDevice, readCookies } from './flow/connect-cookies.ts';
import { addressKey, type ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { ownAccount, requestOf } from './flow/connect-session.ts';
import { callbackPath, selectionPath } from './flow/paths.ts';
import { adminConsentPage } from './pages/admin-consent.page.ts';
import { lonelyAppearance, openPage, seeOther, setCookie, showLonePage } from './visit.ts';

/** GET /connect/google and /connect/microsoft, and the address that each comes back to. */
export function redirectSignInRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  for (const kind of APP_KINDS) {
    app.get(`/connect/${kind}`, (http, reply) => depart(kind, http, reply, deps));
    app.get(callbackPath(kind), (http, reply) => comeBack(kind, http, reply, deps));
  }
}

async function depart(kind: AppKind, http: FastifyRequest, reply: FastifyReply, deps: ConnectDeps) {
  const { visit, request } = await openPage(http, deps);
  const retryAfter = await deps.attempts.authorize(addressKey(http.ip));
  if (retryAfter !== undefined) throw new ConnectError('too_many_requests', { request, retryAfter });
  const signIn = signInOffered(kind, request, deps);
  const accountKey = scalar(visit.query, 'account');
  const account = await ownAccount(request, visit.cookies.device, accountKey, deps);
  const device = visit.cookies.device ?? newDevice();
  const same = account?.provider === kind ? account : undefined;
  const url = await beginSignIn({ request, kind, signIn, account: same, device }, deps);
  // Before the browser leaves: what it comes back with counts in this browser only.
  setCookie(reply, deviceCookie(device), deps);
  return seeOther(reply, url.href);
}

async function comeBack(kind: AppKind, http: FastifyRequest, reply: FastifyReply, deps: ConnectDeps) {
  const query = receivedQuery(http.url);
  const cookies = readCookies(http.cookies);
  const state = scalar(query, 'state');
  // An administrator whom a user sent the provider's page comes back with no request of ours.
  if (state === undefined && scalar(query, 'admin_consent')?.toLowerCase() === 'true') {
    return showLonePage(reply, adminConsentPage(kind, await lonelyAppearance(http, deps)));
  }
  if (state === undefined && scalar(query, 'error') !== undefined) {
    throw new ConnectError('sign_in_failed', { provider: kind });
  }
  // The rest of the query is the provider's, and says nothing of our pages.
  const visit = { transactionId: transactionOfState(state), query: [], cookies };
  const request = await requestOf(visit, deps);
  http.flow = request;
  // A browser that lost its secret has none that fits.
  const { device = '' } = cookies;
  const signIn = signInOffered(kind, request, deps);
  const callback = new URL(deps.publicUrl + callbackPath(kind));
  callback.search = query.map(({ spelling }) => spelling).join('&');
  const word = await finishSignIn({ request, kind, signIn, state: state ?? '', callback, device }, deps);
  return seeOther(reply, selectionPath(request, word));
}

/** The provider's sign-in, when this request offers it and a page of the provider leads to it. */
function signInOffered(
  kind: AppKind,
  request: AuthorizationRequest,
  { providers }: ConnectDeps,
): RedirectSignIn {
  const signIn = request.providers.includes(kind) ? providers[kind]?.signIn : undefined;
  if (signIn?.method === 'redirect') return signIn;
  throw new ConnectError('not_offered', backToAccounts(request));
}
