/** Saves an account after either kind of sign-in, and removes accounts. */
import { type Account, AccountLimitReached, TransactionAnswered } from '../../calendars/account-store.ts';
import type { VerifiedAccount } from '../../calendars/calendar-provider.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import { hashOfSecret } from '../../lib/encryption.ts';
import { reachedLimit } from '../flow/account-groups.ts';
import { type AuthorizationRequest, isReconnectLink } from '../flow/authorization-request-store.ts';
import { newSecret } from '../flow/connect-cookies.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { ConnectError } from '../flow/connect-error.ts';
import {
  countStep,
  deviceHashOf,
  finishedError,
  type PageVisit,
  REQUEST_LIFETIME_MS,
} from '../flow/connect-flow.ts';
import { type AccountView, loadUserGroups } from './account-views.ts';
import { isSignInTo } from './confirm-account.ts';

type ProvedAccount = {
  readonly page: PageVisit;
  readonly kind: ProviderKind;
  readonly verified: VerifiedAccount;
  /** The provider's own scopes; empty if it has none. */
  readonly grantedScopes: readonly string[];
  readonly calendarPermission: boolean | undefined;
  /** The account whose owner the sign-in was to prove. */
  readonly confirms: Account | undefined;
};

/** The account, and the browser's new secret, which proves everything that the former one proved. */
export type SavedAccount = { readonly account: Account; readonly device: string };

export type SaveDeps = Pick<
  ConnectDeps,
  'accounts' | 'accountLimits' | 'requests' | 'clients' | 'providers' | 'activityNotes' | 'log' | 'now'
>;

/**
 * Links the account within its transaction. If that is allowed, the account becomes the user's and replaces the same
 * one linked before. Its first sync starts at once. Throws ConnectError if the request has ended meanwhile, and
 * AccountLimitReached.
 */
export async function saveAccount(proved: ProvedAccount, deps: SaveDeps): Promise<SavedAccount> {
  const { page, kind, verified, grantedScopes, calendarPermission, confirms } = proved;
  const { accounts, requests, log, now } = deps;
  const { visit, request } = page;
  const { transactionId, clientId, userId } = request;
  // A provider can take seconds. Meanwhile the user may have been deleted, or may have answered the request in another
  // tab, on a page without this account (docs/security.md T3).
  const current = await requests.findRequest(transactionId);
  if (current === undefined) throw new ConnectError('session_expired');
  if (current.status !== 'open') throw finishedError(current);
  await checkLimit(proved, deps);
  const device = newSecret();
  const linking = accounts.linkAccount(
    {
      ...verified,
      clientId,
      userId,
      provider: kind,
      grantedScopes,
      calendarPermission,
      transaction: { transactionId, expiresAt: request.createdAt + REQUEST_LIFETIME_MS },
      device: { deviceHash: hashOfSecret(device), formerHash: deviceHashOf(visit) },
      limits: deps.accountLimits,
    },
    now(),
  );
  const account = await linking.catch((reason: unknown) => {
    throw reason instanceof TransactionAnswered ? finishedError(current) : reason;
  });
  await countStep(request, 'linked', deps);
  if (isReconnectLink(request)) return { account, device };
  const event = confirms === undefined ? 'account_linked' : 'account_confirmed';
  const { accountKey } = confirms ?? account;
  const fields = { clientId, userId, accountKey, provider: kind, address: visit.address, transactionId };
  log.info(
    { event, ...fields, calendarPermission },
    confirms === undefined ? 'An account was connected' : 'An account was confirmed',
  );
  return { account, device };
}

/** Saves the sign-in of a reconnect link for its account. Throws ConnectError if the request or the account has ended. */
export async function reconnectAccount(
  proved: Omit<ProvedAccount, 'confirms'>,
  deps: SaveDeps,
): Promise<SavedAccount> {
  const { requests, log, now } = deps;
  const { page, kind: provider, verified } = proved;
  const { visit, request } = page;
  const { transactionId, clientId, userId, reconnects: accountKey } = request;
  const saved = await saveAccount({ ...proved, confirms: undefined }, deps);
  if (!(await requests.reconnectAccount(request, { provesOwner: verified.provesOwner, now: now() }))) {
    // Deletes the new account and ends its access, unless another tab ended the request first.
    if (await requests.denyRequest(transactionId, now())) throw new ConnectError('link_expired', { request });
    return saved;
  }
  const fields = { clientId, userId, accountKey, provider, address: visit.address, transactionId };
  log.info({ event: 'account_reconnected', ...fields }, 'An account was connected again by its link');
  return saved;
}

/** Returns the account of a reconnect link's request. Throws ConnectError 410 if it was disconnected. */
export async function findLinkedAccount(
  request: AuthorizationRequest,
  { accounts }: Pick<SaveDeps, 'accounts'>,
): Promise<Account> {
  const account = await accounts.findAccount(request.reconnects ?? '');
  if (account === undefined) throw new ConnectError('link_expired', { request });
  return account;
}

/** Throws AccountLimitReached for a new account over the limit. An account that is linked again is not new. */
async function checkLimit({ page, kind, verified }: ProvedAccount, deps: SaveDeps): Promise<void> {
  const { groups, standings } = await loadUserGroups(page, deps);
  const most = reachedLimit({ groups }, standings, deps.accountLimits);
  if (most === undefined) return;
  const existingGroups = groups.filter(
    (group) => group.unfinished === undefined || standings.proved.includes(group),
  );
  const isKnown = existingGroups.some(({ accounts }) =>
    accounts.some((account) => account.provider === kind && isSignInTo(account, verified)),
  );
  if (!isKnown) throw new AccountLimitReached(most);
}

/** Removes accounts of the user or of this transaction, with the same ones signed in to again. The request records if one was the user's own. */
export async function removeAccounts(
  { visit, request }: PageVisit,
  accounts: readonly AccountView[],
  { accounts: store, requests, log, now }: Pick<ConnectDeps, 'accounts' | 'requests' | 'log' | 'now'>,
): Promise<void> {
  const { clientId, userId, transactionId } = request;
  for (const { accountKey, againKey, provider, isUnfinished } of accounts) {
    for (const key of [accountKey, ...(againKey === undefined ? [] : [againKey])]) {
      await store.removeAccount(key, now(), undefined);
    }
    const event = isUnfinished ? 'account_removed' : 'account_disconnected';
    const fields = { clientId, userId, accountKey, provider, address: visit.address, transactionId };
    log.info({ event, ...fields }, 'A user disconnected an account');
  }
  if (accounts.some(({ isUnfinished }) => !isUnfinished)) {
    await requests.noteProgress(transactionId, { hasDisconnected: true });
  }
}
