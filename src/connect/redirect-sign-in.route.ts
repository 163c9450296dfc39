/** Redirects to the sign-in pages of Google and Microsoft, and handles the way back. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import type { RedirectSignIn } from '../calendars/calendar-provider.ts';
import { seeOther, sendPage } from '../http/page.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import { loadUserAccounts, manageableAccount } from './accounts/account-views.ts';
import { accountToConfirm } from './accounts/confirm-account.ts';
import { beginSignIn, finishSignIn, transactionOfState } from './accounts/redirect-sign-in.ts';
import { findLinkedAccount } from './accounts/save-account.ts';
import { appearanceOfNone } from './error-pages.ts';
import { type AuthorizationRequest, isReconnectLink } from './flow/authorization-request-store.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError, type ConnectErrorKind } from './flow/connect-error.ts';
import {
  ANY_OPEN,
  ANY_STANDING,
  finishedError,
  type PageVisit,
  requireRequest,
} from './flow/connect-flow.ts';
import { callbackPath, selectionPath } from './flow/paths.ts';
import { adminConsentPage } from './pages/consent.page.ts';
import { continueAfterSignIn, openPage, readBrowser } from './visit.ts';

export function redirectSignInRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  for (const kind of APP_KINDS) {
    app.get(`/connect/${kind}`, (http, reply) => leaveForProvider({ kind, http, reply }, deps));
    app.get(callbackPath(kind), (http, reply) => returnFromProvider({ kind, http, reply }, deps));
  }
}

type Exchange = { readonly kind: AppKind; readonly http: FastifyRequest; readonly reply: FastifyReply };

async function leaveForProvider({ kind, http, reply }: Exchange, deps: ConnectDeps) {
  const page = await openPage(http, deps, ANY_OPEN);
  const { request } = page;
  const retryAfter = await deps.attempts.authorize({ clientId: request.clientId, address: http.ip });
  if (retryAfter !== undefined) throw new ConnectError('too_many_requests', { request, retryAfter });
  const signIn = signInOffered(kind, request, deps);
  const expected = await findExpected(page, kind, deps);
  if (expected.account === undefined && expected.confirms === undefined) {
    const { limit } = await loadUserAccounts(page, deps);
    // The page with the accounts shows the limit.
    if (limit !== undefined) return seeOther(reply, selectionPath(request));
  }
  const url = await beginSignIn({ page, kind, signIn, ...expected }, deps);
  return seeOther(reply, url.href);
}

/** Returns the account to reconnect or to confirm, if the page names one. A reconnect link has only its own. */
async function findExpected(page: PageVisit, kind: AppKind, deps: ConnectDeps) {
  const { visit, request } = page;
  if (isReconnectLink(request))
    return { account: await findLinkedAccount(request, deps), confirms: undefined };
  const again = await manageableAccount(page, scalar(visit.query, 'account'), deps);
  const account = again?.provider === kind ? await deps.accounts.findAccount(again.accountKey) : undefined;
  const confirms = await accountToConfirm(page, { kind, accountKey: scalar(visit.query, 'confirm') }, deps);
  return { account, confirms };
}

async function returnFromProvider({ kind, http, reply }: Exchange, deps: ConnectDeps) {
  const query = receivedQuery(http.url);
  const state = scalar(query, 'state');
  // An administrator to whom a user sent the provider's link returns without an authorization request.
  if (state === undefined && scalar(query, 'admin_consent')?.toLowerCase() === 'true')
    return sendPage(reply, adminConsentPage(kind, await appearanceOfNone(http, deps)));
  if (state === undefined && scalar(query, 'error') !== undefined) {
    throw new ConnectError('sign_in_failed', { provider: kind });
  }
  // The rest of the query is the provider's and does not concern our pages.
  const visit = { transactionId: transactionOfState(state), query: [], ...readBrowser(http, deps) };
  const request = await requireRequest(visit, deps, ANY_STANDING);
  if (request.status !== 'open' && request.reconnects === undefined) throw finishedError(request);
  http.authorizationRequest = request;
  const signIn = signInOffered(kind, request, deps);
  const callback = new URL(deps.publicUrl + callbackPath(kind));
  callback.search = query.map(({ spelling }) => spelling).join('&');
  const page = { visit, request };
  const { result, device } = await finishSignIn({ page, kind, signIn, state: state ?? '', callback }, deps);
  if (isReconnectLink(request)) {
    const problem = LINK_PROBLEMS[result?.slice(kind.length) ?? ''];
    if (problem !== undefined) throw new ConnectError(problem, backToAccounts(request));
  }
  return continueAfterSignIn({ reply, page, result, device }, deps);
}

/** The endings of a sign-in that did not reconnect the account of a link. */
const LINK_PROBLEMS: Readonly<Record<string, ConnectErrorKind | undefined>> = {
  _cancelled: 'sign_in_cancelled',
  _not_this: 'another_account',
  _unpermitted: 'calendars_not_allowed',
};

/** Returns the provider's sign-in if this request offers it and it uses the provider's own pages. */
function signInOffered(
  kind: AppKind,
  request: AuthorizationRequest,
  { providers }: ConnectDeps,
): RedirectSignIn {
  const signIn = request.providers.includes(kind) ? providers[kind]?.signIn : undefined;
  if (signIn?.method === 'redirect') return signIn;
  throw new ConnectError('not_offered', backToAccounts(request));
}
