/** One delivery: its facts, attempts, headers, body if the member may read it, and a signature check. */
import type { OpenedDelivery, ReceivedSignature } from '../../administration/delivery.ts';
import { auditedUrl } from '../../audit/audited-url.ts';
import { icon } from '../../design/icon.page.ts';
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
import { card, detailPage, emptyState, factList, field, type TimeLineEntry, timeLine } from './parts.page.ts';
import { instantAndAgo } from './times.page.ts';
import { shownName } from './visible-name.ts';
import { visibleText } from './visible-text.ts';

/** A signature that a member wants to check, and the result. */
export type SignatureQuestion = ReceivedSignature & { readonly found: readonly CheckedSignature[] };

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
  const { messageId, reason } = message;
  const { person } = viewer;
  const mayOpen = may(person, 'delivery.body', client.clientId);
  const replay = html`<button class="fitting">${messages.text('delivery.replay')}</button>`;
  return detailPage({
    crumbs: [
      html`<a href="${DELIVERIES}">${messages.text('deliveries.title')}</a>`,
      html`<bdi class="code">${messageId}</bdi>`,
    ],
    title: describeChange(message),
    lead: html`${deliveryState(message)}${reason !== undefined && html` <bdi>${reason}</bdi>`}`,
    action: may(person, 'delivery.replay', client.clientId)
      ? postForm(viewer, `${deliveryPath(message)}/replay`, replay)
      : undefined,
    said: said && notice('done', said, true),
    content: html`<h2>${messages.text('delivery.attempts')}</h2>
${renderAttempts(message, mayOpen)}
<h2>${messages.text('delivery.headers')}</h2>
${renderHeaders(parts)}
<h2>${messages.text('delivery.body')}</h2>
${renderBody(parts, mayOpen)}
${mayOpen && checkPanel(parts, viewer)}`,
    aside: card(messages.text('facts'), renderFacts(parts, viewer)),
  });
}

function renderFacts({ client, message, url }: DeliveryParts, { person }: Viewer): Html {
  const { messageId, endpointId, userId, provider, calendarId, sequence, createdAt } = message;
  const { settledAt, nextAt } = message;
  const { clientId, name } = client;
  // Its query can contain a secret of the receiver.
  const shownUrl = may(person, 'application.change', clientId) ? url : url && auditedUrl(url);
  const endpoint = `${applicationPath(clientId)}/webhooks/${encodeURIComponent(endpointId)}`;
  const calendar =
    calendarId !== undefined &&
    html`<bdi>${calendarName(message, person)}</bdi><small><bdi class="code">${shownName(person, calendarId)}</bdi></small>`;
  return factList([
    [
      messages.text('delivery.application'),
      html`<a href="${applicationPath(clientId)}"><bdi>${name}</bdi></a>`,
    ],
    [
      messages.text('delivery.endpoint'),
      html`<a href="${endpoint}" class="code">${shownUrl ?? endpointId}</a>`,
    ],
    [messages.text('delivery.user'), html`<bdi class="code">${shownName(person, userId)}</bdi>`],
    [messages.text('delivery.provider'), html`${messages.text(`provider.${toProviderKind(provider)}`)}`],
    [messages.text('delivery.calendar'), calendar],
    [messages.text('delivery.id'), html`<bdi class="code whole">${messageId}</bdi>`],
    [messages.text('delivery.number'), html`${sequence}`],
    [messages.text('delivery.made'), instantAndAgo(createdAt)],
    [messages.text('delivery.next.head'), nextAt && instantAndAgo(nextAt)],
    [messages.text('delivery.settled'), settledAt && instantAndAgo(settledAt)],
  ]);
}

type LoggedAttempt = AttemptedMessage['log'][number];

/** The newest attempts are on the page, and the first of them have as much of their responses as is stored. */
const ATTEMPTS = 50;
const WHOLE_ANSWERS = 5;
const MOST_FAULT = { whole: 500, brief: 60 } as const;
const MOST_ANSWER = 1_100;
/** The characters of a response that are visible before it is unfolded. */
const ANSWER_START = 80;

function renderAttempts({ log, state, nextAt }: AttemptedMessage, mayOpen: boolean): Html {
  if (log.length === 0)
    return html`<p class="lead">${messages.text(state === 'withheld' ? 'delivery.attempts.withheld' : 'delivery.attempts.none')}</p>`;
  const older = log.length - ATTEMPTS;
  const newest = log.toReversed().slice(0, ATTEMPTS);
  const next = { kind: 'quiet', icon: 'clock', title: messages.text('delivery.next.head') } as const;
  return html`${timeLine([
    ...(nextAt === undefined ? [] : [{ ...next, at: nextAt }]),
    ...newest.map((attempt, index) => attemptEntry(attempt, mayOpen, index < WHOLE_ANSWERS)),
  ])}
${older > 0 && html`<p class="hint">${messages.text('delivery.attempts.older', { count: older })}</p>`}`;
}

function attemptEntry(attempt: LoggedAttempt, mayOpen: boolean, isWhole: boolean): TimeLineEntry {
  const { number, startedAt, durationMs, status, fault, answer } = attempt;
  const took = messages.text('milliseconds', { count: durationMs });
  const outcome =
    fault === undefined
      ? ({ kind: 'good', word: 'attempt.taken' } as const)
      : ({ kind: 'bad', word: 'attempt.failed' } as const);
  return {
    ...outcome,
    title: html`${messages.text(outcome.word)}${status !== undefined && html` <span class="code">${status}</span>`}`,
    about: html`<small>${messages.text('attempt.facts', { number, took })}</small>${fault !== undefined && html`<small><bdi>${visibleText(fault, isWhole ? MOST_FAULT.whole : MOST_FAULT.brief)}</bdi></small>`}${mayOpen && isWhole && answer !== undefined && renderAnswer(answer)}`,
    at: startedAt,
  };
}

/** Renders the start of a response. A whole one unfolds. */
function renderAnswer(answer: string): Html {
  const start = visibleText(answer, ANSWER_START);
  if (answer.length <= ANSWER_START) return html`<pre>${start}</pre>`;
  return html`<details class="answer"><summary><code>${start}</code>${icon('chevron-down')}</summary><pre>${visibleText(answer, MOST_ANSWER)}</pre></details>`;
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
    const open = html`<a class="button" href="${deliveryPath(message)}/body">${messages.text('delivery.body.show')}</a>`;
    return emptyState(messages.text('delivery.body.masked'), messages.text(textKey), mayOpen && open);
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
