/** Proves that the user owns an account, by signing in to it again (docs/security.md T4). */
import type { Account } from '../../calendars/account-store.ts';
import type { VerifiedAccount } from '../../calendars/calendar-provider.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { backToAccounts, ConnectError } from '../flow/connect-error.ts';
import { deviceHashOf, type PageVisit } from '../flow/connect-flow.ts';
import { loadUserGroups } from './account-views.ts';

type ConfirmDeps = Pick<ConnectDeps, 'accounts' | 'requests' | 'clients' | 'providers' | 'log' | 'now'>;

/** Returns the account to confirm; `undefined` if none is named. Throws ConnectError if it is not another group's. */
export async function accountToConfirm(
  page: PageVisit,
  { kind, accountKey }: { readonly kind: ProviderKind; readonly accountKey: string | undefined },
  deps: ConfirmDeps,
): Promise<Account | undefined> {
  if (accountKey === undefined || accountKey === '') return undefined;
  const { standings } = await loadUserGroups(page, deps);
  const others = [...standings.foreign, ...standings.vouched.map(({ group }) => group)];
  const account = others
    .flatMap(({ accounts }) => accounts)
    .find((one) => one.accountKey === accountKey && one.provider === kind);
  if (account === undefined) throw new ConnectError('foreign_form', backToAccounts(page.request));
  return account;
}

/**
 * Returns whether a sign-in was to this account. If the account was linked before identities were stored, compares its
 * public id and, at CalDAV servers, which choose that id themselves, also the user name.
 */
export function isSignInTo(
  { provider, identity, accountId, display }: Account,
  verified: VerifiedAccount,
): boolean {
  if (identity !== undefined) return identity === verified.identity;
  return accountId === verified.accountId && (provider !== 'caldav' || display === verified.display);
}

/** Returns whether the account is in another group already, which signing in to it would prove. */
export async function isLinkedElsewhere(
  { visit, request }: PageVisit,
  kind: ProviderKind,
  verified: VerifiedAccount,
  { requests, now }: ConfirmDeps,
): Promise<boolean> {
  const { groups } = await requests.groupsOf(request, deviceHashOf(visit), now());
  return groups.some(
    ({ accounts, unfinished, isOfThisBrowser }) =>
      !isOfThisBrowser &&
      unfinished?.transactionId !== request.transactionId &&
      accounts.some((account) => account.provider === kind && isSignInTo(account, verified)),
  );
}

type RefusedProof = {
  readonly account: Account;
  readonly reason: 'wrong_password' | 'another_account' | 'proves_nothing';
};

export function logRefusedProof(
  { visit, request }: PageVisit,
  { account, reason }: RefusedProof,
  { log }: Pick<ConnectDeps, 'log'>,
): void {
  const { clientId, userId, transactionId } = request;
  const { accountKey, provider } = account;
  const fields = { clientId, userId, accountKey, provider, address: visit.address, transactionId, reason };
  log.warn({ event: 'proof_refused', ...fields }, 'A sign-in did not prove the account');
}
