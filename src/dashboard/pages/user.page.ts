/** The page of one user: the accounts with their health, the grants, and the actions. */

import type { ShownUser } from '../../administration/user-details.ts';
import type { Account } from '../../calendars/account-store.ts';
import type { ReconnectLink } from '../../connect/accounts/reconnect-link.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { LivingGrant } from '../../oauth/user-store.ts';
import { may, mayRole } from '../../people/permission.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { accountKind, healthState, timeLine, troubleFacts } from './health.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { copyable, table, top } from './parts.page.ts';
import { ago, instant, instantAndAgo } from './times.page.ts';
import { type UserLinkDeps, type UserPath, userLink, userReference } from './user-links.ts';
import { shownName } from './visible-name.ts';

/** Limits the events of an account on the user's page. The account's own page shows all of them. */
const NEWEST_EVENTS = 5;

export type UserParts = UserLinkDeps & {
  readonly shown: ShownUser;
  /** The link that was just created for an account, or the reason why none was. */
  readonly reconnect?: { readonly accountKey: string; readonly link: ReconnectLink | string };
  readonly said?: Html | undefined;
};

export function userTools({ shown, ...deps }: Omit<UserParts, 'reconnect' | 'said'>, viewer: Viewer) {
  const { person: reader } = viewer;
  const userName = { clientId: shown.client.clientId, userId: shown.user.userId };
  const link = (path: UserPath, more?: Readonly<Record<string, string>>) =>
    userLink(path, userName, { ...deps, reader, ...(more && { more }) });
  const form = (path: UserPath, content: Html, more: Readonly<Record<string, string>> = {}) => {
    const fields = Object.entries({ ...userReference(userName, reader, deps), ...more });
    const hidden = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
    return postForm(viewer, `${applicationPath(userName.clientId)}/${path}`, html`${hidden}${content}`);
  };
  return { link, form, mayChange: may(reader, 'user.change', userName.clientId) };
}
export type UserTools = ReturnType<typeof userTools>;

export function userContent(parts: UserParts, viewer: Viewer): Html {
  const { shown, said, reconnect } = parts;
  const { client, user, accounts, grants } = shown;
  const tools = userTools(parts, viewer);
  const { person } = viewer;
  const application = html`<a href="${applicationPath(client.clientId)}/users"><bdi>${client.name}</bdi></a>`;
  const syncAll = html`<button class="small">${messages.text('user.sync')}</button>`;
  return html`${top(html`<bdi class="anything">${shownName(person, user.userId)}</bdi>`, messages.markup('user.of', { application }), tools.mayChange && accounts.length > 0 ? tools.form('user/sync', syncAll) : undefined)}
${said !== undefined && notice('done', said, true)}
${typeof reconnect?.link === 'string' && notice('trouble', html`${reconnect.link}.`, true)}
<dl class="facts"><dt>${messages.text('user.since')}</dt><dd>${instantAndAgo(user.createdAt)}</dd>
<dt>${messages.text('user.seen')}</dt><dd>${instantAndAgo(user.lastSeenAt)}</dd></dl>
<h2>${messages.text('user.accounts')}</h2>
${accounts.length === 0 ? html`<div class="empty"><p>${messages.text('user.accounts.none')}</p></div>` : accounts.map((account) => accountCard({ ...parts, account }, tools, viewer))}
<h2>${messages.text('user.grants')}</h2>
${grants.length === 0 ? html`<p class="lead">${messages.text('user.grants.none')}</p>` : grantTable(grants)}
<h2>${messages.text('user.more')}</h2>
${furtherLinks(shown, viewer)}
${tools.mayChange && actions(tools)}`;
}

function accountCard(
  { account, shown, reconnect }: UserParts & { readonly account: Account },
  tools: UserTools,
  viewer: Viewer,
): Html {
  const { accountKey, provider, display, health, linkedAt } = account;
  const updates = shown.updates.get(accountKey);
  const hasOwnApp = shown.ownApps.has(provider);
  const events = (shown.history.get(accountKey) ?? []).slice(0, NEWEST_EVENTS);
  const name = shownName(viewer.person, display);
  const more = { account: accountKey };
  const buttons = html`<div class="row-actions">${tools.form('user/sync', html`<button class="small" aria-label="${messages.text('user.account.sync')}: ${name}">${messages.text('user.account.sync')}</button>`, more)}
<a class="button small" href="${tools.link('user/disconnect', more)}" aria-label="${messages.text('user.account.disconnect')}: ${name}">${messages.text('user.account.disconnect')}</a></div>`;
  return html`<section class="account-card"><header><h3><bdi class="anything">${name}</bdi></h3> <span class="chip">${accountKind(account)}</span> <span>${healthState(health)}</span>${tools.mayChange && buttons}</header>
${troubleFacts(health, hasOwnApp)}
${tools.mayChange && health.state === 'reauth_required' && tools.form('user/reconnect-link', html`<button class="small" aria-label="${messages.text('user.link.create')}: ${name}">${messages.text('user.link.create')}</button>`, more)}
${reconnect?.accountKey === accountKey && typeof reconnect.link !== 'string' && reconnectPanel(reconnect.link)}
<dl class="facts"><dt>${messages.text('user.account.connected')}</dt><dd>${instantAndAgo(linkedAt)}</dd>
<dt>${messages.text('user.account.synced')}</dt><dd>${instantAndAgo(updates?.syncedAt)}</dd>
<dt>${messages.text('user.account.updates')}</dt><dd>${messages.text(updates?.updates === 'push' ? 'user.account.push' : 'user.account.polling')}</dd></dl>
${events.length > 0 && html`<h4>${messages.text('user.account.history')}</h4>${timeLine(events, hasOwnApp)}`}
<p><a href="${tools.link('user/account', more)}">${messages.text('user.account.all')}</a></p></section>
`;
}

function reconnectPanel({ url, expiresAt }: ReconnectLink): Html {
  const until = instant(expiresAt);
  return html`<section class="panel"><h4>${messages.text('user.link')}</h4><p class="lead">${messages.markup('user.link.text', { until })}</p>
<div class="copy-row">${copyable('reconnect', url)}</div></section>`;
}

function grantTable(grants: readonly LivingGrant[]): Html {
  const heads = ['user.grant.scope', 'user.grant.since', 'user.grant.used'] as const;
  return table({
    name: messages.text('user.grants'),
    heads: heads.map((head) => messages.text(head)),
    rows: grants.map(({ scope, createdAt, refreshedAt }) => [
      html`<span class="code">${scope}</span>`,
      ago(createdAt),
      ago(refreshedAt),
    ]),
  });
}

/** These addresses name the user, so members who may not read user names get the lists of the whole application. */
function furtherLinks({ user }: ShownUser, { person }: Viewer): Html {
  const { clientId, userId } = user;
  const mayName = mayRole(person.role, 'user.name');
  const query = new URLSearchParams({ client: clientId, ...(mayName && { user: userId }) }).toString();
  return html`<ul class="plain"><li><a href="/dashboard/requests?${query}">${messages.text('user.requests')}</a></li>
<li><a href="/dashboard/deliveries?${query}">${messages.text('user.deliveries')}</a></li></ul>`;
}

const actions = ({ link }: UserTools): Html => html`<h2>${messages.text('user.actions')}</h2>
<div class="buttons"><a class="button fitting" href="${link('user/revoke')}">${messages.text('user.revoke')}</a>
<a class="button fitting" href="${link('user/export')}">${messages.text('user.export')}</a>
<a class="button fitting" href="${link('user/delete')}">${messages.text('user.delete')}</a></div>`;
