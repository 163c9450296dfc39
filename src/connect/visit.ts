/** From HTTP to the Connect pages' own words and back: what every one of their routes does alike. */
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type Page, sendPage } from '../http/page.ts';
import { formField, formOriginOf, isFromRequestPage } from '../http/page-form.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { readCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { type PageVisit, requestOf, type Standing, type Visit } from './flow/connect-flow.ts';
import { formSourceOf, formTargetsOf } from './flow/paths.ts';
import { type Appearance, appearanceFor } from './pages/appearance.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The one this HTTP request belongs to, once that is known: errors speak its language. */
    authorizationRequest: AuthorizationRequest | undefined;
  }
}

/** The browser's part of a visit. */
export const browserOf = ({ cookies, ip }: FastifyRequest, deps: ConnectDeps) => ({
  cookies: readCookies(cookies, deps),
  address: ip,
});

/** The request whose page is opened. Throws ConnectError 400 when it is not this browser's, or ended. */
export async function openPage(
  http: FastifyRequest,
  deps: ConnectDeps,
  accepted?: readonly Standing[],
): Promise<PageVisit> {
  const query = receivedQuery(http.url);
  const visit: Visit = { transactionId: scalar(query, 'transaction'), query, ...browserOf(http, deps) };
  const request = await requestOf(visit, deps, accepted);
  http.authorizationRequest = request;
  return { visit, request };
}

/** A form that was sent; `field` answers the empty text for a field that is not there. */
export type SentForm = PageVisit & { readonly field: (name: string) => string };

/**
 * A form of ours and the request it belongs to. Throws ConnectError: 400 when the request is not this
 * browser's or not `accepted`, 403 when the form did not come from one of its pages.
 */
export async function readForm(
  http: FastifyRequest,
  deps: ConnectDeps,
  accepted?: readonly Standing[],
): Promise<SentForm> {
  const { url, body } = http;
  const transactionId = formField(body, 'transaction');
  const visit: Visit = { transactionId, query: receivedQuery(url), ...browserOf(http, deps) };
  const request = await requestOf(visit, deps, accepted);
  http.authorizationRequest = request;
  if (!isFromRequestPage(formOriginOf(http), request.formToken, deps.publicUrl)) {
    throw new ConnectError('foreign_form', backToAccounts(request));
  }
  return { visit, request, field: (name) => formField(body, name) ?? '' };
}

export type PageOptions = {
  readonly request: AuthorizationRequest;
  /** 200 unless it says something else. */
  readonly status?: number;
  /** Origins of the providers whose own pages it leads to. */
  readonly providers?: readonly string[];
};

/** Sends a page of the flow: its forms may lead to this application's redirect URI, and to `providers`. */
export function showPage(
  reply: FastifyReply,
  { document, policy }: Page,
  options: PageOptions,
): FastifyReply {
  const { request, status, providers = [] } = options;
  // A provider may redirect to other hosts at once: Microsoft to that of personal accounts, or an organisation's own.
  const onward = providers.length > 0 ? [...providers.map(formSourceOf), 'https:'] : [];
  const formTargets = [...new Set([...formTargetsOf(request.redirectUri), ...onward])];
  return sendPage(reply, { document, policy: { ...policy, formTargets } }, status);
}

/** How a request's pages appear in this browser. */
export const appearanceOf = (
  { cookies }: FastifyRequest,
  request: AuthorizationRequest,
  deps: ConnectDeps,
): Promise<Appearance> => appearanceFor(request, readCookies(cookies, deps).theme, deps);
