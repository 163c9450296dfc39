/** The delivery log: filters and the matching deliveries. */
import type { NamedDelivery } from '../../administration/delivery.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { may, mayRole } from '../../people/permission.ts';
import type { Person } from '../../people/person.ts';
import { type VisibleState, visibleState } from '../../webhooks/message.ts';
import type { LoggedMessage } from '../../webhooks/message-log.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import {
  applicationFilter,
  type FilterParts,
  filterBar,
  isFiltered,
  listFilters,
  noMatches,
  olderLink,
  selectFilter,
  stateWord,
} from './filter-form.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { emptyState, table, top } from './parts.page.ts';
import { ago } from './times.page.ts';
import { shownName } from './visible-name.ts';

export const DELIVERIES = '/dashboard/deliveries';

/** The parameters of the list, in the order of its filters. */
export const FILTER_NAMES = [
  ...(['client', 'state', 'user', 'calendar', 'endpoint', 'from', 'to', 'period'] as const),
];

export const deliveryPath = ({ clientId, messageId }: NamedDelivery): string =>
  `${DELIVERIES}/${encodeURIComponent(clientId)}/${encodeURIComponent(messageId)}`;

export type DeliveriesParts = {
  readonly clients: readonly Client[];
  readonly states: readonly VisibleState[];
  /** Returns a query parameter of the filter. */
  readonly query: (name: string) => string;
  readonly problems: readonly DashboardMessageKey[];
  readonly deliveries: readonly LoggedMessage[];
  /** The hosts of endpoints by id. Deleted ones are absent. */
  readonly hosts: ReadonlyMap<string, string>;
  readonly older: string | undefined;
  /** The path that resends all matches. Undefined if there are none or the member may not. */
  readonly replay: string | undefined;
  readonly said: Html | undefined;
  /** The address of this list. */
  readonly back: string;
};

export function deliveriesPage(parts: DeliveriesParts, viewer: Viewer): Html {
  const { deliveries, older, replay, problems, said } = parts;
  const filters = filterParts(parts);
  const action =
    replay === undefined
      ? undefined
      : html`<a class="button" href="${replay}">${messages.text('deliveries.replay')}</a>`;
  return html`${top(messages.text('deliveries.title'), messages.text('deliveries.lead'), action)}
${said !== undefined && notice('done', said, true)}
${filterBar(filters)}
${problems.map((problem) => notice('trouble', html`${messages.text(problem)}`))}
${problems.length === 0 && html`<div data-live="list">${deliveries.length === 0 ? emptyList(parts, isFiltered(filters)) : renderDeliveries(parts, viewer)}</div>`}
${olderLink(older)}`;
}

function filterParts({ clients, states, query }: DeliveriesParts): FilterParts {
  const options = states.map((state) => [state, messages.text(`delivery.state.${state}`)] as const);
  return {
    path: DELIVERIES,
    presets: {
      name: 'state',
      value: query('state'),
      choices: [['', messages.text('filter.all')], ...options],
    },
    ...listFilters(FILTER_NAMES, query, {
      client: ({ value }) => applicationFilter(clients, value),
      state: (filter) => selectFilter(filter, options),
    }),
  };
}

function emptyList({ clients }: DeliveriesParts, isOfFilters: boolean): Html {
  if (isOfFilters) return noMatches(messages.text('deliveries.none.filtered'), DELIVERIES);
  const [only] = clients;
  const where = clients.length === 1 && only ? `${applicationPath(only.clientId)}/webhooks` : undefined;
  const link = html`<a class="button" href="${where ?? '/dashboard/applications'}">${messages.text(where === undefined ? 'applications.title' : 'webhooks.title')}</a>`;
  return emptyState(messages.text('deliveries.none'), messages.text('deliveries.none.text'), link);
}

function renderDeliveries({ deliveries, clients, hosts, back }: DeliveriesParts, viewer: Viewer): Html {
  const heads = ['what', 'state', 'endpoint', 'user', 'attempts', 'when'] as const;
  const names = new Map(clients.map(({ clientId, name }) => [clientId, name]));
  const renderEndpoint = ({ endpointId, clientId }: LoggedMessage) =>
    html`<bdi class="cut">${hosts.get(endpointId) ?? endpointId}</bdi>${clients.length > 1 && html`<small><bdi>${names.get(clientId) ?? clientId}</bdi></small>`}`;
  const mayResend = mayRole(viewer.person.role, 'delivery.replay');
  const resend = mayResend ? [html`<span class="unseen">${messages.text('delivery.replay')}</span>`] : [];
  const list = table({
    name: 'deliveries.title',
    heads: [...heads.map((head) => `delivery.${head}` as const), ...resend],
    details: [heads.indexOf('endpoint'), heads.indexOf('user'), heads.indexOf('attempts')],
    numbers: [heads.indexOf('attempts')],
    rows: deliveries.map((one) => [
      ...renderRow(one, renderEndpoint(one), viewer),
      ...(mayResend ? [resendButton(one, viewer)] : []),
    ]),
  });
  if (!mayResend) return list;
  return postForm(viewer, DELIVERIES, html`<input type="hidden" name="back" value="${back}">${list}`);
}

function renderRow(message: LoggedMessage, endpoint: Html, { person }: Viewer): Html[] {
  const { createdAt, userId, provider, attempts } = message;
  const calendar = calendarName(message, person);
  return [
    html`<a href="${deliveryPath(message)}">${describeChange(message)}</a><small>${calendar !== undefined && html`<bdi class="cut">${calendar}</bdi> · `}${messages.text(`provider.${toProviderKind(provider)}`)}</small>`,
    html`${deliveryState(message)}${renderOutcome(message)}`,
    endpoint,
    html`<bdi class="cut">${shownName(person, userId)}</bdi>`,
    html`${attempts}`,
    ago(createdAt),
  ];
}

/** Renders the button that resends a dead or retrying delivery and leads back to the list. */
function resendButton(message: LoggedMessage, { person }: Viewer): Html {
  const state = visibleState(message);
  const isFailed = state === 'dead' || state === 'retrying';
  if (!isFailed || !may(person, 'delivery.replay', message.clientId)) return html``;
  const { clientId, messageId } = message;
  return html`<button name="delivery" value="${clientId} ${messageId}">${messages.text('delivery.replay')}</button>`;
}

/** Returns the calendar's title, or its id if it was deleted; undefined for notes. Masked like names of users. */
export function calendarName(
  { calendarId, calendarTitle }: Pick<LoggedMessage, 'calendarId' | 'calendarTitle'>,
  person: Pick<Person, 'role'>,
): string | undefined {
  const name = calendarTitle || calendarId;
  return name === undefined ? undefined : shownName(person, name);
}

const PROVIDERS = ['google', 'microsoft', 'apple', 'caldav'] as const;

/** Narrows the provider of a stored message, which is a plain text there. */
export const toProviderKind = (provider: string): (typeof PROVIDERS)[number] =>
  PROVIDERS.find((one) => one === provider) ?? 'caldav';

const KINDS = {
  pending: 'quiet',
  retrying: 'warn',
  delivered: 'good',
  dead: 'bad',
  withheld: 'quiet',
} as const satisfies Record<VisibleState, string>;

export function deliveryState(message: Pick<LoggedMessage, 'state' | 'attempts'>): Html {
  const state = visibleState(message);
  return stateWord(KINDS[state], messages.text(`delivery.state.${state}`));
}

/** Renders the reason or the next attempt. */
const renderOutcome = ({ reason, nextAt, attempts }: LoggedMessage): Html | undefined => {
  if (reason !== undefined) return html`<small>${reason}</small>`;
  if (nextAt === undefined || attempts === 0) return undefined;
  return html`<small>${messages.markup('delivery.next', { when: ago(nextAt) })}</small>`;
};

/** Describes the change: how many events of which kind, or a change of a user's calendars or connections. */
export function describeChange({ changeType, eventCount, calendarId }: LoggedMessage): string {
  const change = messages.text(`delivery.change.${changeType}`);
  return calendarId === undefined
    ? messages.text('delivery.what.note', { change })
    : messages.text('delivery.what.events', { change, count: eventCount });
}
