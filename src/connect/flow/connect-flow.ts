/**
 * The Connect pages as a state machine. A request is kept for two hours, and its state is in the store;
 * where its reader stands is in the address, and nothing is in the browser but the three cookies (connect-cookies.ts).
 *
 *   GET /authorize                    application, user, scope, … are checked
 *        │  302, Set-Cookie oauth_req
 *        ▼
 *   ┌─ selection ◄──────────────┐     GET /authorize?…&transaction=T; while calendars load, its script asks
 *   │    │  ▲ │                 │       GET /connect/progress
 *   │    │  └─┘ Disconnect      │     POST /connect/disconnect (accounts this browser linked)
 *   │    ├──► disconnect all ───┤     GET, POST /connect/disconnect-all (the question; Disconnect, or back)
 *   │    ├──────────► form ─────┤     GET, POST /connect/apple, /connect/caldav
 *   │    │         (wrong: form again, 4xx; right: account linked, 303)
 *   │    ├──────► provider's ───┤     GET /connect/google, /connect/microsoft: 303 to the provider's pages
 *   │    │          pages       │     GET /connect/google/callback …: account linked, or a word why not
 *   │    │ Continue, with an account at least
 *   │    ▼                      │
 *   │  consent ─────────────────┘     GET /connect/consent (no account any more: selection)
 *   │    │       │
 *   │    │ Allow │ Cancel             POST /connect/approve, POST /connect/cancel
 *   │    ▼       │
 *   │ [approved] │                    one code's record
 *   │    │       ▼
 *   └────┼──► [denied]                Cancel on the selection page is that of the consent page
 *        │       │
 *        ▼       ▼
 *      the answer, `code` or `error=access_denied`, each time it is asked for:
 *        ├── display=page ──► 303 to the application's redirect URI with it
 *        └── display=popup ─► a last page, 200: it tells the page that opened the popup, and closes; where there is
 *                             none to tell, it leads to that redirect URI
 *
 * On every page before the answer: POST /connect/language, kept with the request, and POST /connect/theme, kept by the
 * browser. Both lead back to the page they were sent from and change no state.
 *
 * `open` → `approved` and `open` → `denied` are each one conditional statement: of any number of
 * clicks one decides, and a repeated click is sent where the first one was. At every step page, cookie
 * and stored request must name the same transaction, application and user (`standingOf`).
 */
import { queryWithout, type ReceivedQuery, scalar } from '../../http/received-query.ts';
import { LANGUAGES } from '../messages/messages.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import type { ConnectCookies, RequestCookie } from './connect-cookies.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { ConnectError, type ConnectErrorContext } from './connect-error.ts';
import { startPath } from './paths.ts';

/** How long a request can be answered, in milliseconds (docs/wire.md O8). */
export const REQUEST_LIFETIME_MS = 7200 * 1000;

export type Standing = 'current' | 'finished' | 'other_connection' | 'session_expired';

type Claims = {
  /** What the page's address names. Only the transaction must be in it, but all that is must agree. */
  readonly page: {
    transactionId: string | undefined;
    clientId?: string | undefined;
    userId?: string | undefined;
  };
  readonly cookie: RequestCookie | undefined;
  readonly request: AuthorizationRequest | undefined;
};

/** Whether this browser may go on with `request`, and why not. `now` is epoch milliseconds. */
export function standingOf({ page, cookie, request }: Claims, now: number): Standing {
  if (cookie && page.transactionId !== undefined && cookie.transactionId !== page.transactionId) {
    return 'other_connection';
  }
  if (!cookie || !request || request.transactionId !== page.transactionId) return 'session_expired';
  if (now - request.createdAt >= REQUEST_LIFETIME_MS) return 'session_expired';
  const pairs = [
    [cookie.clientId, request.clientId],
    [cookie.userId, request.userId],
    [page.clientId ?? request.clientId, request.clientId],
    [page.userId ?? request.userId, request.userId],
  ];
  if (pairs.some(([claimed, stored]) => claimed !== stored)) return 'session_expired';
  return request.status === 'open' ? 'current' : 'finished';
}

/** What a page's or form's request says about where it belongs. */
export type Visit = {
  readonly transactionId: string | undefined;
  readonly query: ReceivedQuery;
  readonly cookies: ConnectCookies;
};

/** What a page is shown for: the request, and what its browser says. */
export type PageVisit = { readonly visit: Visit; readonly request: AuthorizationRequest };

/**
 * The request this browser may go on with, or, with `finished`, one it has answered already. Throws
 * ConnectError 400 `session_expired`, with a way to start again where one is known.
 */
export async function requestOf(
  visit: Visit,
  { requests, now }: Pick<ConnectDeps, 'requests' | 'now'>,
  accepted: readonly Standing[] = ['current'],
): Promise<AuthorizationRequest> {
  const { query, cookies } = visit;
  const request = await findRequest(visit.transactionId, requests);
  const page = {
    transactionId: visit.transactionId,
    clientId: scalar(query, 'client_id'),
    userId: scalar(query, 'user_id'),
  };
  const standing = standingOf({ page, cookie: cookies.request, request }, now());
  if (request !== undefined && accepted.includes(standing)) return request;
  throw refusal(standing, query, request);
}

/** The refusal of a request that was answered, with the way to a new one. */
export function finishedError(request: AuthorizationRequest): ConnectError {
  return refusal('finished', [], request);
}

/**
 * Shows the rest of the request's pages in the language that `word` names, and answers the request so; `undefined`,
 * with nothing changed, for a word that names none of ours.
 */
export async function changeLanguage(
  request: AuthorizationRequest,
  word: string,
  { requests }: Pick<ConnectDeps, 'requests'>,
): Promise<AuthorizationRequest | undefined> {
  const language = LANGUAGES.find((one) => one === word);
  if (language === undefined) return undefined;
  await requests.setLanguage(request.transactionId, language);
  return { ...request, language };
}

async function findRequest(transactionId: string | undefined, requests: ConnectDeps['requests']) {
  // 128 bits of base64url; anything else was never one of ours.
  if (transactionId === undefined || !/^[\w-]{22}$/.test(transactionId)) return undefined;
  return requests.findRequest(transactionId);
}

function refusal(standing: Standing, query: ReceivedQuery, request: AuthorizationRequest | undefined) {
  const kind = standing === 'current' ? 'session_expired' : standing;
  const again = restartQuery(query, request);
  const context: ConnectErrorContext = {
    ...(request && { request }),
    ...(again !== undefined && { wayBack: { path: startPath(again), label: 'start_again' } }),
  };
  return new ConnectError(kind, context);
}

/** The stored query; without one, the page's own where it can start a flow. */
function restartQuery(query: ReceivedQuery, request: AuthorizationRequest | undefined): string | undefined {
  if (request !== undefined) return request.query;
  const isComplete = scalar(query, 'client_id') !== undefined && scalar(query, 'user_id') !== undefined;
  return isComplete ? queryWithout(query, 'transaction', 'redirect_uri', 'happened') : undefined;
}
