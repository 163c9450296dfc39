/** One delivery: its facts, attempts, headers, body if the member may read it, and a signature check. */
import { auditedUrl } from '../../audit/audited-url.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { may } from '../../people/permission.ts';
import type { CheckedSignature } from '../../webhooks/check-signatures.ts';
import type { AttemptedMessage } from '../../webhooks/message-log.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import {
  calendarName,
  DELIVERIES,
  deliveryPath,
  deliveryState,
  describeChange,
  toProviderKind,
} from './deliveries.page.ts';
import { stateWord } from './filter-form.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { field, table, top } from './parts.page.ts';
import { ago, instantAndAgo } from './times.page.ts';
import { shownName } from './visible-name.ts';
import { visibleText } from './visible-text.ts';

/** The body, if it may still be shown, and the signatures of the last attempt. */
export type OpenedDelivery = {
  readonly body: string | undefined;
  readonly signatures: readonly CheckedSignature[];
};

/** A signature that a member wants to check, and the result. */
export type SignatureQuestion = {
  readonly timestamp: string;
  readonly line: string;
  readonly found: readonly CheckedSignature[];
};

export type DeliveryParts = {
  readonly client: Client;
  readonly message: AttemptedMessage;
  /** The URL of its endpoint. */
  readonly url: string | undefined;
  readonly opened?: OpenedDelivery | undefined;
  readonly question?: SignatureQuestion | undefined;
  readonly said?: Html | undefined;
};

export function deliveryPage(parts: DeliveryParts, viewer: Viewer): Html {
  const { client, message, said } = parts;
  const { person } = viewer;
  const path = deliveryPath(message);
  const mayOpen = may(person, 'delivery.body', client.clientId);
  const replay =
    may(person, 'delivery.replay', client.clientId) &&
    postForm(
      viewer,
      `${path}/replay`,
      html`<button class="fitting">${messages.text('delivery.replay')}</button>`,
    );
  const back = html`<a href="${DELIVERIES}">${messages.text('deliveries.title')}</a> / <bdi class="code">${message.messageId}</bdi>`;
  return html`${top(describeChange(message), back, replay || undefined)}
${said !== undefined && notice('done', said, true)}
${renderFacts(parts, viewer)}
<h2>${messages.text('delivery.attempts')}</h2>
${renderAttempts(message, mayOpen)}
<h2>${messages.text('delivery.headers')}</h2>
${renderHeaders(parts)}
<h2>${messages.text('delivery.body')}</h2>
${renderBody(parts, mayOpen)}
${mayOpen && checkPanel(parts, viewer)}`;
}

function renderFacts({ client, message, url }: DeliveryParts, { person }: Viewer): Html {
  const { endpointId, userId, provider, calendarId, sequence, createdAt, settledAt, nextAt, reason } =
    message;
  const calendar = calendarName(message, person);
  const { clientId, name } = client;
  // Its query can contain a secret of the receiver.
  const shownUrl = may(person, 'application.change', clientId) ? url : url && auditedUrl(url);
  const endpoint = `${applicationPath(clientId)}/webhooks/${encodeURIComponent(endpointId)}`;
  const facts: readonly (readonly [string, Html | undefined])[] = [
    ['state', html`${deliveryState(message)}${reason !== undefined && html` <bdi>${reason}</bdi>`}`],
    ['application', html`<a href="${applicationPath(clientId)}"><bdi>${name}</bdi></a>`],
    ['endpoint', html`<a href="${endpoint}" class="code">${shownUrl ?? endpointId}</a>`],
    ['user', html`<bdi class="code">${shownName(person, userId)}</bdi>`],
    ['provider', html`${messages.text(`provider.${toProviderKind(provider)}`)}`],
    [
      'calendar',
      calendarId === undefined
        ? undefined
        : html`<bdi>${calendar}</bdi><small><bdi class="code">${shownName(person, calendarId)}</bdi></small>`,
    ],
    ['number', html`${sequence}`],
    ['made', instantAndAgo(createdAt)],
    ['next', nextAt === undefined ? undefined : instantAndAgo(nextAt)],
    ['settled', settledAt === undefined ? undefined : instantAndAgo(settledAt)],
  ];
  const rows = facts.map(
    ([key, value]) =>
      value !== undefined &&
      html`<dt>${messages.text(`delivery.${key as 'state'}${key === 'next' ? '.head' : ''}` as 'delivery.state')}</dt><dd>${value}</dd>`,
  );
  return html`<section class="panel wide"><dl class="facts">${rows}</dl></section>`;
}

const MOST_ANSWER = 1_100;

function renderAttempts({ log, state }: AttemptedMessage, mayOpen: boolean): Html {
  if (log.length === 0)
    return html`<p class="lead">${messages.text(state === 'withheld' ? 'delivery.attempts.withheld' : 'delivery.attempts.none')}</p>`;
  const heads = ['number', 'when', 'took', 'status', 'outcome'] as const;
  const rows = log.map(({ number, startedAt, durationMs, status, fault, answer }) => {
    const word =
      fault === undefined
        ? stateWord('good', messages.text('attempt.taken'))
        : stateWord('bad', messages.text('attempt.failed'));
    const text = answer === undefined ? undefined : visibleText(answer, MOST_ANSWER);
    const notice =
      mayOpen &&
      text !== undefined &&
      html`<details class="answer"><summary>${messages.text('attempt.answer')}</summary><pre>${text}</pre></details>`;
    return [
      html`${number}`,
      ago(startedAt),
      html`<span class="number">${messages.text('milliseconds', { count: durationMs })}</span>`,
      html`<span class="code">${status ?? '–'}</span>`,
      html`${word}${fault !== undefined && html`<small><bdi>${visibleText(fault, 500)}</bdi></small>`}${notice}`,
    ];
  });
  return table({
    name: messages.text('delivery.attempts'),
    heads: heads.map((head) => messages.text(`attempt.${head}`)),
    rows,
  });
}

function renderHeaders({ message, opened }: DeliveryParts): Html {
  const last = message.log.at(-1)?.startedAt;
  const line = opened?.signatures.map(({ signature }) => signature).join(' ');
  const lines = [
    'content-type: application/json',
    `webhook-id: ${message.messageId}`,
    ...(last === undefined ? [] : [`webhook-timestamp: ${Math.floor(last / 1000)}`]),
    `webhook-signature: ${line || '•••'}`,
  ];
  const signatures = opened && opened.signatures.length > 0 ? signatureList(opened.signatures) : undefined;
  return html`<pre class="wide">${lines.join('\n')}</pre>
<p class="hint">${messages.text('delivery.headers.text')}</p>${signatures}`;
}

function signatureList(found: readonly CheckedSignature[]): Html {
  const items = found.map(({ scheme, by }) => {
    if (by === undefined)
      return html`<li>${stateWord('bad', messages.text('signature.wrong'))} ${messages.text(scheme === undefined ? 'signature.unknown' : `signature.${scheme}.wrong`)}</li>`;
    return html`<li>${stateWord('good', messages.text('signature.right'))} ${scheme === 'v1' ? messages.text('signature.v1') : messages.markup('signature.v1a', { key: by })}</li>`;
  });
  return html`<ul class="signatures">${items}</ul>`;
}

const MOST_BODY = 64_000;

function renderBody({ message, opened }: DeliveryParts, mayOpen: boolean): Html {
  if (opened === undefined) {
    const openKey = message.isOfTestUser ? 'delivery.body.masked.test' : 'delivery.body.masked.text';
    const textKey = mayOpen ? openKey : 'delivery.body.never';
    const open = html`<div class="buttons"><a class="button" href="${deliveryPath(message)}/body">${messages.text('delivery.body.show')}</a></div>`;
    return html`<div class="empty"><strong>${messages.text('delivery.body.masked')}</strong>
<p>${messages.text(textKey)}</p>${mayOpen && open}</div>`;
  }
  if (opened.body === undefined)
    return html`<div class="empty">${messages.text('delivery.body.withheld')}</div>`;
  const text = JSON.stringify(JSON.parse(opened.body), null, 2); // our own JSON
  return html`<pre class="wide">${visibleText(text, MOST_BODY)}</pre>
<p class="hint">${messages.text('delivery.body.audited')}</p>`;
}

function checkPanel({ message, question }: DeliveryParts, viewer: Viewer): Html {
  const path = `${deliveryPath(message)}/signature`;
  const last = message.log.at(-1)?.startedAt;
  const timestamp = question?.timestamp ?? (last === undefined ? '' : String(Math.floor(last / 1000)));
  const result =
    question !== undefined &&
    (question.found.length > 0
      ? signatureList(question.found)
      : html`<p class="wrong" role="alert">${messages.text('signature.none')}</p>`);
  const form = html`<div class="fields">
${field({ name: 'timestamp', label: messages.text('signature.timestamp'), value: timestamp, maxLength: 20 })}
${field({ name: 'signature', label: messages.text('signature.line'), hint: messages.text('signature.line.hint'), value: question?.line ?? '', maxLength: 2000 })}</div>
<div class="buttons"><button>${messages.text('signature.check')}</button></div>`;
  return html`<section class="panel" id="signature"><h2>${messages.text('signature.title')}</h2><p class="lead">${messages.text('signature.text')}</p>
${result}${postForm(viewer, path, form)}</section>`;
}
