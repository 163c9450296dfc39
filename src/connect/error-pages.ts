/** Errors of the Connect routes as pages, and the pages that belong to no request. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { prefersPage } from '../http/content-preference.ts';
import { acceptCookies } from '../http/cookies.ts';
import { privately, sendPage } from '../http/page.ts';
import { receivedQuery } from '../http/received-query.ts';
import { keepOpener } from '../http/security-headers.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { readCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import type { Appearance } from './pages/appearance.ts';
import {
  appearanceWithoutRequest,
  plainAppearance,
  type WithoutRequest,
} from './pages/appearance-without-request.ts';
import { errorPage } from './pages/error.page.ts';
import { appearanceOf, showPage } from './visit.ts';

/** What all routes of the flow stand on: cookies, errors as pages, and popups that can answer. */
export async function prepare(app: FastifyInstance, deps: ConnectDeps): Promise<void> {
  keepOpener(app);
  await acceptCookies(app);
  app.decorateRequest('authorizationRequest', undefined);
  showErrorsAsPages(app, deps);
}

/** How a page appears in this browser that belongs to no request. */
export const appearanceOfNone = (http: FastifyRequest, deps: ConnectDeps): Promise<Appearance> =>
  appearanceWithoutRequest(withoutRequest(http, deps), deps);

const withoutRequest = ({ url, headers, cookies }: FastifyRequest, deps: ConnectDeps): WithoutRequest => ({
  query: receivedQuery(url),
  acceptLanguage: headers['accept-language'],
  rememberedTheme: readCookies(cookies, deps).theme,
});

/** Makes every error of these routes a page, or JSON for whoever prefers that. */
function showErrorsAsPages(app: FastifyInstance, deps: ConnectDeps): void {
  app.setErrorHandler(async (thrown, http, reply) => {
    const error = connectErrorOf(thrown, http.authorizationRequest);
    // A refusal of ours was logged where it came about, in words without what it carries for the page.
    if (error.status >= 500 && !(thrown instanceof ConnectError)) {
      const route = http.routeOptions.url;
      deps.log.error({ err: thrown, requestId: http.id, route }, 'A request failed');
    }
    reply.headers(error.headers);
    if (!prefersPage(http.headers.accept)) return privately(reply).code(error.status).send(error.body);
    const request = requestOfBrowser(error, http.authorizationRequest);
    const appearance = await errorAppearance(error, http, deps);
    const page = errorPage({ error, request, reference: http.id }, appearance);
    const { status } = error;
    return request ? showPage(reply, page, { request, status }) : sendPage(reply, page, status);
  });
}

/** The request that is this browser's own: others only lend the page their appearance. */
function requestOfBrowser(
  { kind, context: { request } }: ConnectError,
  current: AuthorizationRequest | undefined,
): AuthorizationRequest | undefined {
  // Whoever sees that a request is finished has its cookie (standingOf).
  if (kind === 'finished') return request;
  return current !== undefined && (request?.transactionId ?? current.transactionId) === current.transactionId
    ? current
    : undefined;
}

async function errorAppearance(
  { context: { request } }: ConnectError,
  http: FastifyRequest,
  deps: ConnectDeps,
): Promise<Appearance> {
  try {
    return request ? await appearanceOf(http, request, deps) : await appearanceOfNone(http, deps);
  } catch (err) {
    // What broke the request may break this too, and its reader still needs a page.
    deps.log.error({ err, requestId: http.id }, 'The look of an error page could not be read');
    return plainAppearance(withoutRequest(http, deps), request);
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
