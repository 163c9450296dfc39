/** One endpoint: its state, its actions, and its secret. */
import { HOUR_MS, startOfHour } from '../../activity/activity.ts';
import type { NamedEndpoint, ShownEndpoint } from '../../administration/webhooks.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { may } from '../../people/permission.ts';
import type { EndpointHears } from '../../webhooks/endpoint.ts';
import type { EndpointFigures } from '../../webhooks/endpoint-store.ts';
import type { Attempt } from '../../webhooks/message.ts';
import type { LoggedMessage } from '../../webhooks/message-log.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { OVERLAP_HOURS } from './application.page.ts';
import { applicationPath, secretsPanel } from './applications.page.ts';
import { calendarName, DELIVERIES, deliveryPath, deliveryState, describeChange } from './deliveries.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { dayChart } from './overview.page.ts';
import { dangerZone, factList, headsOf, questionPanel, removalPanel, table } from './parts.page.ts';
import { instant, instantAndAgo } from './times.page.ts';
import { visibleText } from './visible-text.ts';
import {
  endpointForm,
  endpointPath,
  endpointState,
  formatSuccess,
  renderStateReason,
  renderWaiting,
  shownUrl,
  topicLabels,
  webhooksPath,
} from './webhooks.page.ts';

export type EndpointParts = {
  readonly endpoint: ShownEndpoint;
  /** The newest deliveries that can be resent. */
  readonly undelivered: readonly LoggedMessage[];
  readonly test?: Attempt | undefined;
  /** The rejected input. */
  readonly typed?: { readonly url: string; readonly hears: EndpointHears } | undefined;
  readonly problem?: string | undefined;
};

export function endpointContent(parts: EndpointParts, viewer: Viewer): Html {
  const { endpoint, test, typed, problem } = parts;
  const { clientId, endpointId, url, hears, isFirst, createdAt, expiresAt, figures } = endpoint;
  const network = html`${messages.text(`webhooks.private.${endpoint.privateNetwork}`)}`;
  const log = `${DELIVERIES}?${new URLSearchParams({ client: clientId, endpoint: endpointId })}`;
  const facts = factList([
    [messages.text('webhooks.url'), html`<span class="code">${shownUrl(endpoint, viewer)}</span>`],
    [messages.text('webhooks.id'), html`<span class="code">${endpointId}</span>`],
    [messages.text('webhooks.private'), expiresAt === undefined && network],
    [messages.text('webhooks.state'), html`${endpointState(endpoint)}${renderStateReason(endpoint)}`],
    [messages.text('webhooks.hears'), html`${topicLabels(hears).join(', ')}`],
    [messages.text('webhooks.success'), html`${formatSuccess(figures)}`],
    [messages.text('webhooks.waiting'), renderWaiting(endpoint)],
    [messages.text('webhooks.added'), instantAndAgo(createdAt)],
    [messages.text('webhooks.ends'), expiresAt && instantAndAgo(expiresAt)],
  ]);
  const mayChange = may(viewer.person, 'application.change', clientId);
  const form = {
    ...{ path: endpointPath(endpoint), clientId, isFirst, problem, action: messages.text('save') },
    ...(typed ?? { url, hears }),
  };
  return html`${test !== undefined && testNotice(test)}
<section class="panel wide">${facts}
<div class="buttons"><a class="button" href="${log}">${messages.text('webhooks.log')}</a>${mayChange && doButtons(endpoint, viewer)}</div></section>
<h2>${messages.text('overview.day')}</h2>
<section class="panel wide">${attemptsChart(figures, viewer)}</section>
${undeliveredSection(parts, viewer)}
${mayChange && expiresAt === undefined && html`<section class="panel"><h2>${messages.text('webhooks.change')}</h2>${endpointForm(form, viewer)}</section>`}
${may(viewer.person, 'application.secrets', clientId) && secretPanel(endpoint)}
${mayChange && removal(endpoint)}`;
}

const DAY_HOURS = 24;

function attemptsChart({ hours }: EndpointFigures, { now }: Viewer): Html {
  const counts = new Map(hours.map((one) => [one.hour, one]));
  const day = Array.from({ length: DAY_HOURS }, (_, index) => {
    const at = startOfHour(now) - (DAY_HOURS - 1 - index) * HOUR_MS;
    const { attempts = 0, failures = 0 } = counts.get(at) ?? {};
    return { at, good: attempts - failures, bad: failures };
  });
  return dayChart(day, 'delivered');
}

function undeliveredSection({ endpoint, undelivered }: EndpointParts, viewer: Viewer): Html {
  const resend = messages.text('webhooks.undelivered.resend');
  const mayResend = may(viewer.person, 'delivery.replay', endpoint.clientId);
  const rows = undelivered.map((message) => {
    const path = `${deliveryPath(message)}/replay`;
    return [
      html`<a href="${deliveryPath(message)}">${describeChange(message)}</a>`,
      deliveryState(message),
      html`<bdi class="cut">${calendarName(message, viewer.person) ?? '–'}</bdi>`,
      html`${message.attempts}`,
      instant(message.createdAt),
      ...(mayResend ? [postForm(viewer, path, html`<button class="small">${resend}</button>`)] : []),
    ];
  });
  const list = table({
    name: 'webhooks.undelivered',
    none: messages.text('webhooks.undelivered.none'),
    heads: [
      ...headsOf('delivery', ['what', 'state', 'calendar', 'attempts', 'when']),
      ...(mayResend ? [html`<span class="unseen">${resend}</span>`] : []),
    ],
    rows,
    numbers: [3],
  });
  const text = messages.text('webhooks.undelivered.text', { count: undelivered.length });
  return html`<h2>${messages.text('webhooks.undelivered')}</h2>
${undelivered.length > 0 && html`<p class="hint">${text}</p>`}
${list}`;
}

function doButtons(endpoint: ShownEndpoint, viewer: Viewer): Html {
  const path = endpointPath(endpoint);
  const actionForm = (name: 'test' | 'pause' | 'resume') =>
    postForm(viewer, `${path}/${name}`, html`<button>${messages.text(`webhooks.${name}`)}</button>`);
  return html`${endpoint.expiresAt === undefined && actionForm('test')}${actionForm(endpoint.state === 'paused' ? 'resume' : 'pause')}`;
}

function testNotice({ status, fault, durationMs, answer }: Attempt): Html {
  const took = messages.text('milliseconds', { count: durationMs });
  const text = answer === undefined ? undefined : html`<pre>${visibleText(answer, 1_100)}</pre>`;
  return fault === undefined
    ? notice('done', html`${messages.text('webhooks.test.taken', { status: String(status), took })}`, true)
    : notice('trouble', html`${messages.text('webhooks.test.failed', { fault, took })}${text}`, true);
}

const secretPanel = (endpoint: ShownEndpoint): Html =>
  html`<section class="panel"><h2>${messages.text('webhooks.secret')}</h2><p class="lead">${messages.text('webhooks.secret.text')}</p>
<div class="buttons"><a class="button" href="${endpointPath(endpoint)}/rotate">${messages.text('credentials.rotate')}</a></div></section>`;

function removal(endpoint: ShownEndpoint): Html {
  const { isFirst, clientId } = endpoint;
  const settings = html`<a href="${applicationPath(clientId)}">${messages.text('application.tab.settings')}</a>`;
  const text = isFirst
    ? messages.markup('webhooks.remove.first', { settings })
    : html`${messages.text('webhooks.remove.text')}`;
  const path = isFirst ? undefined : `${endpointPath(endpoint)}/remove`;
  return dangerZone([{ title: messages.text('webhooks.remove'), text, path }]);
}

export function removeEndpointContent(endpoint: ShownEndpoint, viewer: Viewer): Html {
  const back = endpointPath(endpoint);
  const title = html`${messages.text('webhooks.remove.title')}<small class="code">${endpoint.url}</small>`;
  return removalPanel('webhooks', { back, title }, viewer);
}

/** Renders the choice of how long the previous secret also signs. */
export function rotateEndpointContent(endpoint: ShownEndpoint, viewer: Viewer): Html {
  const back = endpointPath(endpoint);
  const choices = OVERLAP_HOURS.map(
    (hours) =>
      html`<option value="${hours}"${hours === 24 && html` selected`}>${messages.text('rotate.overlap.hours', { hours })}</option>`,
  );
  const [title, text] = [messages.text('webhooks.secret'), messages.text('webhooks.rotate.text')];
  const fields = html`<div class="fields"><div><label for="overlap">${messages.text('webhooks.overlap')}</label><select id="overlap" name="overlap">${choices}</select></div></div>`;
  const action = { path: `${back}/rotate`, button: messages.text('rotate.do'), rank: 'primary' } as const;
  return questionPanel({ ...action, back, title, text, fields }, viewer);
}

export type NewSecretParts = NamedEndpoint & {
  readonly webhookSecret: string;
  /** When the previous secret stops signing. Undefined if there was none. */
  readonly until?: number | undefined;
};

export function newSecretContent({ clientId, endpointId, webhookSecret, until }: NewSecretParts): Html {
  const about =
    until === undefined
      ? html`${messages.text('webhooks.secret.made')}`
      : messages.markup('webhooks.secret.rotated', { until: instant(until) });
  const lead = html`<strong>${messages.text('created.once')}</strong> ${about}`;
  return html`${secretsPanel({ webhookSecret }, lead)}
<div class="buttons"><a class="button fitting" href="${webhooksPath(clientId)}/${encodeURIComponent(endpointId)}">${messages.text('webhooks.to_endpoint')}</a></div>`;
}
