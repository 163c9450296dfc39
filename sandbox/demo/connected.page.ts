/** The page after connecting: the demo's tokens, the user's calendars, and the coming events. */
import { type Html, html } from '../../src/http/html.ts';
import { agenda } from './agenda.page.ts';
import { demoLayout, dot, noticeOf, PROVIDER_NAMES } from './demo-layout.page.ts';
import type { Notice } from './demo-session.ts';
import type { EventPage, KalendsRefusal, ListedCalendar, Tokens } from './kalends-client.ts';

/** The result of a read, or the error. */
export type ReadResult<T> = { readonly value: T } | { readonly problem: KalendsRefusal };

export type ConnectedView = {
  readonly userId: string;
  readonly tokens: Tokens;
  readonly notice: Notice | undefined;
  readonly calendars: ReadResult<readonly ListedCalendar[]>;
  readonly events: ReadResult<EventPage>;
  /** The request for the events. */
  readonly eventsUrl: string;
  readonly controlUrl: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
};

export function connectedPage(view: ConnectedView): Html {
  const { notice, calendars, events, now } = view;
  const list = 'value' in calendars ? calendars.value : [];
  return demoLayout(
    'Your calendars – Tideline',
    html`${noticeOf(notice)}
<h1>Your calendars</h1>
<div class="columns">
<section class="card wide" aria-labelledby="events">
<h2 id="events">The next four weeks</h2>
${'problem' in events ? refusal(events.problem) : agenda(events.value, list, now)}
</section>
<div class="side">
<section class="card" aria-labelledby="calendars">
<h2 id="calendars">Calendars</h2>
${'problem' in calendars ? calendarsRefused(calendars.problem, events) : calendarList(calendars.value)}
<form class="row" action="/connect"><button>Connect another calendar</button></form>
</section>
${tokenCard(view)}
${triesCard(view)}
</div>
</div>`,
  );
}

function tokenCard({ userId, tokens }: ConnectedView): Html {
  return html`<section class="card" aria-labelledby="tokens">
<h2 id="tokens">Tokens of ${userId}</h2>
${tokenDetails('Access token', tokens.accessToken)}
${tokenDetails('Refresh token', tokens.refreshToken)}
<div class="row">
<form method="post" action="/refresh"><button>Refresh tokens</button></form>
<form method="post" action="/revoke"><button class="danger">Revoke</button></form>
</div>
</section>`;
}

function triesCard({ tokens, eventsUrl, controlUrl }: ConnectedView): Html {
  return html`<section class="card" aria-labelledby="tries">
<h2 id="tries">What next?</h2>
<details><summary>Ask Kalends for these events yourself</summary>
<pre tabindex="0">curl -H "Authorization: Bearer ${tokens.accessToken}" \\
  "${eventsUrl}"</pre></details>
<p>Change an event, and see the delivery from Kalends: <a href="/deliveries">deliveries</a>.</p>
${controlUrl && html`<p>See what happens if a provider is down or a user withdraws access: <a href="${controlUrl}">sandbox controls</a>.</p>`}
</section>`;
}

/** Renders why there is nothing to see, and what the user can do. */
function refusal({ status, code, message }: KalendsRefusal): Html {
  const hint = WAYS_ON[code] ?? (status === 401 ? WAYS_ON.unauthorized : undefined);
  return html`<p class="notice bad" role="alert">${message} <span class="code">(${status || 'no answer'}, ${code})</span>
${hint && html`<br>${hint}`}</p>`;
}

const WAYS_ON: Readonly<Record<string, string>> = {
  unauthorized: 'The access token has expired: refresh the tokens, or connect again.',
  sync_in_progress: 'Reload this page in a few seconds.',
  providers_unavailable: 'Kalends tries again automatically: reload this page in half a minute.',
  calendar_permission_required: 'Reconnect the account, and keep its calendars selected.',
  no_answer: 'Check in the terminal that Kalends is still running.',
};

/** One message is enough if both reads failed for the same reason. */
const calendarsRefused = (problem: KalendsRefusal, events: ReadResult<EventPage>): Html =>
  'problem' in events && events.problem.code === problem.code
    ? html`<p class="empty">No calendars can be shown.</p>`
    : refusal(problem);

function calendarList(calendars: readonly ListedCalendar[]): Html {
  if (calendars.length === 0)
    return html`<p class="empty">No calendar yet. Connect an account, and its calendars are listed here.</p>`;
  return html`<ul class="calendars">${calendars.map(
    ({ title, provider, account, color, timeZone }) => html`<li>${dot(color)}<div><strong>${title}</strong>
<span class="muted">${PROVIDER_NAMES[provider] ?? provider} · ${account} · ${timeZone}</span></div></li>`,
  )}</ul>`;
}

/** Claims are displayed for people: an application need not look into tokens. */
function tokenDetails(name: string, token: string): Html {
  const rows = claimsOf(token).map(
    ([claim, text]) => html`<tr><th scope="row">${claim}</th><td>${text}</td></tr>`,
  );
  return html`<details><summary>${name} <code>${token.slice(-8)}</code></summary>
<table class="claims"><tbody>${rows}</tbody></table>
<p class="token"><code>${token}</code></p></details>`;
}

function claimsOf(token: string): [string, string][] {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  // A JWT's payload is a JSON object (RFC 7519 §3).
  const claims = JSON.parse(payload || '{}') as Record<string, unknown>;
  return Object.entries(claims).map(([name, value]) => {
    const isTime = (name === 'exp' || name === 'iat') && typeof value === 'number';
    return [name, isTime ? new Date(value * 1000).toISOString() : String(value)];
  });
}
