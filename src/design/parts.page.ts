/** Small parts of pages that belong to no feature. */
import { type Html, html } from '../http/html.ts';
import { SIGNS } from './signs.ts';

/** Something was done, or went wrong, or neither. */
export type NoticeKind = 'done' | 'trouble' | 'note';

/** Says so: politely, but at once what went wrong. Reading and tabbing begin at one that is focused. */
export function notice(kind: NoticeKind, text: Html, isFocused = false): Html {
  const focus = isFocused && html` tabindex="-1" autofocus aria-labelledby="notice"`;
  const role = kind === 'trouble' ? 'alert' : 'status';
  return html`<div class="notice ${kind}" role="${role}"${focus}>${SIGNS[kind]}<div id="notice">${text}</div></div>`;
}

/** A link to a page that is not ours, in a window of its own: what was typed here and the way on stay. */
export const outwardLink = (href: string, text: Html): Html =>
  html`<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`;

/** A word that marks the thing it stands beside. */
export const chip = (word: string): Html => html`<span class="chip">${word}</span>`;

/** A mail or web address that may go on in the next line where it is read in parts: behind `@`, dots and slashes. */
export function withBreakPoints(address: string): Html {
  const parts = address.split(/(?<=[@./])/);
  return html`${parts.map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
}
