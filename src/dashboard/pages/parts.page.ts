/** Small components of several dashboard pages. */
import { type IconName, icon } from '../../design/icon.page.ts';
import { type Html, html } from '../../http/html.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { ago } from './times.page.ts';

const SHARE_WIDTH = 100;

/** Renders a share of the whole as a bar. `label` is its text for screen readers. */
export function shareBar(percent: number, label: string): Html {
  return html`<svg class="share" role="img" aria-label="${label}" viewBox="0 0 ${SHARE_WIDTH} 8" preserveAspectRatio="none"><path class="track" d="M0 0h${SHARE_WIDTH}v8H0z"/><path class="series-good" d="M0 0h${percent}v8H0z"/></svg>`;
}

export type FieldParts = {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'url';
  readonly value?: string;
  readonly autocomplete?: string;
  readonly hint?: Html | string;
  /** The error of the typed value. */
  readonly problem?: string | undefined;
  readonly isOptional?: boolean;
  readonly isFirst?: boolean;
  readonly maxLength?: number;
};

/** Renders a field with label, hint and error. Screen readers read both with the field. */
export function field(parts: FieldParts): Html {
  const { name, label, type = 'text', value = '', autocomplete = 'off', hint, problem } = parts;
  const { isOptional = false, isFirst = false, maxLength = 500 } = parts;
  const described = [hint && `${name}-hint`, problem && `${name}-wrong`].filter(Boolean).join(' ');
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${type === 'password' ? '' : value}" autocomplete="${autocomplete}" maxlength="${maxLength}"${!isOptional && html` required`}${(isFirst || problem !== undefined) && html` autofocus`}${described !== '' && html` aria-describedby="${described}"`}${problem !== undefined && html` aria-invalid="true"`}${type === 'email' && html` spellcheck="false" autocapitalize="none"`}>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${problem !== undefined && html`<p class="wrong" id="${name}-wrong">${problem}</p>`}</div>`;
}

/** Renders a text with a copy button, which only the script shows. */
export const copyable = (id: string, text: string): Html =>
  html`<pre id="${id}" class="copyable">${text}</pre><button type="button" class="small" hidden data-copy="${id}" data-copied="${messages.text('copied')}">${messages.text('copy')}</button>`;

export const command = (text: string): Html => html`<pre>${text}</pre>`;

/** Returns the messages `prefix.name`, such as those of a table's heads. */
export const headsOf = <const P extends string, const N extends string>(prefix: P, names: readonly N[]) =>
  names.map((name) => `${prefix}.${name}` as const);

export type TableParts = {
  /** The name for screen readers. */
  readonly name: DashboardMessageKey;
  /** Heads that are markup are visible only to screen readers: they are above buttons. */
  readonly heads: readonly (DashboardMessageKey | Html)[];
  readonly rows: readonly (readonly Html[])[];
  /** Replaces a table without rows: a sentence, or an empty state. */
  readonly none?: Html | string;
  /** The columns that a phone leaves out, because the page of the row repeats them. */
  readonly details?: readonly number[];
  /** The columns of numbers, which are aligned at their end. */
  readonly numbers?: readonly number[];
};

/** Renders a table. On a phone each row is a card, whose cells show the column's head: see layout.page.ts. */
export function table({ name, heads, rows, none, details = [], numbers = [] }: TableParts): Html {
  if (rows.length === 0 && none !== undefined)
    return typeof none === 'string' ? html`<p class="empty">${none}</p>` : none;
  const columns = heads.map((head, index) => {
    const kind =
      `${details.includes(index) ? 'detail' : ''} ${numbers.includes(index) ? 'number' : ''}`.trim();
    return html`<th scope="col"${kind !== '' && html` class="${kind}"`}>${typeof head === 'string' ? messages.text(head) : head}</th>`;
  });
  const lines = rows.map(
    ([
      first,
      ...rest
    ]) => html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  );
  return html`<div class="table"><table aria-label="${messages.text(name)}"><thead><tr>${columns}</tr></thead>
<tbody>
${lines}</tbody></table></div>`;
}

export const top = (title: Html | string, lead: Html | string | undefined, action?: Html): Html =>
  html`<div class="top"><div><h1>${title}</h1>${lead !== undefined && html`<p class="lead">${lead}</p>`}</div>${action}</div>`;

/** Returns the notice of the action that an address names, if there is one. */
export function doneText(
  done: string,
  texts: Readonly<Record<string, DashboardMessageKey>>,
): Html | undefined {
  const key = Object.hasOwn(texts, done) ? texts[done] : undefined;
  return key && html`${messages.text(key)}`;
}

/** Renders an empty list: why it is empty, and what to do. */
export const emptyState = (title: string, text?: string, action?: Html | false): Html =>
  html`<div class="empty"><strong>${title}</strong>${text !== undefined && html`<p>${text}</p>`}${action && html`<div class="buttons">${action}</div>`}</div>`;

export type ChoiceParts = {
  readonly type: 'radio' | 'checkbox';
  readonly name: string;
  readonly value: string;
  readonly isPicked: boolean;
};

/** Renders a radio button or check box. An explanation that is markup has its own element. */
export const choice = (
  { type, name, value, isPicked }: ChoiceParts,
  label: Html | string,
  about?: Html | string,
): Html =>
  html`<label class="pick"><input type="${type}" name="${name}" value="${value}"${isPicked && html` checked`}><span>${label}${typeof about === 'string' ? html`<small>${about}</small>` : about}</span></label>`;

/** Renders the end of a form: its button, and the link that leaves it. */
export const formButtons = (label: string, back: string, rank: 'primary' | 'destructive' = 'primary'): Html =>
  html`<div class="buttons"><button class="${rank}">${label}</button><a class="button" href="${back}">${messages.text('cancel')}</a></div>`;

export type QuestionParts = {
  /** The path that the form is sent to. */
  readonly path: string;
  /** The page that it leads back to. */
  readonly back: string;
  readonly title?: Html | string;
  /** The consequences. */
  readonly text: Html | string;
  readonly fields?: Html;
  readonly button: string;
  readonly rank?: 'primary' | 'destructive';
};

/** Renders the panel that asks before an action, which by default is destructive. */
export const questionPanel = (parts: QuestionParts, viewer: Viewer): Html => {
  const { path, back, title, text, fields, button, rank = 'destructive' } = parts;
  return html`<section class="panel">${title && html`<h2>${title}</h2>`}${typeof text === 'string' ? html`<p class="lead">${text}</p>` : text}
${postForm(viewer, path, html`${fields}${formButtons(button, back, rank)}`)}</section>`;
};

/** Renders the panel that asks before the member, provider app or endpoint at `back` is removed. */
export const removalPanel = (
  kind: 'person' | 'providers' | 'webhooks',
  { back, title }: Pick<QuestionParts, 'back' | 'title'>,
  viewer: Viewer,
): Html => {
  const texts = { text: messages.text(`${kind}.remove.text`), button: messages.text(`${kind}.remove`) };
  return questionPanel({ path: `${back}/remove`, back, ...(title && { title }), ...texts }, viewer);
};

/** Renders an entry of a list of sessions, passkeys or links. */
export const listEntry = (name: Html | string, facts: Html, action?: Html | false): Html =>
  html`<li><div>${typeof name === 'string' ? html`<strong><bdi>${name}</bdi></strong>` : name}<p class="hint">${facts}</p></div>${action}</li>`;

/** Renders the link to the next page, or nothing on the last one. */
export const nextLink = (path: string | undefined, text = messages.text('next_page')): Html | undefined =>
  path === undefined
    ? undefined
    : html`<div class="buttons"><a class="button small" rel="next" href="${path}">${text}</a></div>`;

export type DetailParts = {
  /** The links to the pages above, the highest first, and the name of this page. */
  readonly crumbs: readonly Html[];
  readonly title: Html | string;
  readonly lead?: Html | undefined;
  readonly action?: Html | undefined;
  readonly said?: Html | undefined;
  readonly content: Html;
  /** The facts, links and destructive actions beside the content. */
  readonly aside: Html;
};

/** Renders the page of one thing in two panes. On a narrow screen the second is below the first. */
export const detailPage = ({ crumbs, title, lead, action, said, content, aside }: DetailParts): Html =>
  html`${breadcrumb(crumbs)}${top(title, lead, action)}
${said}
<div class="panes"><div>${content}</div><div>${aside}</div></div>`;

export const breadcrumb = (crumbs: readonly Html[]): Html =>
  html`<nav class="hint" aria-label="${messages.text('breadcrumb')}">${crumbs.map((crumb, index) => html`${index > 0 && ' / '}${crumb}`)}</nav>
`;

export const card = (title: string, content: Html): Html =>
  html`<section class="card"><h2>${title}</h2>${content}</section>
`;

export type Fact = readonly [label: string, value: Html | undefined | false | '' | 0];

/** Renders labeled values. An absent one has no row. */
export const factList = (facts: readonly Fact[]): Html =>
  html`<dl class="facts">${facts.map(([label, value]) => (value ? html`<dt>${label}</dt><dd>${value}</dd>` : undefined))}</dl>`;

export type DangerousAction = {
  readonly title: string;
  /** The consequences: deleted and stored data, and whether it can be undone. */
  readonly text: Html | string;
  /** The confirmation page. Undefined if the text says where the action is. */
  readonly path: string | undefined;
  readonly isHarmless?: boolean;
};

/** Renders destructive actions with their consequences. */
export function dangerZone(actions: readonly DangerousAction[]): Html {
  const rows = actions.map(({ title, text, path, isHarmless = false }) => {
    const rank = isHarmless ? '' : ' danger';
    const button = path !== undefined && html`<a class="button small${rank}" href="${path}">${title}</a>`;
    return html`<li><h3>${title}</h3><div class="hint">${text}</div>${button}</li>
`;
  });
  return html`<section class="card danger-zone"><h2>${messages.text('danger')}</h2><ul>${rows}</ul></section>`;
}

export type TimeLineEntry = {
  readonly kind: 'good' | 'warn' | 'bad' | 'quiet';
  /** Replaces the icon of the kind. */
  readonly icon?: IconName | undefined;
  readonly title: Html | string;
  readonly about?: Html | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
};

/** Renders what happened, in the order of the entries. */
export const timeLine = (entries: readonly TimeLineEntry[]): Html =>
  html`<ol class="time-line">${entries.map(
    ({ kind, icon: sign, title, about, at }) =>
      html`<li><span class="state ${kind}">${sign && icon(sign)}</span><div><strong>${title}</strong>${about}</div>${ago(at)}</li>
`,
  )}</ol>`;

/** Renders a text of the API reference. Text in backticks is code. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
