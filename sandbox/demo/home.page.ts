/** The demo's first page: one button, and who can sign in. */
import { type Html, html } from '../../src/http/html.ts';
import { demoLayout, noticeOf } from './demo-layout.page.ts';
import type { Notice } from './demo-session.ts';

/** A person with an account at a sandbox provider. */
export type DemoPerson = {
  /** The provider's name in Kalends: `Google`, `Apple`. */
  readonly provider: string;
  readonly name: string;
  readonly username: string;
  /** Undefined if the provider shows an account chooser. */
  readonly password: string | undefined;
  /** The value to type as server, if the sign-in has that field. */
  readonly server: string | undefined;
};

export type HomeView = {
  readonly people: readonly DemoPerson[];
  readonly controlUrl: string | undefined;
  readonly notice: Notice | undefined;
  readonly isConnected: boolean;
};

export function homePage({ people, controlUrl, notice, isConnected }: HomeView): Html {
  return demoLayout(
    'Tideline',
    html`${noticeOf(notice)}
<section class="hero">
<h1>All your calendars, in one place</h1>
<p>Tideline is a small application that reads its users’ calendars through Kalends. Be one of its users: connect a calendar, and
see what is in it.</p>
<div class="row">
<form action="/connect"><button class="primary">Connect a calendar</button></form>
${isConnected && html`<a class="button" href="/connected">Your calendars</a>`}
<a class="button" href="/deliveries">Deliveries</a>
</div>
<p class="hint">Nothing to type: choose <strong>Connect Google</strong>, pick Mara, press Continue, and then Allow.</p>
</section>
<section class="card" aria-labelledby="people">
<h2 id="people">Who can sign in</h2>
<p class="hint">These people live in the sandbox. Nothing leaves this machine.</p>
<table class="people">
<thead><tr><th scope="col">Provider</th><th scope="col">Who</th><th scope="col">Sign in as</th><th scope="col">Password</th></tr></thead>
<tbody>${people.map(personRow)}</tbody>
</table>
${controlUrl && html`<p class="hint">Break something, or turn the clock: <a href="${controlUrl}">sandbox controls</a>.</p>`}
</section>`,
  );
}

const personRow = ({ provider, name, username, password, server }: DemoPerson): Html => html`<tr>
<td>${provider}${server && html`<br><code>${server}</code>`}</td>
<td>${name}</td>
<td><code>${username}</code></td>
<td>${password === undefined ? html`<span class="muted">choose from a list</span>` : html`<code>${password}</code>`}</td>
</tr>`;
