/** Saves an account whose owner was just proved, whichever way they signed in. */
import { type Account, AccountLimitReached, TransactionAnswered } from '../../calendars/account-store.ts';
import type { VerifiedAccount } from '../../calendars/calendar-provider.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import { reachedLimit } from '../flow/account-groups.ts';
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

import { groupsOf } from './account-views.ts';
import { isSignInTo } from './confirm-account.ts';

export type ProvedAccount = {
  readonly page: PageVisit;
  readonly kind: ProviderKind;
  readonly verified: VerifiedAccount;
  /** The provider's own scopes; none where it has no such thing. */
  readonly grantedScopes: readonly string[];
  readonly calendarPermission: boolean | undefined;
  /** The account whose owner was to be proved by signing in to it, where it was that. */
  readonly confirms: Account | undefined;
};

/** The account, and the secret that this browser has from now on: all that the former stood for, it stands for. */
export type SavedAccount = { readonly account: Account; readonly device: string };

type SaveDeps = Pick<
  ConnectDeps,
  'accounts' | 'accountLimits' | 'requests' | 'clients' | 'providers' | 'activityNotes' | 'log' | 'now'
>;

/**
 * Links it within its transaction: it is the user's only once that was allowed, and takes the place of the same account
 * linked before then. Its first sync starts at once. Throws ConnectError when the request ended meanwhile, and
 * AccountLimitReached when there are as many accounts as there can be.
 */
export async function saveAccount(proved: ProvedAccount, deps: SaveDeps): Promise<SavedAccount> {
  const { page, kind, verified, grantedScopes, calendarPermission, confirms } = proved;
  const { accounts, requests, log, now } = deps;
  const { visit, request } = page;
  const { transactionId, clientId, userId } = request;
  // Providers can take seconds: meanwhile the user, and this request with it, may have been deleted, or the
  // user may have answered it in another tab, on a page that did not list this account (docs/security.md T3).
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
  const event = confirms === undefined ? 'account_linked' : 'account_confirmed';
  const { accountKey } = confirms ?? account;
  const fields = { clientId, userId, accountKey, provider: kind, address: visit.address, transactionId };
  log.info(
    { event, ...fields, calendarPermission },
    confirms === undefined ? 'An account was linked' : 'An account was confirmed',
  );
  await countStep(request, 'linked', deps);
  return { account, device };
}

/** Throws AccountLimitReached where the account is one more than there can be. What is linked again is not. */
async function checkLimit({ page, kind, verified }: ProvedAccount, deps: SaveDeps): Promise<void> {
  const { groups, standings } = await groupsOf(page, deps);
  const most = reachedLimit({ groups }, standings, deps.accountLimits);
  if (most === undefined) return;
  const known = groups.filter((group) => group.unfinished === undefined || standings.proved.includes(group));
  const isKnown = known.some(({ accounts }) =>
    accounts.some((account) => account.provider === kind && isSignInTo(account, verified)),
  );
  if (!isKnown) throw new AccountLimitReached(most);
}
