/** The deliveries to the demo, newest first; and a button for each account that causes one. */
import { readFileSync } from 'node:fs';

import { type Html, html } from '../../src/http/html.ts';
import { inlineScript, type PagePolicy } from '../../src/http/page.ts';
import type { MovableEvent } from '../people/event-mover.ts';
import type { LoggedDelivery } from './delivery-log.ts';
import { demoLayout, noticeOf, PROVIDER_NAMES } from './demo-layout.page.ts';
import type { Notice } from './demo-session.ts';
import type { KalendsRefusal, ListedCalendar } from './kalends-client.ts';
import { timeText } from './time-text.ts';

/** An event that a button moves, and its calendar. */
export type Movable = { readonly event: MovableEvent; readonly calendar: ListedCalendar };

export type DeliveriesView = {
  readonly notice: Notice | undefined;
  /** The error, if Kalends did not return the connected accounts. */
  readonly problem: KalendsRefusal | undefined;
  readonly isConnected: boolean;
  readonly movable: readonly Movable[];
  /** Newest first. */
  readonly deliveries: readonly LoggedDelivery[];
  row(delivery: LoggedDelivery): Html;
};

const SCRIPT = inlineScript(readFileSync(new URL('./deliveries.client.js', import.meta.url), 'utf8'));

export const DELIVERIES_POLICY: Pick<PagePolicy, 'scriptSource' | 'connects'> = {
  scriptSource: SCRIPT.source,
  connects: true,
};

export function deliveriesPage(view: DeliveriesView): Html {
  const { deliveries, row } = view;
  return demoLayout(
    'Deliveries – Tideline',
    html`<h1>Deliveries</h1>
<p class="lead">When a calendar changes, Kalends sends a delivery to this application, which checks its signature.</p>
<div class="columns deliveries">
<section class="card" aria-labelledby="move">
<h2 id="move">Change an event</h2>
<div id="moves">${movesOf(view)}${noticeOf(view.notice)}</div>
</section>
<section class="card" aria-labelledby="came">
<h2 id="came">Deliveries, newest first</h2>
<noscript><p class="hint">This page does not update without JavaScript: <a href="/deliveries">reload</a> it.</p></noscript>
<p id="lost" class="notice bad" role="alert" hidden>No more deliveries arrive: the sandbox does not respond.</p>
<p id="said" class="unseen" role="status"></p>
<ol id="deliveries" data-last="${deliveries[0]?.number ?? 0}">${deliveries.map(row)}</ol>
<p class="empty">No deliveries yet. ${view.isConnected ? 'Move an event, and its delivery appears here.' : 'Connect a calendar, and its first delivery appears here.'}</p>
</section>
</div>
${SCRIPT.element}`,
  );
}

function movesOf({ isConnected, problem, movable }: DeliveriesView): Html {
  if (!isConnected)
    return html`<p>After you connect a calendar, a button here moves an event at the provider.</p>
<form action="/connect"><button class="primary">Connect a calendar</button></form>`;
  if (problem !== undefined)
    return html`<p class="notice bad" role="alert">${problem.message} <span class="code">(${problem.status || 'no answer'}, ${problem.code})</span>
<br><a href="/connected">Your calendars</a> has the way on.</p>`;
  if (movable.length === 0)
    return html`<p class="empty">No connected account has an event that can be moved.</p>`;
  return html`<p class="hint">Like its owner in the provider’s own app: each press moves it half an hour later, and finally back.</p>
<ul class="moves">${movable.map(moveForm)}</ul>
<p class="hint"><a href="/connected">Your calendars</a> shows where they are now.</p>`;
}

function moveForm({ event, calendar }: Movable, index: number): Html {
  const { provider, accountName, id } = calendar;
  const name = PROVIDER_NAMES[provider] ?? provider;
  return html`<li><p><strong>${event.title}</strong><span class="muted">${timeText(event.start)} · ${accountName}</span></p>
<form method="post" action="/deliveries/move">
<input type="hidden" name="provider" value="${provider}"><input type="hidden" name="calendarId" value="${id}">
<button id="move-${index}">Move an event at ${name}</button></form>
<p class="hint">${name} ${SPEEDS[provider]}</p></li>`;
}

const AT_ONCE = 'notifies Kalends at once.';
const ASKED = 'sends no notifications: Kalends polls it once a minute.';
const SPEEDS: Readonly<Record<string, string>> = {
  google: AT_ONCE,
  microsoft: AT_ONCE,
  apple: ASKED,
  caldav: ASKED,
};
