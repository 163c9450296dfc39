/** Translates between HTTP and the Connect pages, for all of their routes. */
import type { FastifyReply, FastifyRequest } from 'fastify';

import { setCookie } from '../http/cookies.ts';
import { type Page, seeOther, sendPage } from '../http/page.ts';
import { formField, isFromRequestPage, readFormOrigin } from '../http/page-form.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import { loadUserAccounts } from './accounts/account-views.ts';
import { type AuthorizationRequest, isReconnectLink } from './flow/authorization-request-store.ts';
import { deviceCookie, readCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { type PageVisit, requireRequest, type Standing, type Visit } from './flow/connect-flow.ts';
import { formTargetsOf, pagePath, reconnectedPath, selectionPath, toFormSource } from './flow/paths.ts';
import { type Appearance, appearanceFor } from './pages/appearance.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request that this HTTP request belongs to, once it is known. Error pages use its language. */
    authorizationRequest: AuthorizationRequest | undefined;
  }
}

export const readBrowser = ({ cookies, ip }: FastifyRequest, deps: ConnectDeps) => ({
  cookies: readCookies(cookies, deps),
  address: ip,
});

/** Returns the authorization request of a page. Throws ConnectError 400 if it is not this browser's or has ended. */
export async function openPage(
  http: FastifyRequest,
  deps: ConnectDeps,
  accepted?: readonly Standing[],
): Promise<PageVisit> {
  const query = receivedQuery(http.url);
  const visit: Visit = { transactionId: scalar(query, 'transaction'), query, ...readBrowser(http, deps) };
  const request = await requireRequest(visit, deps, accepted);
  http.authorizationRequest = request;
  return { visit, request };
}

/**
 * Returns a form; `field` returns an empty string for a missing field. Throws ConnectError: 400 if its request is not
 * this browser's or not `accepted`, 403 if it is forged.
 */
export async function readForm(
  http: FastifyRequest,
  deps: ConnectDeps,
  accepted?: readonly Standing[],
): Promise<PageVisit & { readonly field: (name: string) => string }> {
  const { url, body } = http;
  const transactionId = formField(body, 'transaction');
  const visit: Visit = { transactionId, query: receivedQuery(url), ...readBrowser(http, deps) };
  const request = await requireRequest(visit, deps, accepted);
  http.authorizationRequest = request;
  if (!isFromRequestPage(readFormOrigin(http), request.formToken, deps.publicUrl))
    throw new ConnectError('foreign_form', backToAccounts(request));
  return { visit, request, field: (name) => formField(body, name) ?? '' };
}

/** Records an error in the request log, with the application and user of this browser's own request. */
export function noteOwnError(http: FastifyRequest, request: AuthorizationRequest, body: object): void {
  http.refusalBody = body;
  http.asker = { clientId: request.clientId, userId: request.userId, isRefused: true };
}

/** `device` is the new secret of the browser, if it got one. */
type SignedIn = {
  readonly reply: FastifyReply;
  readonly page: PageVisit;
  readonly result: string | undefined;
  readonly device: string | undefined;
};

/**
 * Shows the accounts after a sign-in, or the last page of a reconnect link. If the application asked to reconnect this
 * account and nothing needs consent, the browser returns to it.
 */
export async function continueAfterSignIn(
  { reply, page, result, device }: SignedIn,
  deps: ConnectDeps,
): Promise<FastifyReply> {
  const { visit, request } = page;
  if (device !== undefined) setCookie(reply, deviceCookie(device, deps), deps);
  if (isReconnectLink(request)) return seeOther(reply, reconnectedPath(request));
  if (request.status !== 'open') return seeOther(reply, pagePath('waiting', request));
  const cookies = { ...visit.cookies, device: device ?? visit.cookies.device };
  if (
    request.reconnects !== undefined &&
    (await isReconnected({ visit: { ...visit, cookies }, request }, deps))
  ) {
    await deps.requests.noteProgress(request.transactionId, { allowedAt: deps.now() });
    return seeOther(reply, pagePath('waiting', request));
  }
  return seeOther(reply, selectionPath(request, result));
}

/** Returns whether the account that the application named was signed in to, works and needs no consent. */
async function isReconnected(page: PageVisit, deps: ConnectDeps): Promise<boolean> {
  const { accounts, ending } = await loadUserAccounts(page, deps);
  const account = accounts.find(({ accountKey }) => accountKey === page.request.reconnects);
  return ending === 'done' && account?.againKey !== undefined && account.problem === undefined;
}

type PageOptions = {
  readonly request: AuthorizationRequest;
  /** Default: 200. */
  readonly status?: number;
  /** The origins of providers to whose pages it leads. */
  readonly providers?: readonly string[];
};

/** Sends a page of the flow. Its forms may lead to the application's redirect URI, and to `providers`. */
export function showPage(
  reply: FastifyReply,
  { document, policy }: Page,
  { request, status, providers = [] }: PageOptions,
): FastifyReply {
  // A provider can redirect to other hosts at once: Microsoft to personal accounts, or to those of an organization.
  const onward = providers.length > 0 ? [...providers.map(toFormSource), 'https:'] : [];
  const formTargets = [...new Set([...formTargetsOf(request.redirectUri), ...onward])];
  return sendPage(reply, { document, policy: { ...policy, formTargets } }, status);
}

export const loadAppearance = (
  { cookies }: FastifyRequest,
  request: AuthorizationRequest,
  deps: ConnectDeps,
): Promise<Appearance> => appearanceFor(request, readCookies(cookies, deps).theme, deps);
