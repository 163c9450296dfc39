/** The confirmation pages of actions on a user, and the receipt of a deletion. */

import type { ShownUser } from '../../administration/user-details.ts';
import type { Account } from '../../calendars/account-store.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { DeletionReceipt } from '../../user-data/delete-user.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import type { Viewer } from './layout.page.ts';
import { type Fact, factList, top } from './parts.page.ts';
import { instantAndAgo } from './times.page.ts';
import { userTools } from './user.page.ts';
import type { UserLinkDeps, UserPath } from './user-links.ts';
import { shownName } from './visible-name.ts';

type Parts = UserLinkDeps & { readonly shown: ShownUser };

type Question = {
  readonly path: UserPath;
  readonly title: DashboardMessageKey;
  readonly text: Html;
  readonly button: DashboardMessageKey;
  readonly isDestructive?: boolean;
  readonly more?: Readonly<Record<string, string>>;
};

function question(
  { path, title, text, button, isDestructive, more }: Question,
  parts: Parts,
  viewer: Viewer,
): Html {
  const { link, form } = userTools(parts, viewer);
  const name = html`<a href="${link('user')}"><bdi class="anything">${shownName(viewer.person, parts.shown.user.userId)}</bdi></a>`;
  const buttons = html`<div class="buttons"><button class="${isDestructive ? 'destructive' : 'primary'}">${messages.text(button)}</button>
<a class="button" href="${link('user')}">${messages.text('cancel')}</a></div>`;
  return html`${top(messages.text(title), name)}
<div class="panel">${text}${form(path, buttons, more)}</div>`;
}

export const revokeContent = (parts: Parts, viewer: Viewer): Html =>
  question(
    {
      path: 'user/revoke',
      title: 'revoke.title',
      text: html`<p>${messages.text('revoke.text', { count: parts.shown.user.grants })}</p>`,
      button: 'user.revoke',
      isDestructive: true,
    },
    parts,
    viewer,
  );

export const disconnectContent = (parts: Parts & { readonly account: Account }, viewer: Viewer): Html =>
  question(
    {
      path: 'user/disconnect',
      title: 'disconnect.title',
      text: html`<p>${messages.markup('disconnect.text', { account: shownName(viewer.person, parts.account.display) })}</p>`,
      button: 'user.account.disconnect',
      isDestructive: true,
      more: { account: parts.account.accountKey },
    },
    parts,
    viewer,
  );

export const exportContent = (parts: Parts, viewer: Viewer): Html =>
  question(
    {
      path: 'user/export',
      title: 'export.title',
      text: html`<p>${messages.text('export.text')}</p>`,
      button: 'export.do',
    },
    parts,
    viewer,
  );

export function deleteContent(parts: Parts, viewer: Viewer): Html {
  const { accounts, grants } = parts.shown.user;
  const text = html`<p>${messages.text('user_delete.text')}</p><ul class="gone">
<li>${messages.text('user_delete.accounts', { count: accounts })}</li>
<li>${messages.text('user_delete.grants', { count: grants })}</li>
<li>${messages.text('user_delete.logs')}</li></ul>
<p>${messages.text('user_delete.kept')}</p>`;
  const labels = { title: 'user_delete.title', button: 'user.delete' } as const;
  return question({ path: 'user/delete', ...labels, text, isDestructive: true }, parts, viewer);
}

const COUNTED = ['accounts', 'grants', 'calendars', 'events', 'changes', 'deliveries'] as const;

/** The receipt does not name the user. */
export function receiptContent(
  { deletedAt, deleted, accessToEnd, isOffDisk }: DeletionReceipt,
  clientId: string,
): Html {
  const counts = COUNTED.map((kind): Fact => {
    const count = messages.markup('account.calendar.count', { count: deleted[kind] });
    return [messages.text(`receipt.${kind}`), count];
  });
  return html`${top(messages.text('receipt.title'), messages.text('receipt.text'))}
<section class="panel">${factList([[messages.text('receipt.at'), instantAndAgo(deletedAt)], ...counts])}
${accessToEnd > 0 && notice('note', html`${messages.text('receipt.access', { count: accessToEnd })}`)}
${!isOffDisk && notice('note', html`${messages.text('receipt.disk')}`)}
<div class="buttons"><a class="button primary" href="${applicationPath(clientId)}/users">${messages.text('users.title')}</a></div></section>`;
}
