/** What the providers sent to whom, as the control page shows it: invitations, answers, cancellations. */
import { type Html, html } from '../../src/http/html.ts';
import type { SandboxKind } from './faults.ts';

/** A message between people; one by mail left the provider, and goes nowhere here. */
export type ShownMessage = {
  readonly provider: SandboxKind;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The UID of the event or of its series. */
  readonly uid: string;
  /** At Google and Microsoft: original start of the occurrence that it is about, as in the provider's ids. */
  readonly occurrence?: string | undefined;
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
  return html`<section class="card"><h2>Sent by the providers</h2>
<p class="quiet">Providers send invitations, changes and cancellations by themselves. The CalDAV server puts them into the calendars of its own people; every mail goes nowhere.</p>
${newest.length === 0 ? html`<p>Nothing yet.</p>` : html`<ul class="faults">${newest.map(entry)}</ul>`}</section>`;
}

const entry = ({ at, method, title, from, to, by }: ShownMessage): Html =>
  html`<li><div>${title}<span class="quiet">${from} ${WORDS[method] ?? method} ${to}${by === 'mail' && ' by mail'},
<time datetime="${new Date(at).toISOString()}">${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC</time></span></div></li>`;
