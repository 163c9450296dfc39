/** A user's accounts as a transaction shows them: masked if it may not change them (docs/security.md T4). */
import { type Account, type AccountLoading, isCalendarLink } from '../../calendars/account-store.ts';
import type { CalendarProvider } from '../../calendars/calendar-provider.ts';
import { actorOf } from '../../calendars/health-reason.ts';
import { PROVIDER_KINDS, type ProviderKind } from '../../calendars/provider-facts.ts';
import type { Scope } from '../../oauth/scope.ts';
import {
  type AccountGroup,
  type GroupStandings,
  isGiven,
  isSameAccount,
  reachedLimit,
  standingsOf,
} from '../flow/account-groups.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { backToAccounts, ConnectError } from '../flow/connect-error.ts';
import { deviceHashOf, loadApprovalTerms, type PageVisit } from '../flow/connect-flow.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';

export type AccountView = {
  readonly accountKey: string;
  /** The key of the same account, if the user signed in to it again in this transaction. */
  readonly againKey: string | undefined;
  readonly provider: ProviderKind;
  /** Whether it is a published calendar, which is read-only. */
  readonly isCalendarLink: boolean;
  /** Masked unless `isManageable`: anyone who knows a user's id can open the page. */
  readonly name: string;
  /** Whether it may be changed here: its owner was proved, or the application vouches for its user. */
  readonly isManageable: boolean;
  readonly isProved: boolean;
  /** Whether it is not the user's yet. Until it is allowed, nobody reads it. */
  readonly isUnfinished: boolean;
  readonly givenScope: Scope | undefined;
  /** Whether Allow gives access that no active grant has. */
  readonly isNew: boolean;
  readonly problem: ProblemForUser | undefined;
};

/**
 * The end of the selection page: `continue` to the consent page, `allow` on the page itself (one account), `done` if
 * nothing needs consent, `none` if there is no account.
 */
export type Ending = 'continue' | 'none' | 'allow' | 'done';

export type UserAccounts = {
  readonly accounts: readonly AccountView[];
  /** The user's other accounts, masked unless the request was pushed. Each can be confirmed. */
  readonly others: readonly AccountView[];
  /** By account key. */
  readonly loading: ReadonlyMap<string, AccountLoading>;
  readonly ending: Ending;
  /** The limit of accounts, if it is reached. */
  readonly limit: number | undefined;
  /** Whether the application never redeemed an earlier approval of this browser. */
  readonly isUnredeemed: boolean;
};

type AccountDeps = Pick<
  ConnectDeps,
  'accounts' | 'accountLimits' | 'requests' | 'clients' | 'providers' | 'now'
>;

export async function loadUserAccounts(page: PageVisit, deps: AccountDeps): Promise<UserAccounts> {
  const { clientId, userId, transactionId } = page.request;
  const [{ groups, standings }, loading] = await Promise.all([
    loadUserGroups(page, deps),
    deps.accounts.loadingOf(clientId, userId),
  ]);
  const viewed = mergedAccounts(standings).map((one) => toAccountView(one, page, deps));
  const accounts = viewed.toSorted((a, b) => order(a) - order(b));
  const others = standings.foreign.flatMap((group) =>
    group.accounts.map((account) =>
      toAccountView({ account, group, scope: undefined, isProved: false }, page, deps),
    ),
  );
  const isUnredeemed = wasLeftUnredeemed(groups, transactionId);
  const limit = reachedLimit({ groups }, standings, deps.accountLimits);
  return { accounts, others, loading, ending: chooseEnding(accounts, page), limit, isUnredeemed };
}

/** Returns false once this browser has connected an account: then the notice helps nobody. */
function wasLeftUnredeemed(groups: readonly AccountGroup[], transactionId: string): boolean {
  const ofBrowser = groups.filter(({ isOfThisBrowser }) => isOfThisBrowser);
  if (ofBrowser.some(({ unfinished, accounts }) => unfinished === undefined && accounts.length > 0))
    return false;
  return ofBrowser.some(
    ({ unfinished }) => unfinished?.isApproved === true && unfinished.transactionId !== transactionId,
  );
}

const order = ({ provider }: AccountView): number => PROVIDER_KINDS.indexOf(provider);

export async function loadUserGroups(
  { visit, request }: PageVisit,
  deps: Omit<AccountDeps, 'accountLimits'>,
) {
  const [{ groups }, terms] = await Promise.all([
    deps.requests.groupsOf(request, deviceHashOf(visit), deps.now()),
    loadApprovalTerms(request, deps),
  ]);
  return { groups, standings: standingsOf(request, { groups }, terms) };
}

type SeenAccount = {
  readonly account: Account;
  readonly group: AccountGroup;
  /** The scope that an approval gives; `undefined` if the account is not covered. */
  readonly scope: Scope | undefined;
  readonly isProved: boolean;
  readonly again?: Account | undefined;
};

/** Returns the accounts of all covered groups. One that was signed in to again appears once. */
function mergedAccounts({ proved, covered }: GroupStandings): SeenAccount[] {
  const seen = covered.flatMap(({ group, scope }): SeenAccount[] =>
    group.accounts.map((account) => ({ account, group, scope, isProved: proved.includes(group) })),
  );
  const merged: SeenAccount[] = [];
  for (const seenAccount of seen) {
    const at = merged.findIndex(
      (earlier) => earlier.isProved && isSameAccount(earlier.account, seenAccount.account),
    );
    const earlier = merged[at];
    if (earlier === undefined || !seenAccount.isProved) merged.push(seenAccount);
    else merged[at] = { ...earlier, again: seenAccount.account };
  }
  return merged;
}

function toAccountView(
  { account, group, scope, isProved, again }: SeenAccount,
  { request }: PageVisit,
  { providers }: AccountDeps,
): AccountView {
  const { accountKey, provider, display } = account;
  const isManageable = isProved || request.isVouched;
  return {
    accountKey,
    againKey: again?.accountKey,
    provider,
    isCalendarLink: isCalendarLink(account),
    name: isManageable ? display : maskedName(display),
    isManageable,
    isProved,
    isUnfinished: group.unfinished !== undefined,
    givenScope: group.givenScope,
    isNew: scope !== undefined && !isGiven({ group, scope }),
    problem: problemForUser(again ?? account, request.scope, providers[provider]),
  };
}

/** Returns `done` also if the user disconnected the last account here. */
function chooseEnding(accounts: readonly AccountView[], { request }: PageVisit): Ending {
  if (accounts.length === 0) return request.hasDisconnected ? 'done' : 'none';
  if (!accounts.some(({ isNew }) => isNew)) return 'done';
  return accounts.length === 1 ? 'allow' : 'continue';
}

/** Returns the account, if it exists. Throws ConnectError 403 if it may not be changed here (docs/security.md T4). */
export async function manageableAccount(
  page: PageVisit,
  accountKey: string | undefined,
  deps: AccountDeps,
): Promise<AccountView | undefined> {
  if (accountKey === undefined || accountKey === '') return undefined;
  const { accounts, others } = await loadUserAccounts(page, deps);
  const view = [...accounts, ...others].find((one) => one.accountKey === accountKey);
  if (view === undefined || view.isManageable) return view;
  throw new ConnectError('foreign_form', backToAccounts(page.request));
}

/** Returns `j•••@e•••.com` for `jane@example.com`, without a host that follows. Others keep the first character. */
export function maskedName(display: string): string {
  const name = display.replace(/ \([^()]*\)$/, '');
  const at = name.lastIndexOf('@');
  if (at < 1) return mask(name);
  const domain = name.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  return `${mask(name.slice(0, at))}@${mask(domain)}${dot > 0 ? domain.slice(dot) : ''}`;
}

const mask = (text: string): string => `${firstCharacter(text)}•••`;

/** Returns the first character as people see it, which can consist of several code points. */
export function firstCharacter(text: string): string {
  for (const { segment } of new Intl.Segmenter('en').segment(text.trim())) return segment;
  return '';
}

export type AccountState = {
  readonly kind: 'loading' | 'loaded' | 'trouble' | 'elsewhere';
  readonly text: string;
};

const PROBLEMS: Readonly<Record<ProblemForUser, MessageKey>> = {
  reconnect: 'selection.reconnect',
  calendars_not_allowed: 'selection.calendars_not_allowed',
  more_needed: 'selection.more_needed',
  administrator: 'selection.administrator',
  operator: 'selection.operator',
  passing: 'selection.passing',
};

/** Returns the state, without calendars if the account's owner was not proved (docs/security.md T4). */
export function accountState(
  { isManageable, problem }: AccountView,
  loading: AccountLoading | undefined,
  messages: Messages,
): AccountState {
  if (problem !== undefined) return { kind: 'trouble', text: messages.text(PROBLEMS[problem]) };
  if (!isManageable) return { kind: 'elsewhere', text: messages.text('selection.elsewhere') };
  if (!loading?.isListed) return { kind: 'loading', text: messages.text('selection.loading') };
  const { calendars: count, loaded: loadedCount } = loading;
  return loadedCount < count
    ? { kind: 'loading', text: messages.text('selection.loading_some', { done: loadedCount, count }) }
    : { kind: 'loaded', text: messages.text('selection.calendars', { count }) };
}

export const readyCalendars = (
  accounts: readonly AccountView[],
  loading: ReadonlyMap<string, AccountLoading>,
): number =>
  accounts
    .filter(({ isManageable }) => isManageable)
    .reduce((sum, { accountKey }) => sum + (loading.get(accountKey)?.calendars ?? 0), 0);

/** The problem of an account that its user should see. */
type ProblemForUser =
  | 'reconnect'
  /** The user signed in, but did not allow access to the calendars. */
  | 'calendars_not_allowed'
  /** The request needs more than the user has allowed. */
  | 'more_needed'
  /** An administrator of the user's organization has to allow it. */
  | 'administrator'
  | 'operator'
  | 'passing';

/** Returns `undefined` for an account that serves `scope` as it is. */
function problemForUser(
  { health, calendarPermission, grantedScopes }: Account,
  scope: Scope,
  provider: CalendarProvider | undefined,
): ProblemForUser | undefined {
  if (calendarPermission === false) return 'calendars_not_allowed';
  if (health.state !== 'active') {
    const actor = health.reason && actorOf(health.reason);
    if (actor === 'administrator') return 'administrator';
    if (health.state === 'reauth_required') return 'reconnect';
    return actor === 'operator' ? 'operator' : 'passing';
  }
  if (provider?.signIn.method !== 'redirect') return undefined;
  return provider.signIn.covers(grantedScopes, scope) ? undefined : 'more_needed';
}

export const canBeSolvedBySigningIn = (problem: ProblemForUser | undefined): boolean =>
  problem !== undefined && problem !== 'operator' && problem !== 'passing';
