/** One request and the events close to it. */
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import type { RequestEntry } from '../../request-log/request-entry.ts';
import type { LoggedMessage } from '../../webhooks/message-log.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { deliveryPath, deliveryState, describeChange } from './deliveries.page.ts';
import { card, detailPage, factList, table, withCode } from './parts.page.ts';
import { claimedChip, REQUESTS, requestTable, statusWord } from './requests.page.ts';
import { ago, instantAndAgo } from './times.page.ts';
import { visibleText } from './visible-text.ts';

/** Events of the same user close to a request, as far as they are stored. */
export type RequestPath = {
  readonly requests: readonly RequestEntry[];
  readonly deliveries: readonly LoggedMessage[];
  /** Whether there were more deliveries in that period than were examined. */
  readonly isPartial: boolean;
};

export type RequestParts = {
  /** The code of the error with its section in the documentation and its fix. Undefined if there is none. */
  readonly error: { readonly code: string; readonly url: string; readonly fix: string } | undefined;
  readonly entry: RequestEntry;
  readonly clients: readonly Client[];
  /** Undefined if the user of the request is unknown, or the member may not read deliveries. */
  readonly path: RequestPath | undefined;
};

export function requestPage({ entry, clients, path, error }: RequestParts): Html {
  const { method, route, requestId, body } = entry;
  const fix = error && [
    [messages.text('requests.code'), html`<a class="code" href="${error.url}">${error.code}</a>`] as const,
    [messages.text('mends'), withCode(error.fix)] as const,
  ];
  const response =
    body === undefined
      ? html`<p class="lead">${messages.text('request.answer.none')}</p>`
      : html`<pre class="wide">${visibleText(JSON.stringify(JSON.parse(body), null, 2), 4_000)}</pre>
<p class="hint">${messages.text('request.answer.text')}</p>`;
  return detailPage({
    crumbs: [
      html`<a href="${REQUESTS}">${messages.text('requests.title')}</a>`,
      html`<span class="code">${requestId}</span>`,
    ],
    title: html`<span class="code">${method} ${route ?? messages.text('requests.no_route')}</span>`,
    lead: statusWord(entry),
    content: html`<h2>${messages.text('request.answer')}</h2>
${fix && factList(fix)}
${response}
<h2>${messages.text('request.path')}</h2>
${path === undefined ? html`<p class="lead">${messages.text('request.path.unknown')}</p>` : renderRequestPath(path, clients)}
<p class="hint">${messages.text('request.path.text')}</p>`,
    aside: card(messages.text('facts'), renderFacts(entry, clients)),
  });
}

function renderFacts(
  { at, durationMs, clientId, user, network, isClaimed, requestId }: RequestEntry,
  clients: readonly Client[],
): Html {
  const name = clients.find((one) => one.clientId === clientId)?.name ?? clientId;
  const whose =
    clientId === undefined
      ? html`${messages.text('requests.nobody')}`
      : html`<a href="${applicationPath(clientId)}"><bdi>${name}</bdi></a>${isClaimed && html` ${claimedChip()}<p class="hint">${messages.text('request.claimed.text')}</p>`}`;
  const ofUser =
    user && html`<a class="code" href="${REQUESTS}?user=${encodeURIComponent(user)}">${user}</a>`;
  return factList([
    [messages.text('requests.application'), whose],
    [messages.text('requests.user'), ofUser],
    [messages.text('requests.when'), instantAndAgo(at)],
    [messages.text('requests.took'), html`${messages.text('milliseconds', { count: durationMs })}`],
    [messages.text('requests.network'), network && html`<span class="code">${network}</span>`],
    [messages.text('filter.request'), html`<span class="code whole">${requestId}</span>`],
  ]);
}

function renderRequestPath(
  { requests, deliveries, isPartial }: RequestPath,
  clients: readonly Client[],
): Html {
  const none = (key: 'request.deliveries.none' | 'request.around.none') =>
    html`<p class="lead">${messages.text(key)}</p>`;
  const deliveryTable = table({
    name: 'request.deliveries',
    heads: ['delivery.when', 'delivery.state', 'delivery.what'],
    none: none('request.deliveries.none'),
    rows: deliveries.map((one) => [
      html`<a href="${deliveryPath(one)}">${ago(one.createdAt)}</a>`,
      deliveryState(one),
      html`${describeChange(one)}`,
    ]),
  });
  return html`<h3>${messages.text('request.deliveries')}</h3>
${deliveryTable}
${isPartial && html`<p class="hint">${messages.text('request.deliveries.partial')}</p>`}
<h3>${messages.text('request.around')}</h3>
${requests.length === 0 ? none('request.around.none') : requestTable(requests, clients)}`;
}
