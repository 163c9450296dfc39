/** The endpoints of an application: the list, and the form that adds or changes one. */
import type { NamedEndpoint, ShownEndpoint } from '../../administration/webhooks.ts';
import { auditedUrl } from '../../audit/audited-url.ts';
import { type Html, html } from '../../http/html.ts';
import { may } from '../../people/permission.ts';
import type { EndpointHears } from '../../webhooks/endpoint.ts';
import type { EndpointFigures, ListedEndpoint } from '../../webhooks/endpoint-store.ts';
import type { WebhookKeyUse } from '../../webhooks/webhook-key-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { stateWord } from './filter-form.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { choice, emptyState, field, formButtons, table } from './parts.page.ts';
import { ago, instant } from './times.page.ts';

export const WEBHOOKS_TAB = '/webhooks';

export const webhooksPath = (clientId: string): string => `${applicationPath(clientId)}${WEBHOOKS_TAB}`;

export const endpointPath = ({ clientId, endpointId }: NamedEndpoint): string =>
  `${webhooksPath(clientId)}/${encodeURIComponent(endpointId)}`;

export type WebhooksParts = { readonly clientId: string; readonly endpoints: readonly ShownEndpoint[] };

export function webhooksContent({ clientId, endpoints }: WebhooksParts, viewer: Viewer): Html {
  const { person } = viewer;
  const mayChange = may(person, 'application.change', clientId);
  const add =
    mayChange &&
    html`<a class="button" href="${webhooksPath(clientId)}/new">${messages.text('webhooks.add')}</a>`;
  if (endpoints.length === 0)
    return emptyState(messages.text('webhooks.none'), messages.text('webhooks.none.text'), add);
  return html`${table({
    name: 'webhooks.title',
    heads: ['webhooks.url', 'webhooks.state', 'webhooks.hears', 'webhooks.success', 'webhooks.waiting'],
    rows: endpoints.map((endpoint) => [
      html`<a href="${endpointPath(endpoint)}" class="code">${shownUrl(endpoint, viewer)}</a>${endpoint.isFirst && html`<small>${messages.text('webhooks.first')}</small>`}`,
      html`${endpointState(endpoint)}${renderStateReason(endpoint)}`,
      html`${topicLabels(endpoint.hears).join(', ')}`,
      html`${formatSuccess(endpoint.figures)}`,
      renderWaiting(endpoint),
    ]),
  })}
${add && html`<div class="buttons">${add}</div>`}`;
}

/** Renders the signing keys and the button that switches them. `url` lists them; `now` is in epoch milliseconds. */
export function signingKeys(use: WebhookKeyUse, at: { url: string; now: number }, viewer: Viewer): Html {
  const { clientId, keys, overlapUntil } = use;
  const other = keys === 'own' ? 'instance' : 'own';
  const overlap = html` ${messages.markup('webhooks.keys.overlap', { until: instant(overlapUntil) })}`;
  const button = html`<p class="hint">${messages.text('webhooks.keys.switch')}</p><input type="hidden" name="keys" value="${other}"><div class="buttons"><button>${messages.text(`webhooks.keys.${other}.use`)}</button></div>`;
  return html`<section class="panel"><h2>${messages.text('webhooks.keys')}</h2>
<p>${messages.text(`webhooks.keys.${keys}`)}${overlapUntil > at.now && overlap} ${messages.text('webhooks.keys.list')}</p><pre>${at.url}</pre>
${may(viewer.person, 'application.signing_keys', clientId) && postForm(viewer, `${webhooksPath(clientId)}/keys`, button)}</section>`;
}

/** The URL, without its query for members who may not change it: the query can contain a secret. */
export const shownUrl = ({ clientId, url }: ListedEndpoint, { person }: Viewer): string =>
  may(person, 'application.change', clientId) ? url : auditedUrl(url);

export function endpointState({ state, failures, expiresAt }: ListedEndpoint): Html {
  if (state === 'paused') return stateWord('bad', messages.text('webhooks.state.paused'));
  if (expiresAt !== undefined) return stateWord('quiet', messages.text('webhooks.state.listening'));
  return failures === 0
    ? stateWord('good', messages.text('webhooks.state.active'))
    : stateWord('warn', messages.text('webhooks.state.failing'));
}

/** Returns the reason for the endpoint's state, and since when it has been in that state. */
export function renderStateReason({
  state,
  pausedReason,
  pausedAt,
  failures,
  failingSince,
  lastFault,
}: ListedEndpoint): Html | undefined {
  if (state === 'paused')
    return html`<small>${messages.markup(`webhooks.paused.${pausedReason ?? 'operator'}`, { since: ago(pausedAt) })}</small>`;
  if (failures === 0) return undefined;
  const since = messages.markup('webhooks.failing', { count: failures, since: ago(failingSince) });
  return html`<small>${since}${lastFault !== undefined && html` <bdi>${lastFault}</bdi>`}</small>`;
}

const HEARS = ['events', 'calendars', 'connections', 'own'] as const;

export const topicLabels = (hears: EndpointHears): string[] =>
  HEARS.filter((kind) => hears[kind]).map((kind) => messages.text(`webhooks.hears.${kind}`));

/** Returns the share of a week's attempts that succeeded. */
export function formatSuccess({ attempts, failures }: EndpointFigures): string {
  if (attempts === 0) return messages.text('webhooks.success.none');
  // Rounds down: a single failure among many attempts must not disappear.
  const permille = Math.floor(((attempts - failures) * 1000) / attempts);
  return messages.text('webhooks.success.of', { share: permille / 1000, count: attempts });
}

export const renderWaiting = ({ waiting, figures }: ShownEndpoint): Html =>
  figures.oldestWaiting === undefined
    ? html`${messages.text('webhooks.waiting.none')}`
    : messages.markup('webhooks.waiting.since', { count: waiting, since: ago(figures.oldestWaiting) });

export type EndpointFormParts = {
  readonly path: string;
  readonly clientId: string;
  readonly url: string;
  readonly hears: EndpointHears;
  /** Whether its URL is that of its application. The URL can then be changed only there. */
  readonly isFirst: boolean;
  readonly problem?: string | undefined;
  readonly action: string;
};

export function endpointForm(parts: EndpointFormParts, viewer: Viewer): Html {
  const { path, clientId, url, hears, isFirst, problem, action } = parts;
  const urlField = isFirst
    ? html`<p class="hint">${messages.markup('webhooks.first.change', { settings: html`<a href="${applicationPath(clientId)}">${messages.text('application.tab.settings')}</a>` })}</p>${problem !== undefined && html`<p class="wrong" role="alert">${problem}</p>`}`
    : field({
        name: 'url',
        label: messages.text('webhooks.url'),
        type: 'url',
        value: url,
        hint: messages.text('application.webhook_url.hint'),
        problem,
        maxLength: 2048,
      });
  const share =
    !isFirst &&
    may(viewer.person, 'endpoint.any_address', clientId) &&
    choice(
      { type: 'checkbox', name: 'shared', value: 'yes', isPicked: false },
      messages.text('webhooks.shared'),
      messages.text('webhooks.shared.about'),
    );
  const kinds = HEARS.map((kind) =>
    choice(
      { type: 'checkbox', name: 'hears', value: kind, isPicked: hears[kind] },
      messages.text(`webhooks.hears.${kind}`),
      messages.text(`webhooks.hears.${kind}.about`),
    ),
  );
  return postForm(
    viewer,
    path,
    html`<div class="fields">${urlField}<fieldset><legend>${messages.text('webhooks.hears')}</legend>${kinds}</fieldset>${share}</div>
${formButtons(action, webhooksPath(clientId))}`,
  );
}

/** Returns the topics of the form. */
export const readTopics = (picked: readonly string[]): EndpointHears =>
  // One for each topic.
  Object.fromEntries(HEARS.map((topic) => [topic, picked.includes(topic)])) as EndpointHears;
