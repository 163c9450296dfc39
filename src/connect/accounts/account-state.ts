/** How a linked account stands, in a few words: loading, loaded, or what is the matter with it. */
import type { AccountLoading } from '../../calendars/account-store.ts';
import type { AccountTrouble } from '../../calendars/account-trouble.ts';
import type { AccountView } from '../flow/connect-flow.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';

export type AccountState = {
  readonly kind: 'loading' | 'loaded' | 'trouble' | 'elsewhere';
  readonly text: string;
};

const TROUBLES: Readonly<Record<AccountTrouble, MessageKey>> = {
  reconnect: 'selection.reconnect',
  calendars_not_allowed: 'selection.calendars_not_allowed',
  more_needed: 'selection.more_needed',
  administrator: 'selection.administrator',
  operator: 'selection.operator',
  passing: 'selection.passing',
};

/** Nothing is told of the calendars of an account that another browser linked (threat T4). */
export function accountState(
  { own, trouble }: AccountView,
  loading: AccountLoading | undefined,
  messages: Messages,
): AccountState {
  if (trouble !== undefined) return { kind: 'trouble', text: messages.text(TROUBLES[trouble]) };
  if (!own) return { kind: 'elsewhere', text: messages.text('selection.elsewhere') };
  if (!loading?.isListed) return { kind: 'loading', text: messages.text('selection.loading') };
  const { calendars: count, loaded: done } = loading;
  return done < count
    ? { kind: 'loading', text: messages.text('selection.loading_some', { done, count }) }
    : { kind: 'loaded', text: messages.text('selection.calendars', { count }) };
}
