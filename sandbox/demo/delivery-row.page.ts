/** A delivery as a row of the demo's page. */
import { type Html, html } from '../../src/http/html.ts';
import type { DeliveredEvent, DeliveryPayload, LoggedDelivery } from './delivery-log.ts';
import { PROVIDER_NAMES } from './demo-layout.page.ts';
import { clockText, timeText } from './time-text.ts';

/** Returns the title of a calendar, if the demo has read it. */
export type TitleOf = (provider: string, calendarId: string) => string | undefined;

type Verified = Extract<LoggedDelivery, { verified: true }>;
type Refused = Extract<LoggedDelivery, { verified: false }>;

export function deliveryRow(delivery: LoggedDelivery, titleOf: TitleOf): Html {
  return html`<li id="delivery-${delivery.number}" class="delivery">
${delivery.verified ? verifiedRow(delivery, titleOf) : refusedRow(delivery)}
</li>`;
}

function verifiedRow({ at, payload, raw, repeated, afterMs }: Verified, titleOf: TitleOf): Html {
  const { provider, calendarId, metadata } = payload;
  const calendar = calendarId && (titleOf(provider, calendarId) ?? calendarId);
  return html`<p class="head"><time datetime="${new Date(at).toISOString()}">${clockText(at)}</time>
<span class="verdict"><span aria-hidden="true">✓</span> verified</span>
${metadata.sequence !== undefined && html`<span class="mark">sequence ${metadata.sequence}</span>`}
${metadata.test && html`<span class="mark">test</span>`}
${repeated && html`<span class="mark">came before</span>`}
${afterMs !== undefined && html`<strong class="after">arrived after ${durationText(afterMs)}</strong>`}</p>
<p class="from">${[PROVIDER_NAMES[provider] ?? provider, calendar].filter(Boolean).join(' · ')}</p>
${changesOf(payload)}
<details><summary>Raw JSON</summary><pre tabindex="0">${JSON.stringify(JSON.parse(raw), undefined, 2)}</pre></details>`;
}

/** The body is not displayed, because anyone may have written it. */
const refusedRow = ({ at, reason, bytes }: Refused): Html =>
  html`<p class="head"><time datetime="${new Date(at).toISOString()}">${clockText(at)}</time>
<span class="verdict refused"><span aria-hidden="true">✗</span> refused</span></p>
<p>${REASONS[reason] ?? 'Kalends did not sign it.'} <span class="muted">(${reason}, ${bytes} bytes, answered 400)</span></p>`;

const REASONS: Readonly<Record<string, string>> = {
  missing_headers: 'It has no signature.',
  timestamp_out_of_tolerance: 'It was signed too long ago.',
  other_application: 'It is for another application.',
};

function changesOf({ events = [], eventType, metadata }: DeliveryPayload): Html {
  const { isInitialSync, eventCount = 0, reset } = metadata;
  if (reset) return html`<p class="changes">Paused for too long: read everything again.</p>`;
  if (isInitialSync)
    return html`<p class="changes">The first sync: ${eventCount} ${eventCount === 1 ? 'event' : 'events'} to read.</p>`;
  if (eventType !== undefined) return html`<p class="changes">${eventType}</p>`;
  return html`<ul class="changes">${events.map(change)}</ul>`;
}

const change = ({ title, start, allDay, changeType, changedFields = [] }: DeliveredEvent): Html =>
  html`<li><strong>${title || 'Without a title'}</strong> ${changeType}
<span class="muted">${[
    start && startText(start, allDay),
    changedFields.length > 0 && `changed: ${changedFields.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' · ')}</span></li>`;

const startText = (start: string, allDay = false): string =>
  allDay ? start.slice(0, 10) : timeText(Date.parse(start));

/** Renders a duration at a precision for people: `320 ms`, `41 s`. */
const durationText = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
