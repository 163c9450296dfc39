/** The messages that the providers sent, for the control page: invitations, responses, cancellations. */
import { type Html, html } from '../../src/http/html.ts';
import type { SandboxKind } from './faults.ts';

/** A message between people; an email leaves the provider, and is not delivered here. */
export type ShownMessage = {
  readonly provider: SandboxKind;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The UID of the event or of its series. */
  readonly uid: string;
  /** At Google and Microsoft: the original start of its occurrence, as in the provider's ids. */
  readonly occurrence?: string | undefined;
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly by: 'inbox' | 'mail';
};

/** The maximum of messages on the page; all of them are at /control/messages. */
const MOST = 20;

const WORDS: Readonly<Record<string, string>> = {
  REQUEST: 'invites or updates',
  CANCEL: 'cancels for',
  REPLY: 'answers',
};

/** Renders the section, newest message first. */
export function sentSection(messages: readonly ShownMessage[]): Html {
  const newest = messages.slice(-MOST).reverse();
  return html`<section class="card"><h2>Sent by the providers</h2>
<p class="quiet">Providers send invitations, changes and cancellations by themselves. The CalDAV server puts them into the calendars of its own people; every mail goes nowhere.</p>
${newest.length === 0 ? html`<p>Nothing yet.</p>` : html`<ul class="faults">${newest.map(entry)}</ul>`}</section>`;
}

const entry = ({ at, method, title, from, to, by }: ShownMessage): Html =>
  html`<li><div>${title}<span class="quiet">${from} ${WORDS[method] ?? method} ${to}${by === 'mail' && ' by mail'},
<time datetime="${new Date(at).toISOString()}">${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC</time></span></div></li>`;
