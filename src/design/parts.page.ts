/** Small parts of pages that belong to no feature. */
import { type Html, html } from '../http/html.ts';
import { SIGNS } from './signs.ts';

/** The kinds of notice: a success, a problem, or neither. */
export type NoticeKind = 'done' | 'trouble' | 'note';

/** Renders a notice. Screen readers interrupt for a problem. If focused, reading and tabbing start at the notice. */
export function notice(kind: NoticeKind, text: Html, isFocused = false): Html {
  const focus = isFocused && html` tabindex="-1" autofocus aria-labelledby="notice"`;
  const role = kind === 'trouble' ? 'alert' : 'status';
  return html`<div class="notice ${kind}" role="${role}"${focus}>${SIGNS[kind]}<div id="notice">${text}</div></div>`;
}

/** A link to a page of another site, in a new window, so that text typed here stays. */
export const outwardLink = (href: string, text: Html): Html =>
  html`<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`;

/** A label that marks the item beside it. */
export const chip = (word: string): Html => html`<span class="chip">${word}</span>`;

/** Renders a mail or web address that may break after `@`, dots and slashes. */
export function withBreakPoints(address: string): Html {
  const parts = address.split(/(?<=[@./])/);
  return html`${parts.map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
}
