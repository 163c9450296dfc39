/** Which request a page or form belongs to: what address, cookie and store say together. */
import type { Account, AccountLoading } from '../../calendars/account-store.ts';
import { troubleWith } from '../../calendars/account-trouble.ts';
import { queryWithout, type ReceivedQuery, scalar } from '../../http/received-query.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import type { ConnectCookies } from './connect-cookies.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { backToAccounts, ConnectError, type ConnectErrorContext } from './connect-error.ts';
import { type AccountView, type Standing, standingOf, viewAccounts } from './connect-flow.ts';
import { startPath } from './paths.ts';

/** What a page's or form's request tells. */
export type Visit = {
  readonly transactionId: string | undefined;
  readonly query: ReceivedQuery;
  readonly cookies: ConnectCookies;
};

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
  const standing = standingOf(page, cookies.request, request, now());
  if (request !== undefined && accepted.includes(standing)) return request;
  throw refusal(standing, query, request);
}

/** The refusal of a request that was answered, with the way to a new one. */
export function finishedError(request: AuthorizationRequest): ConnectError {
  return refusal('finished', [], request);
}

export type UserAccounts = {
  readonly linked: readonly Account[];
  readonly views: readonly AccountView[];
  /** By account key. */
  readonly loading: ReadonlyMap<string, AccountLoading>;
};

/** The user's accounts as this browser may see them, and whole for what is done with them. */
export async function accountsOf(
  { clientId, userId, scope }: AuthorizationRequest,
  device: string | undefined,
  { accounts, providers }: Pick<ConnectDeps, 'accounts' | 'providers'>,
): Promise<UserAccounts> {
  const [linked, own, loading] = await Promise.all([
    accounts.listAccounts(clientId, userId),
    device === undefined
      ? new Set<string>()
      : accounts.accountsLinkedBy(clientId, userId, hashOfSecret(device)),
    accounts.loadingOf(clientId, userId),
  ]);
  const troubleOf = (account: Account) => troubleWith(account, scope, providers[account.provider]);
  return { linked, loading, views: viewAccounts(linked, own, troubleOf) };
}

/**
 * The account that a form or link of this request names, `undefined` when there is none such. Throws
 * ConnectError 403 when this browser did not link it: whoever knows a user's id sees its page (threat T4).
 */
export async function ownAccount(
  request: AuthorizationRequest,
  device: string | undefined,
  accountKey: string | undefined,
  deps: Pick<ConnectDeps, 'accounts' | 'providers'>,
): Promise<Account | undefined> {
  if (accountKey === undefined) return undefined;
  const { linked, views } = await accountsOf(request, device, deps);
  const account = linked.find((one) => one.accountKey === accountKey);
  if (account === undefined || views.some((view) => view.own && view.accountKey === accountKey))
    return account;
  throw new ConnectError('foreign_form', backToAccounts(request));
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
  const known = scalar(query, 'client_id') !== undefined && scalar(query, 'user_id') !== undefined;
  return known ? queryWithout(query, 'transaction', 'redirect_uri', 'happened') : undefined;
}
