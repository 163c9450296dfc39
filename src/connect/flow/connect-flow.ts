/**
 * The Connect pages as a state machine. A request is kept for two hours, and its state is in the store; where its reader
 * stands is in the address, and the browser has its cookies (connect-cookies.ts).
 *
 *   GET /authorize                    application, user, scope, … are checked; or a pushed request is taken up
 *        │  302, Set-Cookie oauth_req and the transaction's secret
 *        ▼
 *   ┌─ selection ◄──────────────┐     GET /authorize?…&transaction=T; while calendars load, its script asks
 *   │    │  ▲ │                 │       GET /connect/progress
 *   │    │  └─┘ Remove          │     POST /connect/remove (what was linked in this transaction)
 *   │    ├──► disconnect ───────┤     GET, POST /connect/disconnect, /connect/disconnect-all (the question first)
 *   │    ├──► calendars ────────┤     GET, POST /connect/calendars (which of an account's)
 *   │    ├──────────► form ─────┤     GET, POST /connect/apple, /connect/caldav
 *   │    │         (wrong: form again, 4xx; right: account linked, or one that was linked confirmed, 303)
 *   │    ├──────► provider's ───┤     GET /connect/google, /connect/microsoft: 303 to the provider's pages
 *   │    │          pages       │     GET /connect/google/callback …: account linked, or a word why not
 *   │    │ Continue, with two accounts at least
 *   │    ▼                      │
 *   │  consent ─────────────────┘     GET /connect/consent (one account or none: selection)
 *   │    │       │
 *   │    │ Allow │ Cancel             POST /connect/approve, POST /connect/cancel. With one account, selection has both;
 *   │    │       │                    where nothing needs consent, it has Done, which approves
 *   │    ├──► waiting                 GET /connect/waiting: somebody else's code is live; it goes on by itself
 *   │    ▼       │
 *   │ [approved] │                    one code's record; what was linked joins the proved group, or becomes the user's
 *   │    │       ▼                    when the application redeems the code
 *   └────┼──► [denied]                what was linked is dropped
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
 * `open` → `approved` and `open` → `denied` are each one conditional statement: of any number of clicks one decides, and
 * a repeated click is sent where the first one was. At every step the browser must have the secret of the transaction
 * that the page names, and the page's application and user must be the stored ones (`standingOf`).
 */

import { queryWithout, type ReceivedQuery, scalar } from '../../http/received-query.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import { LANGUAGES } from '../messages/messages.ts';
import type { ApprovalTerms } from './account-groups.ts';
import type { AuthorizationRequest, FlowStep } from './authorization-request-store.ts';
import type { ConnectCookies } from './connect-cookies.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { ConnectError, type ConnectErrorContext } from './connect-error.ts';
import { startPath } from './paths.ts';

/** How long a request can be answered, in milliseconds (docs/wire.md O8). */
export const REQUEST_LIFETIME_MS = 7200 * 1000;

export type Standing = 'current' | 'finished' | 'session_expired';

type Claims = {
  /** What the page's address names. Only the transaction must be in it, but all that is must agree. */
  readonly page: {
    transactionId: string | undefined;
    clientId?: string | undefined;
    userId?: string | undefined;
  };
  /** What the browser's cookie has for that transaction. */
  readonly secret: string | undefined;
  readonly request: AuthorizationRequest | undefined;
};

/** Whether this browser may go on with `request`, and why not. `now` is epoch milliseconds. */
export function standingOf({ page, secret, request }: Claims, now: number): Standing {
  if (secret === undefined || !request || request.transactionId !== page.transactionId) {
    return 'session_expired';
  }
  if (hashOfSecret(secret) !== request.secretHash) return 'session_expired';
  if (now - request.createdAt >= REQUEST_LIFETIME_MS) return 'session_expired';
  const { clientId, userId } = request;
  if ((page.clientId ?? clientId) !== clientId || (page.userId ?? userId) !== userId)
    return 'session_expired';
  return request.status === 'open' ? 'current' : 'finished';
}

/** What a page's or form's request says about where it belongs. */
export type Visit = {
  readonly transactionId: string | undefined;
  readonly query: ReceivedQuery;
  readonly cookies: ConnectCookies;
  /** The network address it came from. */
  readonly address: string;
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
  const { query } = visit;
  const request = await findRequest(visit.transactionId, requests);
  const page = {
    transactionId: visit.transactionId,
    clientId: scalar(query, 'client_id'),
    // Beside a pushed request nothing else of the address is read.
    userId: request?.isPushed ? undefined : scalar(query, 'user_id'),
  };
  const standing = standingOf({ page, secret: secretOf(visit), request }, now());
  if (request !== undefined && accepted.includes(standing)) return request;
  throw refusal(standing, query, request);
}

/** The secret that the browser has for the page's transaction. */
export const secretOf = ({ transactionId, cookies }: Visit): string | undefined =>
  cookies.transactions.find((one) => one.transactionId === transactionId)?.secret;

/** SHA-256 of the browser's own secret. */
export const deviceHashOf = ({ cookies: { device } }: Visit): string | undefined =>
  device === undefined ? undefined : hashOfSecret(device);

/** By what an approval of the request is decided now. */
export async function termsOf(
  { clientId }: AuthorizationRequest,
  { clients, now }: Pick<ConnectDeps, 'clients' | 'now'>,
): Promise<ApprovalTerms> {
  const client = await clients.findClient(clientId);
  return { returningUsers: client?.returningUsers ?? 'prove', now: now() };
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
  // A pushed request can be taken up once: only the application can start it again.
  if (request?.isPushed || scalar(query, 'request_uri') !== undefined) return undefined;
  if (request !== undefined) return request.query;
  const isComplete = scalar(query, 'client_id') !== undefined && scalar(query, 'user_id') !== undefined;
  return isComplete ? queryWithout(query, 'transaction', 'redirect_uri', 'happened') : undefined;
}

type CountDeps = Pick<ConnectDeps, 'requests' | 'activityNotes' | 'log'>;

/** Counts that a request came so far, and what it skipped on the way: each step of it once. Nothing fails for that. */
export async function countStep(
  { transactionId, clientId }: Pick<AuthorizationRequest, 'transactionId' | 'clientId'>,
  step: FlowStep,
  { requests, activityNotes, log }: CountDeps,
): Promise<void> {
  try {
    for (const reached of await requests.reachStep(transactionId, step))
      activityNotes.add(clientId, `flow_${reached}`);
  } catch (err) {
    log.error({ event: 'step_not_counted', err, clientId, step }, 'A step of a flow could not be counted');
  }
}
