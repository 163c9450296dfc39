/** Small parts that several pages of the dashboard have. */
import { SIGNS } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';

/** An instant: UTC, which the page's script tells in the reader's zone. `at` is epoch milliseconds. */
export function instant(at: number | undefined): Html {
  if (at === undefined) return html`${messages.text('never')}`;
  const iso = new Date(at).toISOString();
  const utc = messages.text('instant.utc', { utc: iso.slice(0, 16).replace('T', ' ') });
  return html`<time datetime="${iso}">${utc}</time>`;
}

const SHARE_WIDTH = 100;

/** A share of the whole as a bar; `label` says it in words. */
export function shareBar(percent: number, label: string): Html {
  return html`<svg class="share" role="img" aria-label="${label}" viewBox="0 0 ${SHARE_WIDTH} 8" preserveAspectRatio="none"><path class="track" d="M0 0h${SHARE_WIDTH}v8H0z"/><path class="series-good" d="M0 0h${percent}v8H0z"/></svg>`;
}

export type FieldParts = {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'url';
  readonly value?: string;
  readonly autocomplete?: string;
  readonly hint?: string;
  /** What is wrong with what was typed. */
  readonly problem?: string | undefined;
  readonly isOptional?: boolean;
  readonly isFirst?: boolean;
  readonly maxLength?: number;
};

/** A field with its label, and what helps with it or is wrong with it, which a screen reader hears with the field. */
export function field(parts: FieldParts): Html {
  const { name, label, type = 'text', value = '', autocomplete = 'off', hint, problem } = parts;
  const { isOptional = false, isFirst = false, maxLength = 500 } = parts;
  const described = [hint && `${name}-hint`, problem && `${name}-wrong`].filter(Boolean).join(' ');
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${type === 'password' ? '' : value}" autocomplete="${autocomplete}" maxlength="${maxLength}"${!isOptional && html` required`}${(isFirst || problem !== undefined) && html` autofocus`}${described !== '' && html` aria-describedby="${described}"`}${problem !== undefined && html` aria-invalid="true"`}${type === 'email' && html` spellcheck="false" autocapitalize="none"`}>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${problem !== undefined && html`<p class="wrong" id="${name}-wrong">${problem}</p>`}</div>`;
}

/** Something to copy: with its button, where the browser's script runs. */
export const copyable = (id: string, text: string): Html =>
  html`<pre id="${id}" class="copyable">${text}</pre><button type="button" class="small" hidden data-copy="${id}" data-copied="${messages.text('copied')}">${messages.text('copy')}</button>`;

/** A command to run where Kalends is installed. */
export const command = (text: string): Html => html`<pre>${text}</pre>`;

export type TableParts = {
  /** What a screen reader calls it. */
  readonly name: string;
  /** Of markup are those that only a screen reader hears, over buttons. */
  readonly heads: readonly (string | Html)[];
  /** The first cell of each row names it. */
  readonly rows: readonly (readonly Html[])[];
};

/** On a telephone a row is a card, whose cells have the column's head beside them. */
export function table({ name, heads, rows }: TableParts): Html {
  const cellOf = (cell: Html, index: number) => {
    const head = heads[index + 1];
    return html`<td${typeof head === 'string' && html` data-head="${head}"`}><div>${cell}</div></td>`;
  };
  const lines = rows.map(
    ([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map(cellOf)}</tr>
`,
  );
  return html`<div class="table"><table aria-label="${name}"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${lines}</tbody></table></div>`;
}

/** What is folded under `name` on a telephone, without a script, and stands open elsewhere. */
export const folded = (name: string, content: Html, isOpen = false): Html =>
  html`<details class="fold"${isOpen && html` open`}><summary>${name}${SIGNS.unfold}</summary>${content}</details>`;

/** The title of a page with what can be done on it beside it. */
export const top = (title: Html | string, lead: Html | string | undefined, action?: Html): Html =>
  html`<div class="top"><div><h1>${title}</h1>${lead !== undefined && html`<p class="lead">${lead}</p>`}</div>${action}</div>`;

/** A text of the API reference: what stands in backticks there is code. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
