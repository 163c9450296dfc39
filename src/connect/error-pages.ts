/** Errors of the Connect routes as pages, and the pages that belong to no request. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptCookies } from '../http/cookies.ts';
import { RETRY_AWAY_SECONDS, refusalOf } from '../http/error-mapping.ts';
import { privately, sendPage } from '../http/page.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import { keepOpener } from '../http/security-headers.ts';
import { FORM_BYTES, PAGE_QUERY_BYTES } from '../http/sizes.ts';
import { prefersPage } from '../lib/content-negotiation.ts';
import { isDatabaseAway } from '../lib/database-away-error.ts';
import { onceAMinute } from '../lib/once-a-minute.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { readCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { selectionPath } from './flow/paths.ts';
import { chooseLanguage } from './messages/messages.ts';
import type { Appearance } from './pages/appearance.ts';
import {
  appearanceWithoutRequest,
  plainAppearance,
  type WithoutRequest,
} from './pages/appearance-without-request.ts';
import { errorPage } from './pages/error.page.ts';
import { MOST_PATH_IN_FORM, type PageSettings } from './pages/layout.page.ts';
import { appearanceOf, showPage } from './visit.ts';

/** What all routes of the flow stand on: limits of size, cookies, errors as pages, and popups that can answer. */
export async function prepare(app: FastifyInstance, deps: ConnectDeps): Promise<void> {
  keepOpener(app);
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= FORM_BYTES;
    route.config = { ...route.config, mostQueryBytes: PAGE_QUERY_BYTES };
  });
  await acceptCookies(app);
  app.decorateRequest('authorizationRequest', undefined);
  showErrorsAsPages(app, deps);
}

/** How a page appears in this browser that belongs to no request. */
export const appearanceOfNone = (http: FastifyRequest, deps: ConnectDeps): Promise<Appearance> =>
  appearanceWithoutRequest(withoutRequest(http, deps), deps);

const withoutRequest = (
  { url, headers, cookies }: FastifyRequest,
  deps: Pick<ConnectDeps, 'publicUrl'>,
): WithoutRequest => ({
  query: receivedQuery(url),
  acceptLanguage: headers['accept-language'],
  rememberedTheme: readCookies(cookies, deps).theme,
});

/** Makes every error of these routes a page, or JSON for whoever prefers that. */
function showErrorsAsPages(app: FastifyInstance, deps: ConnectDeps): void {
  const notePlain = onceAMinute((line: { err: unknown; requestId: string }, count) =>
    deps.log.error(
      { event: 'error_page_plain', ...line, count },
      'The branding of error pages could not be read',
    ),
  );
  app.setErrorHandler(async (thrown, http, reply) => {
    const error = connectErrorOf(thrown, http);
    // A refusal of ours was logged where it came about, in words without what it carries for the page.
    if (isDatabaseAway(thrown)) app.noteDatabaseAway(thrown, http);
    else if (error.status >= 500 && !(thrown instanceof ConnectError)) {
      const route = http.routeOptions.url;
      deps.log.error({ event: 'request_failed', err: thrown, requestId: http.id, route }, 'A request failed');
    }
    reply.headers(error.headers);
    noteRefusal(error, http);
    if (!prefersPage(http.headers.accept)) return privately(reply).code(error.status).send(error.body);
    const request = requestOfBrowser(error, http.authorizationRequest);
    const appearance = await errorAppearance(error, http, { ...deps, notePlain });
    const settings = settingsOf(error, request, http);
    const page = errorPage({ error, request, reference: http.id, settings }, appearance);
    const { status } = error;
    return request ? showPage(reply, page, { request, status }) : sendPage(reply, page, status);
  });
}

/** For the request log: a page says to people what programs are told otherwise. */
function noteRefusal({ body }: ConnectError, http: FastifyRequest): void {
  http.refusalBody = body;
  const { authorizationRequest: request } = http;
  if (request !== undefined)
    http.asker ??= { clientId: request.clientId, userId: request.userId, isRefused: true };
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

/** Names the language of an error page that belongs to a request which keeps none any more. */
const ENDED_LANGUAGE = 'page_language';

/** What a provider's answer is told by can be used once: its address is not opened again. */
const isOpenedAgain = ({ method, url }: FastifyRequest): boolean =>
  method === 'GET' && !/^\/connect\/\w+\/callback\b/.test(url);

/** Where an error page can be read in another language: at its own address, else on the page its request goes on with. */
function settingsOf(
  { context }: ConnectError,
  request: AuthorizationRequest | undefined,
  http: FastifyRequest,
): PageSettings | undefined {
  const isOpen = request?.status === 'open';
  if (isOpen) return { request, path: isOpenedAgain(http) ? http.url : selectionPath(request) };
  if (!isOpenedAgain(http) || http.url.length > MOST_PATH_IN_FORM) return undefined;
  const parameter = context.request ? ENDED_LANGUAGE : 'lng';
  const query = receivedQuery(http.url).filter(({ name }) => name !== parameter);
  const [place = '/'] = http.url.split('?');
  return { path: http.url, place, query, parameter };
}

/** The request in the language that its error page was asked for in. */
function inChosenLanguage(request: AuthorizationRequest, { url }: FastifyRequest): AuthorizationRequest {
  const language = scalar(receivedQuery(url), ENDED_LANGUAGE);
  return language === undefined ? request : { ...request, language: chooseLanguage({ named: language }) };
}

async function errorAppearance(
  { context: { request } }: ConnectError,
  http: FastifyRequest,
  deps: ConnectDeps & { readonly notePlain: (line: { err: unknown; requestId: string }) => void },
): Promise<Appearance> {
  try {
    return request
      ? await appearanceOf(http, inChosenLanguage(request, http), deps)
      : await appearanceOfNone(http, deps);
  } catch (err) {
    // What broke the request may break this too, and its reader still needs a page.
    deps.notePlain({ err, requestId: http.id });
    return plainAppearance(withoutRequest(http, deps), request, deps);
  }
}

function connectErrorOf(thrown: unknown, http: FastifyRequest): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const { authorizationRequest: request } = http;
  const context = { cause: thrown, ...(request && backToAccounts(request)) };
  if (isDatabaseAway(thrown)) {
    // What docs/wire.md O4.1 answers for any failure of the database.
    const kind = isStart(http) ? 'unexpected' : 'database_away';
    return new ConnectError(kind, { ...context, retryAfter: RETRY_AWAY_SECONDS });
  }
  const refusal = thrown instanceof Error ? refusalOf(thrown, http) : undefined;
  // Refused before its route was asked, as what cannot be read or is too large; everything else is a fault of ours.
  if (refusal !== undefined && refusal.status < 500) {
    const { status, message: description } = refusal;
    return new ConnectError('unreadable', { ...context, status, description });
  }
  return new ConnectError('unexpected', context);
}

const isStart = ({ routeOptions }: FastifyRequest): boolean => /\/authorize$/.test(routeOptions.url ?? '');
