/** What stands within a line of Markdown: code, links, emphasis. */
import { type Html, html, trusted } from '../http/html.ts';

/** Where a link of the document leads on a page; `undefined` where nothing is served: its text alone is shown. */
export type LinkTargets = (target: string) => string | undefined;

/** The earliest of these begins something; what none of them matches is text. The documents are our own. */
const INLINE = new RegExp(
  [
    '(?<ticks>`+)(?<code>.+?)\\k<ticks>(?!`)',
    '\\\\(?<escaped>[\\\\`*_{}\\[\\]()#+.!|<>~-])',
    // Of a picture its words are shown: pages load none.
    '!?\\[(?<label>(?:`[^`]*`|\\[[^\\]]*\\]|[^\\[\\]`])*)\\]\\((?<target>[^()\\s]+)\\)',
    '\\*\\*(?<strong>(?:`[^`]*`|[^`])+?)\\*\\*',
    '\\*(?=\\S)(?<emphasis>(?:`[^`]*`|[^*`])+?)(?<=\\S)\\*',
    '(?<break><br>)',
    '<(?<address>https?:[^>\\s]+)>',
  ].join('|'),
  's',
);

/** One line, or the lines of a paragraph. */
export function inlineMarkdown(text: string, linkOf: LinkTargets): Html {
  const match = INLINE.exec(text);
  if (match === null) return html`${text}`;
  const after = text.slice(match.index + match[0].length);
  return html`${text.slice(0, match.index)}${spanOf(match.groups ?? {}, linkOf)}${inlineMarkdown(after, linkOf)}`;
}

type Groups = Readonly<Record<string, string | undefined>>;

function spanOf(groups: Groups, linkOf: LinkTargets): Html {
  const { code, escaped, label, target, strong, emphasis, address } = groups;
  if (code !== undefined) return html`<code>${/^ .* $/s.test(code) ? code.slice(1, -1) : code}</code>`;
  if (escaped !== undefined) return html`${escaped}`;
  if (label !== undefined && target !== undefined) {
    const place = linkOf(target);
    const content = inlineMarkdown(label, linkOf);
    return place === undefined ? content : html`<a href="${place}">${content}</a>`;
  }
  if (strong !== undefined) return html`<strong>${inlineMarkdown(strong, linkOf)}</strong>`;
  if (emphasis !== undefined) return html`<em>${inlineMarkdown(emphasis, linkOf)}</em>`;
  return address === undefined ? trusted('<br>') : html`<a href="${address}">${address}</a>`;
}

/** The same as text alone, for lists of headings and for search. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`|<br>|\\(?=[|*_])/g, '')
    .replace(/(?<!\S)\*(\S[^*]*)\*/g, '$1');
