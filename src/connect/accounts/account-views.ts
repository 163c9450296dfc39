/**
 * A user's accounts as a browser may see them: whole where it linked them, else masked (docs/security.md T4).
 */
import { type ProblemForUser, problemForUser } from '../../calendars/account-problem.ts';
import type { Account, AccountLoading } from '../../calendars/account-store.ts';
import type { ProviderKind } from '../../calendars/provider-kind.ts';
import { hashOfSecret } from '../../lib/sealing.ts';
import type { ConnectDeps } from '../flow/connect-deps.ts';
import { backToAccounts, ConnectError } from '../flow/connect-error.ts';
import type { PageVisit } from '../flow/connect-flow.ts';

/** A linked account as this browser may see it. */
export type AccountView = {
  readonly accountKey: string;
  readonly provider: ProviderKind;
  /** Masked unless this browser linked it: whoever knows a user's id can open its page. */
  readonly name: string;
  /** Whether this browser linked it, and so may change it. */
  readonly isLinkedHere: boolean;
  readonly problem: ProblemForUser | undefined;
};

export type UserAccounts = {
  readonly linked: readonly Account[];
  readonly views: readonly AccountView[];
  /** By account key. */
  readonly loading: ReadonlyMap<string, AccountLoading>;
};

type AccountDeps = Pick<ConnectDeps, 'accounts' | 'providers'>;

/** The user's accounts as this browser may see them, and whole for what is done with them. */
export async function accountsOf({ visit, request }: PageVisit, deps: AccountDeps): Promise<UserAccounts> {
  const { clientId, userId, scope } = request;
  const { accounts, providers } = deps;
  const { device } = visit.cookies;
  const [linked, linkedHere, loading] = await Promise.all([
    accounts.listAccounts(clientId, userId),
    device === undefined
      ? new Set<string>()
      : accounts.accountsLinkedBy(clientId, userId, hashOfSecret(device)),
    accounts.loadingOf(clientId, userId),
  ]);
  const views = linked.map((account): AccountView => {
    const { accountKey, provider, display } = account;
    const isLinkedHere = linkedHere.has(accountKey);
    const name = isLinkedHere ? display : maskedName(display);
    const problem = problemForUser(account, scope, providers[provider]);
    return { accountKey, provider, name, isLinkedHere, problem };
  });
  return { linked, loading, views };
}

/**
 * The account that a form or link of this request names, `undefined` when there is none such. Throws
 * ConnectError 403 when this browser did not link it: whoever knows a user's id sees its page
 * (docs/security.md T4).
 */
export async function accountLinkedHere(
  page: PageVisit,
  accountKey: string | undefined,
  deps: AccountDeps,
): Promise<Account | undefined> {
  if (accountKey === undefined) return undefined;
  const { linked, views } = await accountsOf(page, deps);
  const account = linked.find((one) => one.accountKey === accountKey);
  if (account === undefined || views.some((view) => view.isLinkedHere && view.accountKey === accountKey))
    return account;
  throw new ConnectError('foreign_form', backToAccounts(page.request));
}

/** `jane@example.com` → `j•••@e•••.com`; any other name keeps its first character. */
export function maskedName(name: string): string {
  const at = name.lastIndexOf('@');
  if (at < 1) return mask(name);
  const domain = name.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  return `${mask(name.slice(0, at))}@${mask(domain)}${dot > 0 ? domain.slice(dot) : ''}`;
}

const mask = (text: string): string => `${firstCharacter(text)}•••`;

/** What a reader takes for one character, whatever it is made of. */
export function firstCharacter(text: string): string {
  for (const { segment } of new Intl.Segmenter('en').segment(text.trim())) return segment;
  return '';
}
