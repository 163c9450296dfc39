/** The health of an account: state, reason, responsible party and fix. */

import type { Account, AccountHealth } from '../../calendars/account-store.ts';
import { isCalendarLink } from '../../calendars/account-store.ts';
import type { HealthEvent } from '../../calendars/health-history.ts';
import { LINK_MARK, PROVIDER_MARKS } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { findResponsible } from '../../user-data/responsible-party.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { stateWord } from './filter-form.page.ts';
import { factList, type TimeLineEntry, timeLine } from './parts.page.ts';
import { ago } from './times.page.ts';
import { visibleText } from './visible-text.ts';

type Kind = Pick<Account, 'accountId' | 'provider'>;

/** Returns the name of an account's provider, or that it is a read-only calendar link. */
export const accountKind = (account: Kind): string =>
  messages.text(`provider.${isCalendarLink(account) ? 'calendar_link' : account.provider}`);

export const accountMark = (account: Kind): Html =>
  isCalendarLink(account) ? LINK_MARK : PROVIDER_MARKS[account.provider];

/** The kind of status that each state of health is shown as. */
export const HEALTH_KINDS = { active: 'good', degraded: 'warn', reauth_required: 'bad' } as const;

export const healthState = ({ state, since }: AccountHealth): Html =>
  html`${stateWord(HEALTH_KINDS[state], messages.text(`health.${state}`))} <small class="beside">${messages.markup('health.since', { when: ago(since) })}</small>`;

/** Renders the reason, who must act and the fix, and `action`. Undefined if the account is healthy. */
export function problemBox(
  { state, reason, message }: AccountHealth,
  hasOwnApp: boolean,
  action?: Html | false,
): Html | undefined {
  if (reason === undefined) return undefined;
  const facts = factList([
    [messages.text('health.message'), message === undefined ? undefined : healthMessage(message)],
    [messages.text('turn'), html`${messages.text(`turn.${findResponsible(reason, hasOwnApp)}`)}`],
    [messages.text('mends'), html`${messages.text(`reason.${reason}.mends`)}`],
  ]);
  return html`<div class="problem ${HEALTH_KINDS[state]}"><strong>${messages.text(`reason.${reason}`)}</strong>${facts}${action && html`<div class="buttons">${action}</div>`}</div>`;
}

const MOST_MESSAGE = 500;
const MOST_MESSAGE_OF_HISTORY = 150;

/** Renders a provider's own message, shortened, with invisible characters made visible. */
export const healthMessage = (message: string, most = MOST_MESSAGE): Html =>
  html`<bdi>${visibleText(message, most)}</bdi>`;

const ENTRIES: Readonly<Record<HealthEvent['happened'], Pick<TimeLineEntry, 'kind' | 'icon'>>> = {
  connected: { kind: 'quiet', icon: 'plug' },
  recovered: { kind: 'good' },
  degraded: { kind: 'warn' },
  reauth_required: { kind: 'bad' },
  refresh_reused: { kind: 'bad', icon: 'alert-fill' },
};

/** Renders the history of an account, the newest entry first. */
export const healthHistory = (events: readonly HealthEvent[], hasOwnApp: boolean): Html =>
  timeLine(
    events.map(({ happened, reason, message, at }) => {
      const turn = reason && messages.text(`turn.${findResponsible(reason, hasOwnApp)}`);
      const about = html`${reason && html`<small>${messages.text(`reason.${reason}`)} · ${messages.markup('happened.turn', { turn: turn ?? '' })}</small>`}${message !== undefined && html`<small>${healthMessage(message, MOST_MESSAGE_OF_HISTORY)}</small>`}`;
      return { ...ENTRIES[happened], title: messages.text(`happened.${happened}`), about, at };
    }),
  );
