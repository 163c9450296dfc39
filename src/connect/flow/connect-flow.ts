/**
 * The Connect pages as a state machine. A request is stored for two hours with its state. The address names the page,
 * and the browser has the cookies (connect-cookies.ts).
 *
 *   GET /authorize                    checks application, user, scope, …; or uses a pushed request
 *        │  302, Set-Cookie oauth_req and the transaction's secret
 *        ▼
 *   ┌─ selection ◄──────────────┐     GET /authorize?…&transaction=T; while calendars load, its script polls
 *   │    │  ▲ │                 │       GET /connect/progress
 *   │    │  └─┘ Remove          │     POST /connect/remove (an account linked in this transaction)
 *   │    ├──► disconnect ───────┤     GET, POST /connect/disconnect, /connect/disconnect-all (asks first)
 *   │    ├──► calendars ────────┤     GET, POST /connect/calendars (selects those of an account)
 *   │    ├──────────► form ─────┤     GET, POST /connect/apple, /connect/caldav
 *   │    │         (wrong: form again, 4xx; right: account linked or confirmed, 303)
 *   │    ├──────► provider's ───┤     GET /connect/google, /connect/microsoft: 303 to the provider's pages
 *   │    │          pages       │     GET /connect/google/callback …: account linked, or the reason why not
 *   │    │ Continue, with at least two accounts
 *   │    ▼                      │
 *   │  consent ─────────────────┘     GET /connect/consent (one account or none: selection)
 *   │    │       │
 *   │    │ Allow │ Cancel             POST /connect/approve, POST /connect/cancel. With one account, selection has both
 *   │    │       │                    buttons; if nothing needs consent, it has Done, which approves
 *   │    ├──► waiting                 GET /connect/waiting: another person's code is pending; continues by itself
 *   │    ▼       │
 *   │ [approved] │                    one record of the code; linked accounts join the proved group, or are the user's
 *   │    │       ▼                    when the application redeems the code
 *   └────┼──► [denied]                linked accounts are deleted
 *        │       │
 *        ▼       ▼
 *      the response, `code` or `error=access_denied`, to every request:
 *        ├── display=page ──► 303 to the application's redirect URI with it
 *        └── display=popup ─► a last page, 200: sends it to the page that opened the popup, and closes; without such
 *                             a page it leads to that redirect URI
 *
 * Every page before the response has POST /connect/language, stored with the request, and POST /connect/theme,
 * stored in the browser. Both lead back to the same page and change no state.
 *
 * `open` → `approved` and `open` → `denied` are each one conditional statement: the first click decides, and a
 * repeated click gets the same response. At every step the browser must have the secret of the transaction
 * that the page names, and the page's application and user must be the stored ones (`standingOf`).
 * A reconnect link (accounts/reconnect-link.ts) opens only the form or the provider's pages, and then
 * GET /connect/reconnected. Its request ends as `denied`, without a code.
 */

import { queryWithout, type ReceivedQuery, scalar } from '../../http/received-query.ts';
import { hashOfSecret } from '../../lib/encryption.ts';
import { LANGUAGES } from '../messages/messages.ts';
import type { ApprovalTerms } from './account-groups.ts';
import {
  type AuthorizationRequest,
  type FlowStep,
  isReconnectLink,
  isTransactionId,
} from './authorization-request-store.ts';
import type { ConnectCookies } from './connect-cookies.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { ConnectError } from './connect-error.ts';
import { startPath } from './paths.ts';

/** The time in which a request can be answered (docs/wire.md O8). */
export const REQUEST_LIFETIME_MS = 7200 * 1000;

/** Requests of reconnect links have two of their own, which only the pages for them accept. */
export type Standing = 'current' | 'finished' | 'reconnecting' | 'reconnected' | 'session_expired';

/** Accepts every open request, those of reconnect links included. */
export const ANY_OPEN: readonly Standing[] = ['current', 'reconnecting'];
/** Accepts the answered requests too, of browsers that repeat a step. */
export const ANY_STANDING: readonly Standing[] = [...ANY_OPEN, 'finished', 'reconnected'];

type Claims = {
  /** The claims of the page's address. Only the transaction is required, but all that are present must match. */
  readonly page: {
    transactionId: string | undefined;
    clientId?: string | undefined;
    userId?: string | undefined;
  };
  readonly secret: string | undefined;
  readonly request: AuthorizationRequest | undefined;
};

/** Returns whether this browser may continue `request`, and why not. `now` is in epoch milliseconds. */
export function standingOf({ page, secret, request }: Claims, now: number): Standing {
  if (secret === undefined || !request || request.transactionId !== page.transactionId)
    return 'session_expired';
  if (hashOfSecret(secret) !== request.secretHash) return 'session_expired';
  if (now - request.createdAt >= REQUEST_LIFETIME_MS) return 'session_expired';
  const { clientId, userId } = request;
  if ((page.clientId ?? clientId) !== clientId || (page.userId ?? userId) !== userId)
    return 'session_expired';
  if (isReconnectLink(request)) return request.status === 'open' ? 'reconnecting' : 'reconnected';
  return request.status === 'open' ? 'current' : 'finished';
}

/** The transaction and the browser of an HTTP request for a page or a form. */
export type Visit = {
  readonly transactionId: string | undefined;
  readonly query: ReceivedQuery;
  readonly cookies: ConnectCookies;
  readonly address: string;
};

export type PageVisit = { readonly visit: Visit; readonly request: AuthorizationRequest };

/**
 * Returns the request that this browser may continue or, if `accepted` has `finished`, has answered. Throws
 * ConnectError 400 `session_expired`, with a way to start again if one is known.
 */
export async function requireRequest(
  visit: Visit,
  { requests, now }: Pick<ConnectDeps, 'requests' | 'now'>,
  accepted: readonly Standing[] = ['current'],
): Promise<AuthorizationRequest> {
  const { query } = visit;
  const request = await findRequest(visit.transactionId, requests);
  const page = {
    transactionId: visit.transactionId,
    clientId: scalar(query, 'client_id'),
    // With a pushed request, nothing else in the address counts.
    userId: request?.isPushed ? undefined : scalar(query, 'user_id'),
  };
  const standing = standingOf({ page, secret: secretOf(visit), request }, now());
  if (request !== undefined && accepted.includes(standing)) return request;
  throw toSessionError(standing, query, request);
}

export const secretOf = ({ transactionId, cookies }: Visit): string | undefined =>
  cookies.transactions.find((one) => one.transactionId === transactionId)?.secret;

export const deviceHashOf = ({ cookies: { device } }: Visit): string | undefined =>
  device === undefined ? undefined : hashOfSecret(device);

const ISSUER_CHANGED = 'The issuer of the application changed after this authorization request began';

/** Throws ConnectError 400 if the application belongs to another issuer now. */
export async function loadApprovalTerms(
  request: AuthorizationRequest,
  { clients, now }: Pick<ConnectDeps, 'clients' | 'now'>,
): Promise<ApprovalTerms> {
  const client = await clients.findClient(request.clientId);
  // The profile names the issuer. The rules of the new one were not checked when the request began.
  if (client !== undefined && client.profile !== request.issuer)
    throw new ConnectError('another_issuer', { request, description: ISSUER_CHANGED });
  const { returningUsers = 'prove', codeFormat = 'user-id' } = client ?? {};
  return { returningUsers, codeFormat, now: now() };
}

/** Returns the error for an answered request, with a way to start a new one. */
export const finishedError = (request: AuthorizationRequest): ConnectError =>
  toSessionError('finished', [], request);

/** Sets the language of the request's other pages and returns the request; `undefined` for an unknown language. */
export async function changeLanguage(
  request: AuthorizationRequest,
  word: string,
  { requests }: Pick<ConnectDeps, 'requests'>,
): Promise<AuthorizationRequest | undefined> {
  const language = LANGUAGES.find((one) => one === word);
  if (language === undefined) return undefined;
  await requests.noteProgress(request.transactionId, { language });
  return { ...request, language };
}

async function findRequest(transactionId: string | undefined, requests: ConnectDeps['requests']) {
  if (transactionId === undefined || !isTransactionId(transactionId)) return undefined;
  return requests.findRequest(transactionId);
}

function toSessionError(standing: Standing, query: ReceivedQuery, request: AuthorizationRequest | undefined) {
  const kind = standing === 'finished' || standing === 'reconnected' ? 'finished' : 'session_expired';
  const again = restartQuery(query, request);
  return new ConnectError(kind, {
    ...(request && { request }),
    ...(again !== undefined && { wayBack: { path: startPath(again), label: 'start_again' } }),
  });
}

/** Returns the stored query; without a request, that of the page if it can start a flow. */
function restartQuery(query: ReceivedQuery, request: AuthorizationRequest | undefined): string | undefined {
  // A pushed request works once, and only the application can start it again. A reconnect link is opened again.
  if (request?.isPushed || request?.reconnects !== undefined || scalar(query, 'request_uri') !== undefined)
    return undefined;
  if (request !== undefined) return request.query;
  const isComplete = scalar(query, 'client_id') !== undefined && scalar(query, 'user_id') !== undefined;
  return isComplete ? queryWithout(query, 'transaction', 'happened') : undefined;
}

/** Counts the steps that a flow reached, skipped ones included, each once. Errors are only logged. */
export async function countStep(
  request: AuthorizationRequest,
  step: FlowStep,
  { requests, activityNotes, log }: Pick<ConnectDeps, 'requests' | 'activityNotes' | 'log'>,
): Promise<void> {
  // Nobody is asked for consent, so a link would count as a flow that was left.
  if (isReconnectLink(request)) return;
  const { transactionId, clientId } = request;
  try {
    for (const reached of await requests.reachStep(transactionId, step))
      activityNotes.add(clientId, `flow_${reached}`);
  } catch (err) {
    log.error({ event: 'step_not_counted', err, clientId, step }, 'A step of a flow could not be counted');
  }
}
