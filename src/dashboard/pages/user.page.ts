/** The page of one user: a card for each account, and beside them facts, links and destructive actions. */

import { firstSyncText } from '../../administration/documents/user.ts';
import type { ShownUser, UserAccount, UserAccountPage } from '../../administration/user-details.ts';
import type { Account } from '../../calendars/account-store.ts';
import type { ReconnectLink } from '../../connect/accounts/reconnect-link.ts';
import { icon } from '../../design/icon.page.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { LivingGrant } from '../../oauth/user-store.ts';
import { may, mayRole } from '../../people/permission.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { stateWord } from './filter-form.page.ts';
import {
  accountKind,
  accountMark,
  HEALTH_KINDS,
  healthHistory,
  healthState,
  problemBox,
} from './health.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { card, copyable, dangerZone, detailPage, factList, headsOf, nextLink, table } from './parts.page.ts';
import { ago, instant, instantAndAgo } from './times.page.ts';
import { calendarTable } from './user-account.page.ts';
import { type UserLinkDeps, type UserPath, userLink, userReference } from './user-links.ts';
import { shownName } from './visible-name.ts';

/** The newest grants on the page. */
const GRANTS = 5;

export type UserParts = UserLinkDeps & {
  readonly shown: ShownUser;
  readonly listed: UserAccountPage;
  /** The account that the list begins with, if the reader chose one. */
  readonly first: string;
  /** The link that was just created for an account, or the reason why none was. */
  readonly reconnect?: { readonly accountKey: string; readonly link: ReconnectLink | string };
  readonly said?: Html | undefined;
};

export function userTools({ shown, ...deps }: Pick<UserParts, 'shown' | 'userReferenceKey'>, viewer: Viewer) {
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
  const { shown, listed, said, reconnect, first: chosen } = parts;
  const { client, user, accounts } = shown;
  const tools = userTools(parts, viewer);
  const name = html`<bdi class="anything">${shownName(viewer.person, user.userId)}</bdi>`;
  const broken = accounts.filter(({ health }) => health.state === 'reauth_required').length;
  const application = html`<a href="${applicationPath(client.clientId)}/users"><bdi>${client.name}</bdi></a>`;
  const syncAll = html`<button class="small">${messages.text('user.sync')}</button>`;
  const order = accounts.some(({ accountKey }) => accountKey === chosen) ? { account: chosen } : {};
  const next =
    listed.next === undefined ? undefined : tools.link('user', { page: String(listed.next), ...order });
  const first = listed.accounts.find(({ account }) => account.health.state === 'reauth_required');
  const cards = listed.accounts.map((one) => accountCard(parts, { ...one, isFirst: one === first }, viewer));
  return detailPage({
    crumbs: [html`<a href="/dashboard/users">${messages.text('users.title')}</a>`, name],
    title: name,
    lead: messages.markup('user.of', { application, accounts: accounts.length, broken }),
    action: tools.mayChange && accounts.length > 0 ? tools.form('user/sync', syncAll) : undefined,
    said: html`${said !== undefined && notice('done', said, true)}${typeof reconnect?.link === 'string' && notice('trouble', html`${reconnect.link}.`, true)}`,
    content: html`${cards.length === 0 ? html`<div class="empty"><p>${messages.text('user.accounts.none')}</p></div>` : cards}
${listed.further.length > 0 && furtherAccounts(listed.further, tools, viewer)}
${nextLink(next, messages.text('user.accounts.next'))}`,
    aside: html`${userFacts(shown, viewer)}${card(messages.text('user.more'), furtherLinks(shown, viewer))}${tools.mayChange && dangers(tools)}`,
  });
}

function accountCard(
  { shown, reconnect, ...deps }: UserParts,
  { account, calendars, history, isFirst }: UserAccount & { readonly isFirst: boolean },
  viewer: Viewer,
): Html {
  const { link, form, mayChange } = userTools({ shown, ...deps }, viewer);
  const { accountKey, provider, display, health, linkedAt } = account;
  const hasOwnApp = shown.ownApps.has(provider);
  const firstSync = shown.updates.get(accountKey)?.firstSync;
  const name = shownName(viewer.person, display);
  const more = { account: accountKey };
  const label = (key: DashboardMessageKey) =>
    html`${messages.text(key)}<span class="unseen">: <bdi>${name}</bdi></span>`;
  const sync = html`<button class="small">${label('user.account.sync')}</button>`;
  const buttons = html`${form('user/sync', sync, more)}<a class="button small danger" href="${link('user/disconnect', more)}">${label('user.account.disconnect')}</a>`;
  const repair =
    mayChange &&
    health.state === 'reauth_required' &&
    form(
      'user/reconnect-link',
      html`<button class="small${isFirst && ' primary'}">${label('user.link.create')}</button>`,
      more,
    );
  const created = reconnect?.accountKey === accountKey ? reconnect.link : undefined;
  const kind = messages.markup('user.account.since', { kind: accountKind(account), when: ago(linkedAt) });
  return html`<section class="card"><header class="top"><div class="with-mark">${accountMark(account)}<div><h2><bdi class="anything">${name}</bdi></h2><small>${kind}</small></div></div><span>${healthState(health)}</span></header>
${problemBox(health, hasOwnApp, repair)}
${firstSync && html`<p class="hint">${messages.text('user.account.first_sync', { progress: firstSyncText(firstSync) })}</p>`}
${typeof created === 'object' && reconnectPanel(created)}
${calendars.length > 0 && calendarTable(calendars, { account, isBrief: true }, viewer)}
${history.length > 0 && html`<details class="answer"${health.state !== 'active' && html` open`}><summary>${messages.text('user.account.history')}${icon('chevron-down')}</summary>${healthHistory(history, hasOwnApp)}</details>`}
<div class="buttons"><a class="button small" href="${link('user/account', more)}">${label('user.account.all')}</a>${mayChange && buttons}</div></section>
`;
}

/** Renders accounts without their details. Each links to its card on this page. */
const furtherAccounts = (accounts: readonly Account[], { link }: UserTools, { person }: Viewer): Html =>
  html`<h2>${messages.text('user.accounts.further')}</h2>
${table({
  name: 'user.accounts.further',
  heads: headsOf('connections', ['account', 'state', 'since']),
  rows: accounts.map((account) => {
    const { accountKey, display, health } = account;
    return [
      html`<a class="anything" href="${link('user', { account: accountKey })}"><bdi>${shownName(person, display)}</bdi></a><small>${accountKind(account)}</small>`,
      html`${stateWord(HEALTH_KINDS[health.state], messages.text(`health.${health.state}`))}${health.reason && html`<small>${messages.text(`reason.${health.reason}`)}</small>`}`,
      ago(health.since),
    ];
  }),
})}`;

function reconnectPanel({ url, expiresAt }: ReconnectLink): Html {
  const until = instant(expiresAt);
  return html`<div class="panel"><strong>${messages.text('user.link')}</strong><p class="hint">${messages.markup('user.link.text', { until })}</p>
<div class="copy-row">${copyable('reconnect', url)}</div></div>`;
}

function userFacts({ client, user, grants }: ShownUser, { person }: Viewer): Html {
  const older = grants.length - GRANTS;
  const list = html`<ul>${grants.toReversed().slice(0, GRANTS).map(grantItem)}</ul>${older > 0 && html`<small>${messages.text('user.grants.older', { count: older })}</small>`}`;
  const facts = factList([
    [
      messages.text('users.application'),
      html`<a href="${applicationPath(client.clientId)}"><bdi>${client.name}</bdi></a>`,
    ],
    [messages.text('user.id'), html`<bdi class="code whole">${shownName(person, user.userId)}</bdi>`],
    [messages.text('user.since'), instantAndAgo(user.createdAt)],
    [messages.text('user.seen'), instantAndAgo(user.lastSeenAt)],
    [messages.text('user.grants'), grants.length === 0 ? html`${messages.text('user.grants.none')}` : list],
  ]);
  return card(messages.text('facts'), facts);
}

const grantItem = ({ scope, createdAt, refreshedAt }: LivingGrant): Html =>
  html`<li><span class="code">${scope}</span><small>${messages.markup('user.grant.facts', { since: ago(createdAt), used: ago(refreshedAt) })}</small></li>`;

/** These addresses name the user, so members who may not read user names get the lists of the whole application. */
function furtherLinks({ user }: ShownUser, { person }: Viewer): Html {
  const { clientId, userId } = user;
  const mayName = mayRole(person.role, 'user.name');
  const query = new URLSearchParams({ client: clientId, ...(mayName && { user: userId }) }).toString();
  return html`<ul><li><a href="/dashboard/requests?${query}">${messages.text('user.requests')}</a></li>
<li><a href="/dashboard/deliveries?${query}">${messages.text('user.deliveries')}</a></li></ul>`;
}

const dangers = ({ link }: UserTools): Html =>
  dangerZone(
    (['revoke', 'export', 'delete'] as const).map((action) => ({
      title: messages.text(`user.${action}`),
      text: messages.text(`user.${action}.about`),
      path: link(`user/${action}`),
      isHarmless: action === 'export',
    })),
  );
