/** The health of an account: state, reason, responsible party and fix. */
import { isCalendarLink } from '../../calendars/account-problem.ts';
import type { Account, AccountHealth } from '../../calendars/account-store.ts';
import type { HealthEvent } from '../../calendars/health-history.ts';
import type { HealthReason } from '../../calendars/health-reason.ts';
import { type Html, html } from '../../http/html.ts';
import { findResponsible } from '../../user-data/responsible-party.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { instant, instantAndAgo } from './times.page.ts';
import { visibleText } from './visible-text.ts';

/** Returns the name of an account's provider, or that it is a read-only calendar link. */
export const accountKind = (account: Pick<Account, 'accountId' | 'provider'>): string =>
  messages.text(`provider.${isCalendarLink(account) ? 'calendar_link' : account.provider}`);

export const healthState = ({ state, since }: AccountHealth): Html =>
  html`<span class="health ${state}">${messages.text(`health.${state}`)}</span> <small class="beside">${messages.markup('health.since', { when: instant(since) })}</small>`;

/** Renders the reason, who must act and the fix. Undefined if the account is healthy. */
export function troubleFacts({ reason, message }: AccountHealth, hasOwnApp: boolean): Html | undefined {
  if (reason === undefined) return undefined;
  return html`<dl class="facts trouble">
<dt>${messages.text(`reason.${reason}`)}</dt><dd>${message !== undefined && healthMessage(message)}</dd>
<dt>${messages.text('turn')}</dt><dd>${messages.text(`turn.${findResponsible(reason, hasOwnApp)}`)}</dd>
<dt>${messages.text('mends')}</dt><dd>${messages.text(`reason.${reason}.mends`)}</dd></dl>`;
}

const MOST_MESSAGE = 500;

/** Renders a provider's own message, shortened, with invisible characters made visible. */
export const healthMessage = (message: string): Html =>
  html`<bdi>${visibleText(message, MOST_MESSAGE)}</bdi>`;

export const timeLine = (events: readonly HealthEvent[], hasOwnApp: boolean): Html =>
  html`<ol class="time-line">${events.map((event) => eventItem(event, hasOwnApp))}</ol>`;

function eventItem({ happened, reason, message, at }: HealthEvent, hasOwnApp: boolean): Html {
  const about = reason !== undefined && reasonWords(reason, hasOwnApp);
  return html`<li class="${happened}"><strong>${messages.text(`happened.${happened}`)}</strong> ${instantAndAgo(at)}${about}${message !== undefined && html`<small>${healthMessage(message)}</small>`}</li>
`;
}

const reasonWords = (reason: HealthReason, hasOwnApp: boolean): Html =>
  html`<small>${messages.text(`reason.${reason}`)} · ${messages.markup('happened.turn', { turn: messages.text(`turn.${findResponsible(reason, hasOwnApp)}`) })}</small>`;
