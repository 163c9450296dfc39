/** Shows errors of the Connect routes as pages. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptCookies } from '../http/cookies.ts';
import { RETRY_AWAY_SECONDS, toRefusal } from '../http/error-mapping.ts';
import { privately, sendPage } from '../http/page.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import { keepOpener } from '../http/security-headers.ts';
import { FORM_BYTES, PAGE_QUERY_BYTES } from '../http/sizes.ts';
import { prefersPage } from '../lib/content-negotiation.ts';
import { isDatabaseAway } from '../lib/database-away-error.ts';
import { onceAMinute } from '../lib/once-a-minute.ts';
import { type AuthorizationRequest, isReconnectLink } from './flow/authorization-request-store.ts';
import { readClientId, readTheme } from './flow/authorize-request.ts';
import { readCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { backToAccounts, ConnectError } from './flow/connect-error.ts';
import { selectionPath } from './flow/paths.ts';
import { chooseLanguage } from './messages/messages.ts';
import { type Appearance, appearanceFor, plainAppearance } from './pages/appearance.ts';
import { errorPage } from './pages/error.page.ts';
import { MOST_PATH_IN_FORM, type PageSettings } from './pages/layout.page.ts';
import { loadAppearance, noteOwnError, showPage } from './visit.ts';

/** Sets up the routes of the flow: size limits, cookies, errors as pages, and popups that can reach their opener. */
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

/** Returns the appearance of a page without an authorization request, from its address and browser. */
export const appearanceOfNone = (http: FastifyRequest, deps: ConnectDeps): Promise<Appearance> =>
  appearanceFor(readPreferences(http), readCookies(http.cookies, deps).theme, deps);

function readPreferences({ url, headers }: FastifyRequest) {
  const query = receivedQuery(url);
  const wish = { named: scalar(query, 'lng'), acceptLanguage: headers['accept-language'] };
  // An unknown application has the default branding.
  const clientId = readClientId(query) ?? '';
  return { clientId, language: chooseLanguage(wish), theme: readTheme(query) };
}

/** Sends errors of these routes as pages, or as JSON to programs that prefer it. */
function showErrorsAsPages(app: FastifyInstance, deps: ConnectDeps): void {
  const notePlain = onceAMinute((line: { err: unknown; requestId: string }, count) =>
    deps.log.error(
      { event: 'error_page_plain', ...line, count },
      'The branding of error pages could not be read',
    ),
  );
  app.setErrorHandler(async (thrown, http, reply) => {
    const error = toConnectError(thrown, http);
    // A ConnectError was logged where it was thrown.
    if (isDatabaseAway(thrown)) app.noteDatabaseAway(thrown, http);
    else if (error.status >= 500 && !(thrown instanceof ConnectError)) {
      const route = http.routeOptions.url;
      deps.log.error({ event: 'request_failed', err: thrown, requestId: http.id, route }, 'A request failed');
    }
    reply.headers(error.headers);
    await noteRefusal(error, http, deps);
    if (!prefersPage(http.headers.accept)) return privately(reply).code(error.status).send(error.body);
    const request = requestOfBrowser(error, http.authorizationRequest);
    const appearance = await errorAppearance(error, http, { ...deps, notePlain });
    const settings = buildPageSettings(error, request, http);
    const page = errorPage({ error, request, reference: http.id, settings }, appearance);
    const { status } = error;
    return request ? showPage(reply, page, { request, status }) : sendPage(reply, page, status);
  });
}

/** Records the public error in the request log: with its user, else with an application that it only names. */
async function noteRefusal(error: ConnectError, http: FastifyRequest, deps: ConnectDeps): Promise<void> {
  const request = requestOfBrowser(error, http.authorizationRequest) ?? http.authorizationRequest;
  if (request !== undefined) return noteOwnError(http, request, error.body);
  http.refusalBody = error.body;
  if (error.status >= 500) return;
  const clientId = error.context.request?.clientId ?? (await findNamedClient(http, deps));
  if (clientId !== undefined) http.asker = { clientId, isClaimed: true };
}

/** Returns the existing application that a request to `/authorize` names. */
async function findNamedClient(http: FastifyRequest, { clients }: ConnectDeps): Promise<string | undefined> {
  const clientId = isStart(http) ? readClientId(receivedQuery(http.url)) : undefined;
  if (clientId === undefined) return undefined;
  // A failure leaves the entry without an application. The user still needs a page.
  const client = await clients.findClient(clientId).catch(() => undefined);
  return client?.clientId;
}

/** Returns this browser's own request. Another one gives the page only its appearance. */
function requestOfBrowser(
  { kind, context: { request } }: ConnectError,
  current: AuthorizationRequest | undefined,
): AuthorizationRequest | undefined {
  const affected = request ?? current;
  // A reconnect link does not end at the application.
  if (affected !== undefined && isReconnectLink(affected)) return undefined;
  // A request is `finished` only for a browser that has its cookie (standingOf).
  if (kind === 'finished') return request;
  return current !== undefined && (request?.transactionId ?? current.transactionId) === current.transactionId
    ? current
    : undefined;
}

/** The parameter with the language of an error page whose request can no longer store one. */
const ENDED_LANGUAGE = 'page_language';

/** A provider's response can be used once, so its address is not opened again. */
const isOpenedAgain = ({ method, url }: FastifyRequest): boolean =>
  method === 'GET' && !/^\/connect\/\w+\/callback\b/.test(url);

/** Returns the address that shows the page in another language: its own, otherwise that of its request. */
function buildPageSettings(
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
      ? await loadAppearance(http, inChosenLanguage(request, http), deps)
      : await appearanceOfNone(http, deps);
  } catch (err) {
    // The cause of the error can also affect this. The user still needs a page.
    deps.notePlain({ err, requestId: http.id });
    return plainAppearance(request ?? readPreferences(http), deps);
  }
}

function toConnectError(thrown: unknown, http: FastifyRequest): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const { authorizationRequest: request } = http;
  const context = { cause: thrown, ...(request && backToAccounts(request)) };
  if (isDatabaseAway(thrown)) {
    // docs/wire.md O4.1 requires this for any failure of the database.
    const kind = isStart(http) ? 'unexpected' : 'database_away';
    return new ConnectError(kind, { ...context, retryAfter: RETRY_AWAY_SECONDS });
  }
  const refusal = thrown instanceof Error ? toRefusal(thrown, http) : undefined;
  // An error before the route, such as an unreadable or too large request. Others are internal.
  if (refusal !== undefined && refusal.status < 500) {
    const { status, message: description } = refusal;
    return new ConnectError('unreadable', { ...context, status, description });
  }
  return new ConnectError('unexpected', context);
}

const isStart = ({ routeOptions }: FastifyRequest): boolean => /\/authorize$/.test(routeOptions.url ?? '');
