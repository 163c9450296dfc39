/** From HTTP to the Connect pages' own words and back: what every one of their routes does alike. */
import cookiePlugin from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefersPage } from '../http/content-preference.ts';
import { privately, sendPage } from '../http/html.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { formSourceOf, formTargetsOf } from './flow/callback-url.ts';
import { type CookieToSet, readCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { isOwnForm, type Standing } from './flow/connect-flow.ts';
import { requestOf, type Visit } from './flow/connect-session.ts';
import { type Appearance, appearanceBefore, appearanceFor, plainAppearance } from './pages/appearance.ts';
import { errorPage } from './pages/error.page.ts';
import type { Page } from './pages/layout.page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authorization request this one belongs to, once that is known: errors speak its language. */
    flow: AuthorizationRequest | undefined;
  }
}

export type OpenedPage = { readonly visit: Visit; readonly request: AuthorizationRequest };

/** The request whose page is opened. Throws ConnectError 400 when it is not this browser's, or ended. */
export async function openPage(http: FastifyRequest, deps: ConnectDeps): Promise<OpenedPage> {
  const query = receivedQuery(http.url);
  const cookies = readCookies(http.cookies);
  const visit: Visit = { transactionId: scalar(query, 'transaction'), query, cookies };
  const request = await requestOf(visit, deps);
  http.flow = request;
  return { visit, request };
}

export type SentForm = {
  readonly visit: Visit;
  readonly request: AuthorizationRequest;
  readonly field: (name: string) => string;
};

/**
 * A form of ours and the request it belongs to. Throws ConnectError: 400 when the request is not this
 * browser's or not `accepted`, 403 when the form did not come from one of its pages.
 */
export async function readForm(
  http: FastifyRequest,
  deps: ConnectDeps,
  accepted?: readonly Standing[],
): Promise<SentForm> {
  const { url, body, headers, cookies } = http;
  const field = (name: string) => textOf(body, name) ?? '';
  const transactionId = textOf(body, 'transaction');
  const visit: Visit = { transactionId, query: receivedQuery(url), cookies: readCookies(cookies) };
  const request = await requestOf(visit, deps, accepted);
  http.flow = request;
  const secFetchSite = headers['sec-fetch-site'];
  const form = {
    formToken: textOf(body, 'token'),
    secFetchSite: Array.isArray(secFetchSite) ? secFetchSite[0] : secFetchSite,
    origin: headers.origin,
    host: headers.host,
  };
  if (!isOwnForm(form, request, deps.publicUrl)) {
    throw new ConnectError('foreign_form', backToAccounts(request));
  }
  return { visit, request, field };
}

export type ShownAs = {
  readonly request: AuthorizationRequest;
  /** 200 unless it says something else. */
  readonly status?: number;
  /** Origins of the providers whose own pages it leads to. */
  readonly providers?: readonly string[];
};

/** A page of the flow: its forms may lead to this application's redirect URI, and to `providers`. */
export function showPage(reply: FastifyReply, { document, policy }: Page, shownAs: ShownAs): FastifyReply {
  const { request, status = 200, providers = [] } = shownAs;
  // A provider may redirect to other hosts at once: Microsoft to that of personal accounts, or an organisation's own.
  const onward = providers.length > 0 ? [...providers.map(formSourceOf), 'https:'] : [];
  const formTargets = [...new Set([...formTargetsOf(request.redirectUri), ...onward])];
  return sendPage(reply, status, document, { ...policy, formTargets });
}

/** After a form: 303, so that the browser never sends it on (RFC 9700 §4.12). */
export function seeOther(reply: FastifyReply, location: string): FastifyReply {
  return privately(reply).code(303).header('location', location).send();
}

/** A page that belongs to no request: its forms lead nowhere else. */
export function showLonePage(reply: FastifyReply, { document, policy }: Page, status = 200): FastifyReply {
  return sendPage(reply, status, document, { ...policy, formTargets: [] });
}

/** How a request's pages look to this browser. */
export const appearanceOf = (
  { cookies }: FastifyRequest,
  request: AuthorizationRequest,
  deps: ConnectDeps,
): Promise<Appearance> => appearanceFor(request, readCookies(cookies).theme, deps);

/** How a page looks to this browser that belongs to no request. */
export const lonelyAppearance = (
  { url, headers, cookies }: FastifyRequest,
  deps: ConnectDeps,
): Promise<Appearance> =>
  appearanceBefore(receivedQuery(url), headers['accept-language'], readCookies(cookies).theme, deps);

/** Sets a cookie beside whatever others the answer sets. */
export function setCookie(
  reply: FastifyReply,
  cookie: CookieToSet,
  deps: Pick<ConnectDeps, 'publicUrl'>,
): void {
  const { name, value, attributes } = cookie;
  reply.setCookie(name, value, { ...attributes, secure: deps.publicUrl.startsWith('https:') });
}

/** What all routes of the flow stand on: cookies, and errors as pages. */
export async function prepare(app: FastifyInstance, deps: ConnectDeps): Promise<void> {
  if (!app.hasReplyDecorator('setCookie')) await app.register(cookiePlugin);
  app.decorateRequest('flow', undefined);
  showErrors(app, deps);
}

/** Makes every error of these routes a page, or JSON for whoever prefers that. */
function showErrors(app: FastifyInstance, deps: ConnectDeps): void {
  app.setErrorHandler(async (thrown, http, reply) => {
    const error = connectErrorOf(thrown, http.flow);
    // A refusal of ours was logged where it came about, in words without what it carries for the page.
    if (error.status >= 500 && !(thrown instanceof ConnectError)) {
      const route = http.routeOptions.url;
      deps.log.error({ err: thrown, requestId: http.id, route }, 'A request failed');
    }
    reply.headers(error.headers);
    if (!prefersPage(http.headers.accept)) return privately(reply).code(error.status).send(error.body);
    const own = ownRequestOf(error, http.flow);
    const page = errorPage({ error, own, reference: http.id }, await errorAppearance(error, http, deps));
    const { status } = error;
    return own ? showPage(reply, page, { request: own, status }) : showLonePage(reply, page, status);
  });
}

/** The request that is this browser's own: others only lend the page their language and look. */
function ownRequestOf(
  { kind, context: { request } }: ConnectError,
  flow: AuthorizationRequest | undefined,
): AuthorizationRequest | undefined {
  // Whoever sees that a request is finished has its cookie (standingOf).
  if (kind === 'finished') return request;
  return flow !== undefined && (request?.transactionId ?? flow.transactionId) === flow.transactionId
    ? flow
    : undefined;
}

async function errorAppearance(
  { context: { request } }: ConnectError,
  http: FastifyRequest,
  deps: ConnectDeps,
): Promise<Appearance> {
  try {
    return request ? await appearanceOf(http, request, deps) : await lonelyAppearance(http, deps);
  } catch (err) {
    // What broke the request may break this too, and its reader is to be told all the same.
    deps.log.error({ err, requestId: http.id }, 'The look of an error page could not be read');
    return plainAppearance(receivedQuery(http.url), http.headers['accept-language'], request);
  }
}

function connectErrorOf(thrown: unknown, request: AuthorizationRequest | undefined): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const context = { cause: thrown, ...(request && backToAccounts(request)) };
  const status = thrown instanceof Error && 'statusCode' in thrown ? Number(thrown.statusCode) : 500;
  // The framework refuses bodies it cannot read; everything else is a fault of ours.
  if (status >= 400 && status < 500) return new ConnectError('unreadable', { ...context, status });
  return new ConnectError('unexpected', context);
}

/** A field's text: the first where it is repeated, `undefined` where it is none. */
function textOf(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  const value = (body as Record<string, unknown>)[name]; // any object is one
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}
