/** Describes the state of a linked account in a few words. */

import type { ProblemForUser } from '../../calendars/account-problem.ts';
import type { AccountLoading } from '../../calendars/account-store.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import type { AccountView } from './account-views.ts';

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
