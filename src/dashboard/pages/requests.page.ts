/** The request log: filters and the matching requests. */
import { chip, notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import type { RequestEntry } from '../../request-log/request-entry.ts';
import { renderErrorText } from '../../request-log/shown-body.ts';
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
  stateWord,
  textFilter,
} from './filter-form.page.ts';
import { command, emptyState, headsOf, table } from './parts.page.ts';
import { ago } from './times.page.ts';

export const REQUESTS = '/dashboard/requests';

/** The parameters of the list, in the order of its filters. */
export const REQUEST_FILTERS = [
  ...(['client', 'status', 'route', 'user', 'request', 'from', 'to', 'period'] as const),
];

export const requestPath = ({ requestId }: Pick<RequestEntry, 'requestId'>): string =>
  `${REQUESTS}/${encodeURIComponent(requestId)}`;

export type RequestsParts = {
  readonly path: string;
  /** The applications to choose from. Undefined in the list of one application. */
  readonly clients: readonly Client[] | undefined;
  /** Returns a query parameter of the filter. */
  readonly query: (name: string) => string;
  /** The status that the list is filtered by, such as `errors`. */
  readonly status: string;
  readonly problems: readonly DashboardMessageKey[];
  readonly requests: readonly RequestEntry[];
  readonly older: string | undefined;
  /** The retention in days. 0: requests are not stored. */
  readonly days: number;
};

export function requestsContent(parts: RequestsParts): Html {
  const { requests, older, problems, days } = parts;
  if (days === 0 && requests.length === 0) return switchedOff();
  const filters = filterParts(parts);
  const list =
    requests.length > 0 ? requestTable(requests, parts.clients) : emptyList(parts, isFiltered(filters));
  return html`${filterBar(filters)}
${problems.map((problem) => notice('trouble', html`${messages.text(problem)}`))}
${problems.length === 0 && html`<div data-live="list">${list}</div>`}
${olderLink(older)}`;
}

const PRESETS = ['errors', 'all', '401', '403', '429', '5xx'] as const;

function filterParts({ path, clients, query, status }: RequestsParts): FilterParts {
  // The list of one application has no filter by application.
  const names = REQUEST_FILTERS.filter((name) => name !== 'client' || clients !== undefined);
  const presets = PRESETS.map((one) => [one, messages.text(`requests.preset.${one}`)] as const);
  return {
    path,
    presets: { name: 'status', value: status, choices: presets },
    ...listFilters(names, query, {
      client: ({ value }) => applicationFilter(clients ?? [], value),
      status: (filter) => textFilter({ ...filter, example: '4xx' }),
      route: (filter) => textFilter({ ...filter, example: '/events/:id' }),
    }),
  };
}

function emptyList({ days, path }: RequestsParts, isOfFilters: boolean): Html {
  if (isOfFilters) return noMatches(messages.text('requests.none.filtered'), path);
  return emptyState(messages.text('requests.none'), messages.text('requests.none.text', { days }));
}

const switchedOff = (): Html =>
  html`<div class="empty"><strong>${messages.text('requests.off')}</strong><p>${messages.text('requests.off.text')}</p>
${command('KALENDS_REQUEST_LOG=7')}</div>`;

/** Renders the requests. `clients` is undefined if all are of one application. */
export function requestTable(
  requests: readonly RequestEntry[],
  clients: readonly Client[] | undefined,
): Html {
  const heads = ['request', 'status', 'application', 'took', 'when'] as const;
  const columns = heads.filter((head) => clients !== undefined || head !== 'application');
  const names = new Map(clients?.map(({ clientId, name }) => [clientId, name]));
  return table({
    name: 'requests.title',
    heads: headsOf('requests', columns),
    numbers: [columns.indexOf('took')],
    rows: requests.map((entry) => {
      const { at, method, route, durationMs, clientId, isClaimed } = entry;
      const message = renderErrorText(entry);
      const whose =
        clientId === undefined
          ? html`<span class="none">${messages.text('requests.nobody')}</span>`
          : html`<bdi>${names.get(clientId) ?? clientId}</bdi>`;
      return [
        html`<a href="${requestPath(entry)}" class="code">${method} ${route ?? messages.text('requests.no_route')}</a>${isClaimed && html` ${claimedChip()}`}${message !== undefined && html`<small><bdi>${message}</bdi></small>`}`,
        statusWord(entry),
        ...(clients === undefined ? [] : [whose]),
        html`${messages.text('milliseconds', { count: durationMs })}`,
        ago(at),
      ];
    }),
  });
}

/** Marks a request that only named its application. */
export const claimedChip = (): Html => chip(messages.text('requests.claimed'));

/** Renders the status in the color of its class, with the number of requests that the entry stands for. */
export function statusWord({ status, repeated }: Pick<RequestEntry, 'status' | 'repeated'>): Html {
  const kind = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return html`${stateWord(kind, String(status))}${repeated > 1 && html`<small>${messages.text('requests.repeated', { count: repeated })}</small>`}`;
}

export const requestsTab = (clientId: string): string => `${applicationPath(clientId)}/requests`;
