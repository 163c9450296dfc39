/** The page of one account of a user: its calendars with how their changes arrive, and its history. */

import type { ShownAccount } from '../../administration/user-details.ts';
import { chip } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { failureText, type SyncedCalendar } from '../../user-data/account-calendars.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { accountKind, healthState, timeLine, troubleFacts } from './health.page.ts';
import type { Viewer } from './layout.page.ts';
import { table, top } from './parts.page.ts';
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
  const events = history.get(accountKey) ?? [];
  return html`${top(html`<bdi class="anything">${shownName(reader, display)}</bdi>`, html`${back} / ${accountKind(account)}`)}
<p>${healthState(health)}</p>
${troubleFacts(health, hasOwnApp)}
<h2>${messages.text('account.calendars')}</h2>
${calendars.length === 0 ? html`<div class="empty"><p>${messages.text('account.calendars.none')}</p></div>` : calendarTable(calendars, viewer)}
${nextPath !== undefined && html`<div class="buttons"><a class="button small" rel="next" href="${nextPath}">${messages.text('next_page')}</a></div>`}
<h2>${messages.text('user.account.history')}</h2>
${timeLine(events, hasOwnApp)}`;
}

function calendarTable(calendars: readonly SyncedCalendar[], viewer: Viewer): Html {
  const heads = [
    'account.calendar.title',
    'account.calendar.events',
    'account.calendar.synced',
    'account.calendar.next',
    'account.calendar.updates',
  ] as const;
  return table({
    name: messages.text('account.calendars'),
    heads: heads.map((head) => messages.text(head)),
    rows: calendars.map((calendar) => calendarRow(calendar, viewer)),
  });
}

function calendarRow(calendar: SyncedCalendar, { person }: Viewer): Html[] {
  const { title, isPrimary, isLeftOut, eventCount, syncedAt, failure, nextAt, pushedUntil } = calendar;
  const next = nextAt === undefined || isLeftOut ? messages.text('account.calendar.none') : ago(nextAt);
  const updates =
    pushedUntil === undefined
      ? messages.text('account.calendar.polled')
      : messages.markup('account.calendar.pushed', { until: instant(pushedUntil) });
  return [
    html`<bdi class="anything">${shownName(person, title)}</bdi>${isPrimary && html` ${chip(messages.text('account.calendar.main'))}`}${isLeftOut && html`<small>${messages.text('account.calendar.left_out')}</small>`}`,
    html`${messages.markup('account.calendar.count', { count: eventCount })}`,
    html`${ago(syncedAt)}${failure !== undefined && html`<small class="ailing">${failureText(failure)}</small>`}`,
    html`${next}`,
    html`${updates}`,
  ];
}
