/** Unhealthy accounts, by reason. */

import { type ListedAccount, MOST_COUNTED, type ReasonGroup } from '../../administration/user-details.ts';
import type { HealthReason } from '../../calendars/health-reason.ts';
import { type Html, html } from '../../http/html.ts';
import { findResponsible } from '../../user-data/responsible-party.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { accountKind, healthMessage } from './health.page.ts';
import type { Viewer } from './layout.page.ts';
import { table, top } from './parts.page.ts';
import { ago } from './times.page.ts';
import { type UserLinkDeps, userLink } from './user-links.ts';
import { shownName } from './visible-name.ts';

export const CONNECTIONS = '/dashboard/connections';

export type ConnectionsParts = UserLinkDeps & {
  readonly names: ReadonlyMap<string, string>;
};

const heading = (): Html => top(messages.text('connections.title'), messages.text('connections.lead'));

export function connectionsContent(
  { groups, ...parts }: ConnectionsParts & { readonly groups: readonly ReasonGroup[] },
  viewer: Viewer,
): Html {
  if (groups.length === 0)
    return html`${heading()}<div class="empty"><strong>${messages.text('connections.none')}</strong><p>${messages.text('connections.none.text')}</p></div>`;
  return html`${heading()}${groups.map((group) => groupSection(group, parts, viewer))}`;
}

function groupSection(
  { reason, count, accounts }: ReasonGroup,
  parts: ConnectionsParts,
  viewer: Viewer,
): Html {
  const counted =
    count > MOST_COUNTED
      ? messages.text('connections.count.more', { count: MOST_COUNTED })
      : messages.text('connections.count', { count });
  const all = html`<p><a href="${CONNECTIONS}?${String(new URLSearchParams({ reason }))}" aria-label="${messages.text('connections.all')}: ${messages.text(`reason.${reason}`)}">${messages.text('connections.all')}</a></p>`;
  return html`<section><h2>${messages.text(`reason.${reason}`)} <span class="chip">${counted}</span></h2>
${renderFix(reason)}
${accountTable({ reason, accounts }, parts, viewer)}
${count > accounts.length && all}</section>
`;
}

const renderFix = (reason: HealthReason): Html =>
  html`<p class="lead mends">${messages.text(`reason.${reason}.mends`)}</p>`;

function accountTable(
  { reason, accounts }: Pick<ReasonParts, 'reason' | 'accounts'>,
  parts: ConnectionsParts,
  viewer: Viewer,
): Html {
  const heads = [
    'connections.account',
    'users.name',
    'users.application',
    'turn',
    'connections.since',
  ] as const;
  return table({
    name: messages.text(`reason.${reason}`),
    heads: heads.map((head) => messages.text(head)),
    rows: accounts.map((account) => accountRow({ ...account, reason }, parts, viewer)),
  });
}

function accountRow(
  account: ListedAccount & { readonly reason: HealthReason },
  { names, userReferenceKey }: ConnectionsParts,
  { person: reader }: Viewer,
): Html[] {
  const { accountKey, clientId, userId, display, health, hasOwnApp, reason } = account;
  const links = { reader, userReferenceKey };
  const accountPath = userLink('user/account', account, { ...links, more: { account: accountKey } });
  return [
    html`<a class="anything" href="${accountPath}"><bdi>${shownName(reader, display)}</bdi></a><small>${accountKind(account)}${health.message !== undefined && html` · ${healthMessage(health.message)}`}</small>`,
    html`<a class="anything" href="${userLink('user', account, links)}"><bdi>${shownName(reader, userId)}</bdi></a>`,
    html`<a href="${applicationPath(clientId)}/users"><bdi>${names.get(clientId) ?? clientId}</bdi></a>`,
    html`${messages.text(`turn.${findResponsible(reason, hasOwnApp)}`)}`,
    ago(health.since),
  ];
}

export type ReasonParts = ConnectionsParts & {
  readonly reason: HealthReason;
  readonly accounts: readonly ListedAccount[];
  readonly nextPath: string | undefined;
};

export function reasonContent({ reason, accounts, nextPath, ...parts }: ReasonParts, viewer: Viewer): Html {
  const back = html`<a href="${CONNECTIONS}">${messages.text('connections.back')}</a>`;
  const none = html`<div class="empty"><p>${messages.text('connections.none.reason')}</p></div>`;
  return html`${top(messages.text(`reason.${reason}`), back)}
${renderFix(reason)}
${accounts.length === 0 ? none : accountTable({ reason, accounts }, parts, viewer)}
${nextPath !== undefined && html`<div class="buttons"><a class="button small" rel="next" href="${nextPath}">${messages.text('next_page')}</a></div>`}`;
}
