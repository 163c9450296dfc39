/** Accounts with problems by reason, and lists of accounts by reason or state. */

import {
  CONNECTION_STATES,
  type ConnectionFilter,
  type ConnectionState,
  hasOnlyProblems,
} from '../../administration/connections.ts';
import { type ListedAccount, MOST_COUNTED, type ReasonGroup } from '../../administration/user-details.ts';
import type { HealthReason } from '../../calendars/health-reason.ts';
import { PROVIDER_KINDS } from '../../calendars/provider-facts.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { findResponsible, TURNS } from '../../user-data/responsible-party.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import {
  addressWith,
  applicationFilter,
  filterBar,
  noMatches,
  selectFilter,
  stateWord,
} from './filter-form.page.ts';
import { accountKind, HEALTH_KINDS, healthMessage } from './health.page.ts';
import type { Viewer } from './layout.page.ts';
import { emptyState, nextLink, table, top } from './parts.page.ts';
import { ago } from './times.page.ts';
import { type UserLinkDeps, userLink } from './user-links.ts';
import { shownName } from './visible-name.ts';

export const CONNECTIONS = '/dashboard/connections';

export type ConnectionsParts = UserLinkDeps & {
  readonly clients: readonly Client[];
  readonly query: ConnectionFilter;
};

/** Returns the address of the accounts that match the filters. */
export const connectionsPath = ({ clientId, ...query }: ConnectionFilter, after?: string): string =>
  addressWith(CONNECTIONS, { ...query, client: clientId, after });

/** Returns the message that is the title of the page: the reason, if all accounts have the same. */
export const titleKey = ({ reason }: ConnectionFilter) =>
  reason === undefined ? 'connections.title' : (`reason.${reason}` as const);

function heading(parts: ConnectionsParts): Html {
  const { reason, state } = parts.query;
  const lead = state === undefined ? '' : hasOnlyProblems(parts.query.state) ? '.newest' : '.address';
  const back = html`<a href="${CONNECTIONS}">${messages.text('connections.back')}</a>`;
  const text = reason === undefined ? messages.text(`connections.lead${lead}`) : back;
  return html`${top(messages.text(titleKey(parts.query)), text)}${reason !== undefined && renderFix(reason)}${renderFilters(parts)}`;
}

function renderFilters({ clients, query }: ConnectionsParts): Html {
  const { clientId = '', state = '', provider = '', turn = '', reason } = query;
  const stateName = (one: ConnectionState) =>
    messages.text(one === 'connected' ? 'overview.accounts' : `health.${one}`);
  const states = CONNECTION_STATES.map((one) => [one, stateName(one)] as const);
  const providers = PROVIDER_KINDS.map((one) => [one, messages.text(`provider.${one}`)] as const);
  const turns = TURNS.map((one) => [one, messages.text(`turn.${one}`)] as const);
  const reasons = reason === undefined ? [] : [[reason, messages.text(`reason.${reason}`)] as const];
  const ofProblems = [
    ...(reason === undefined
      ? []
      : [selectFilter({ name: 'reason', label: 'overview.needs.reason', value: reason }, reasons)]),
    selectFilter({ name: 'turn', label: 'turn', value: turn }, turns),
    selectFilter({ name: 'provider', label: 'connections.provider', value: provider }, providers),
  ];
  return filterBar({
    path: CONNECTIONS,
    presets: {
      name: 'state',
      value: state,
      choices: [['', messages.text('connections.state.problems')], ...states],
    },
    filters: [
      selectFilter({ name: 'state', label: 'connections.state', value: state }, states),
      ...(hasOnlyProblems(query.state) ? ofProblems : []),
      applicationFilter(clients, clientId),
    ],
  });
}

/** The accounts of all reasons together. A page has at most 60 KB. */
const MOST_ROWS = 16;
/** The maximum length of a provider's message. */
const MOST_OF_LIST = 60;
/** The number of reasons with accounts on the page. Each further reason has only a link to its list. */
const MOST_TABLES = 10;

export function connectionsContent(
  { groups, ...parts }: ConnectionsParts & { readonly groups: readonly ReasonGroup[] },
  viewer: Viewer,
): Html {
  const head = heading(parts);
  const isFiltered = Object.values(parts.query).some((value) => value !== undefined);
  if (groups.length === 0 && isFiltered) return html`${head}${noneMatch()}`;
  if (groups.length === 0)
    return html`${head}${emptyState(messages.text('connections.none'), messages.text('connections.none.text'))}`;
  const most = Math.max(1, Math.floor(MOST_ROWS / groups.length));
  const sections = groups.map(({ accounts, ...group }, index) =>
    groupSection({ ...group, accounts: accounts.slice(0, index < MOST_TABLES ? most : 0) }, parts, viewer),
  );
  return html`${head}${sections}`;
}

const noneMatch = (): Html => noMatches(messages.text('connections.none.filtered'), CONNECTIONS);

function groupSection(
  { reason, count, accounts }: ReasonGroup,
  parts: ConnectionsParts,
  viewer: Viewer,
): Html {
  const counted =
    count > MOST_COUNTED
      ? messages.text('connections.count.more', { count: MOST_COUNTED })
      : messages.text('connections.count', { count });
  const query = { ...parts.query, reason };
  const all = html`<p><a href="${connectionsPath(query)}" aria-label="${messages.text('connections.all')}: ${messages.text(`reason.${reason}`)}">${messages.text('connections.all')}</a></p>`;
  return html`<section><h2>${messages.text(`reason.${reason}`)} <span class="chip">${counted}</span></h2>
${renderFix(reason)}
${accounts.length > 0 && accountTable(accounts, { ...parts, query }, viewer)}
${count > accounts.length && all}</section>
`;
}

const renderFix = (reason: HealthReason): Html =>
  html`<p class="lead mends">${messages.text(`reason.${reason}.mends`)}</p>`;

/** Renders accounts, with their status unless all have the same reason. */
function accountTable(accounts: readonly ListedAccount[], parts: ConnectionsParts, viewer: Viewer): Html {
  const { query } = parts;
  const heads = [
    'connections.account',
    ...(query.reason === undefined ? (['connections.state'] as const) : []),
    'users.name',
    'users.application',
    ...(hasOnlyProblems(query.state) ? (['turn'] as const) : []),
    'connections.since',
  ] as const;
  return table({
    name: titleKey(query),
    heads,
    details: query.reason === undefined ? [heads.indexOf('users.name')] : [],
    rows: accounts.map((account) => accountRow(account, parts, viewer)),
  });
}

function accountRow(
  account: ListedAccount,
  { clients, query, userReferenceKey }: ConnectionsParts,
  { person: reader }: Viewer,
): Html[] {
  const { accountKey, clientId, userId, display, health, hasOwnApp } = account;
  const { state, reason, message, since } = health;
  const links = { reader, userReferenceKey };
  const accountPath = userLink('user/account', account, { ...links, more: { account: accountKey } });
  const application = clients.find((client) => client.clientId === clientId)?.name ?? clientId;
  const status = html`${stateWord(HEALTH_KINDS[state], messages.text(`health.${state}`))}${reason !== undefined && html`<small>${messages.text(`reason.${reason}`)}</small>`}`;
  const turn = reason === undefined ? '–' : messages.text(`turn.${findResponsible(reason, hasOwnApp)}`);
  return [
    html`<a class="anything" href="${accountPath}"><bdi>${shownName(reader, display)}</bdi></a><small>${accountKind(account)}${message !== undefined && html` · ${healthMessage(message, MOST_OF_LIST)}`}</small>`,
    ...(query.reason === undefined ? [status] : []),
    html`<a class="anything" href="${userLink('user', account, links)}"><bdi>${shownName(reader, userId)}</bdi></a>`,
    html`<bdi>${application}</bdi>`,
    ...(hasOnlyProblems(query.state) ? [html`${turn}`] : []),
    ago(since),
  ];
}

export type ListParts = ConnectionsParts & {
  readonly accounts: readonly ListedAccount[];
  readonly nextPath: string | undefined;
};

/** Renders a page of the accounts with one reason or in one state. */
export function listContent({ accounts, nextPath, ...parts }: ListParts, viewer: Viewer): Html {
  return html`${heading(parts)}
${accounts.length === 0 ? noneMatch() : accountTable(accounts, parts, viewer)}
${nextLink(nextPath)}`;
}
