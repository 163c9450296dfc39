/** What the providers sent to whom, as the control page shows it: invitations, answers, cancellations. */
import { type Html, html } from '../../src/http/html.ts';

/** A message between people; one by mail left the provider, and goes nowhere here. */
export type ShownMessage = {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly by: 'inbox' | 'mail';
};

/** The page shows so many; all of them are at /control/messages. */
const MOST = 20;

const WORDS: Readonly<Record<string, string>> = {
  REQUEST: 'invites or updates',
  CANCEL: 'cancels for',
  REPLY: 'answers',
};

/** The newest first. */
export function sentSection(messages: readonly ShownMessage[]): Html {
  const newest = messages.slice(-MOST).reverse();
  return html`<section class="card"><h2>Sent by the CalDAV server</h2>
<p class="quiet">It sends invitations and answers by itself: to its own people into their calendars, to others by mail, which goes nowhere.</p>
${newest.length === 0 ? html`<p>Nothing yet.</p>` : html`<ul class="faults">${newest.map(entry)}</ul>`}</section>`;
}

const entry = ({ at, method, title, from, to, by }: ShownMessage): Html =>
  html`<li><div>${title}<span class="quiet">${from} ${WORDS[method] ?? method} ${to}${by === 'mail' && ' by mail'},
<time datetime="${new Date(at).toISOString()}">${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC</time></span></div></li>`;
