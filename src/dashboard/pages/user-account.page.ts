/** The page of one account of a user: its calendars with how their changes arrive, and its history. */

import type { ShownAccount } from '../../administration/user-details.ts';
import type { Account } from '../../calendars/account-store.ts';
import { chip } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { failureText, type SyncedCalendar } from '../../user-data/account-calendars.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { accountKind, healthHistory, healthState, problemBox } from './health.page.ts';
import type { Viewer } from './layout.page.ts';
import { breadcrumb, headsOf, nextLink, table, top } from './parts.page.ts';
import { ago, instant } from './times.page.ts';
import { type UserLinkDeps, userLink } from './user-links.ts';
import { shownName } from './visible-name.ts';

export type AccountParts = UserLinkDeps & {
  readonly shown: ShownAccount;
  /** The address of the next page of calendars. Undefined on the last page. */
  readonly nextPath: string | undefined;
};

export function accountContent(parts: AccountParts, viewer: Viewer): Html {
  const { shown, nextPath, userReferenceKey } = parts;
  const { account, calendars, user, history, ownApps } = shown;
  const { provider, display, health, accountKey } = account;
  const { person: reader } = viewer;
  const hasOwnApp = ownApps.has(provider);
  const back = html`<a href="${userLink('user', user, { reader, userReferenceKey })}"><bdi class="anything">${shownName(reader, user.userId)}</bdi></a>`;
  const name = html`<bdi class="anything">${shownName(reader, display)}</bdi>`;
  const events = history.get(accountKey) ?? [];
  return html`${breadcrumb([html`<a href="/dashboard/users">${messages.text('users.title')}</a>`, back, name])}${top(name, accountKind(account))}
<p>${healthState(health)}</p>
${problemBox(health, hasOwnApp)}
<h2>${messages.text('account.calendars')}</h2>
${calendars.length === 0 ? html`<div class="empty"><p>${messages.text('account.calendars.none')}</p></div>` : calendarTable(calendars, { account }, viewer)}
${nextLink(nextPath)}
<h2>${messages.text('user.account.history')}</h2>
${healthHistory(events, hasOwnApp)}`;
}

/** `isBrief`: without the time until which a calendar is pushed. */
type CalendarOptions = { readonly account: Account; readonly isBrief?: boolean };

export function calendarTable(
  calendars: readonly SyncedCalendar[],
  options: CalendarOptions,
  viewer: Viewer,
): Html {
  return table({
    name: 'account.calendars',
    heads: headsOf('account.calendar', ['title', 'events', 'synced', 'next', 'updates']),
    rows: calendars.map((calendar) => calendarRow(calendar, options, viewer)),
    numbers: [1],
  });
}

function calendarRow(
  calendar: SyncedCalendar,
  { account, isBrief = false }: CalendarOptions,
  { person }: Viewer,
): Html[] {
  const { title, isPrimary, isLeftOut, eventCount, syncedAt, failure, nextAt, pushedUntil } = calendar;
  const isPaused = account.health.state === 'reauth_required';
  const isPlanned = nextAt !== undefined && !isLeftOut;
  const next = isPlanned ? ago(nextAt) : messages.text('account.calendar.none');
  const kind = pushedUntil === undefined ? 'polling' : 'push';
  const updates =
    pushedUntil === undefined || isBrief
      ? messages.text(`user.account.${kind}`)
      : messages.markup('account.calendar.pushed', { until: instant(pushedUntil) });
  return [
    html`<bdi class="anything">${shownName(person, title)}</bdi>${isPrimary && html` ${chip(messages.text('account.calendar.main'))}`}${isLeftOut && html`<small>${messages.text('account.calendar.left_out')}</small>`}`,
    messages.markup('account.calendar.count', { count: eventCount }),
    html`${ago(syncedAt)}${failure !== undefined && html`<small class="ailing">${failureText(failure)}</small>`}`,
    html`${isPaused && !isLeftOut ? html`<span class="none">${messages.text('account.calendar.paused')}</span>` : next}`,
    html`${updates}`,
  ];
}
