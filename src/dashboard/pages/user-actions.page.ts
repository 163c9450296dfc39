/** The confirmation pages of actions on a user, and the receipt of a deletion. */

import type { ShownUser } from '../../administration/user-details.ts';
import type { Account } from '../../calendars/account-store.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { DeletionReceipt } from '../../user-data/delete-user.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import type { Viewer } from './layout.page.ts';
import { type Fact, factList, formButtons, top } from './parts.page.ts';
import { instantAndAgo } from './times.page.ts';
import { userTools } from './user.page.ts';
import type { UserLinkDeps } from './user-links.ts';
import { shownName } from './visible-name.ts';

type Parts = UserLinkDeps & { readonly shown: ShownUser };

type Action = 'revoke' | 'disconnect' | 'export' | 'delete';

/** The title and the button of each question. Only an export destroys nothing. */
const LABELS = {
  revoke: ['revoke.title', 'user.revoke'],
  disconnect: ['disconnect.title', 'user.account.disconnect'],
  export: ['export.title', 'export.do'],
  delete: ['user_delete.title', 'user.delete'],
} as const satisfies Readonly<Record<Action, readonly [DashboardMessageKey, DashboardMessageKey]>>;

type Question = { readonly text: Html; readonly more?: Readonly<Record<string, string>> };

function question(action: Action, { text, more, ...parts }: Question & Parts, viewer: Viewer): Html {
  const { link, form } = userTools(parts, viewer);
  const name = html`<a href="${link('user')}"><bdi class="anything">${shownName(viewer.person, parts.shown.user.userId)}</bdi></a>`;
  const [title, button] = LABELS[action];
  const rank = action === 'export' ? 'primary' : 'destructive';
  const buttons = formButtons(messages.text(button), link('user'), rank);
  return html`${top(messages.text(title), name)}
<div class="panel">${text}${form(`user/${action}`, buttons, more)}</div>`;
}

export function revokeContent(parts: Parts, viewer: Viewer): Html {
  const text = html`<p>${messages.text('revoke.text', { count: parts.shown.user.grants })}</p>`;
  return question('revoke', { ...parts, text }, viewer);
}

export function disconnectContent(parts: Parts & { readonly account: Account }, viewer: Viewer): Html {
  const { accountKey, display } = parts.account;
  const account = shownName(viewer.person, display);
  const text = html`<p>${messages.markup('disconnect.text', { account })}</p>`;
  return question('disconnect', { ...parts, text, more: { account: accountKey } }, viewer);
}

export const exportContent = (parts: Parts, viewer: Viewer): Html =>
  question('export', { ...parts, text: html`<p>${messages.text('export.text')}</p>` }, viewer);

export function deleteContent(parts: Parts, viewer: Viewer): Html {
  const { accounts, grants } = parts.shown.user;
  const text = html`<p>${messages.text('user_delete.text')}</p><ul class="gone">
<li>${messages.text('user_delete.accounts', { count: accounts })}</li>
<li>${messages.text('user_delete.grants', { count: grants })}</li>
<li>${messages.text('user_delete.logs')}</li></ul>
<p>${messages.text('user_delete.kept')}</p>`;
  return question('delete', { ...parts, text }, viewer);
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
