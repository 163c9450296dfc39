/** Renders Markdown as HTML. HTML in a document is shown as text, except `<br>`; a picture is shown as its text. */
import { Marked, type RendererObject, type TokenizerObject, type Tokens } from 'marked';
import { type Html, html, trusted } from '../http/html.ts';
import { anchorMaker } from './headings.ts';

/** Returns the served target of a link; `undefined` if there is none, so that only its text is shown. */
export type LinkTargets = (target: string) => string | undefined;

/** Addresses of this server, and schemes that cannot run scripts. */
const SAFE_TARGET = /^(?:https?:|mailto:|#|\/(?![/\\]))/i;

/** Leaves the characters to the text rule, which escapes them. */
const none = () => undefined;

const TOKENIZER: TokenizerObject = {
  html: none,
  tag: (source) =>
    source.startsWith('<br>') ? ({ type: 'br', raw: '<br>' } as unknown as Tokens.Tag) : undefined,
  url: none,
  del: none,
};

/** Renders a document without the page around it. Headings have the same anchors as on GitHub. */
export function markdownPage(markdown: string, linkOf: LinkTargets): Html {
  const marked = new Marked({ tokenizer: TOKENIZER, renderer: createRenderer(linkOf) });
  // The renderer below escapes whatever text the document has.
  return trusted(marked.parse(markdown, { async: false }));
}

function createRenderer(linkOf: LinkTargets): RendererObject {
  const anchorOf = anchorMaker();
  return {
    html: ({ text }) => html`${text}`.markup,
    checkbox: ({ checked }) => (checked ? '[x] ' : '[ ] '),
    codespan: ({ text }) => html`<code>${text}</code>`.markup,
    code: ({ text, lang = '' }) => renderCodeBlock(text, /^\w*/.exec(lang)?.[0]).markup,
    text(token) {
      const tokens = 'tokens' in token ? token.tokens : undefined;
      return tokens === undefined ? html`${token.text}`.markup : this.parser.parseInline(tokens);
    },
    image({ tokens }) {
      return this.parser.parseInline(tokens);
    },
    link({ href, tokens }) {
      const content = trusted(this.parser.parseInline(tokens));
      const target = linkOf(href);
      if (target === undefined || !SAFE_TARGET.test(target)) return content.markup;
      return html`<a href="${target}">${content}</a>`.markup;
    },
    heading({ tokens, depth, text }) {
      const level = Math.min(depth, 4);
      return `<h${level} ${html`id="${anchorOf(text)}"`.markup}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    table({ header, rows }) {
      const content = (cell: Tokens.TableCell) => trusted(this.parser.parseInline(cell.tokens));
      return html`<div class="wide" tabindex="0"><table>
<thead><tr>${header.map((cell) => (cell.text === '' ? html`<td></td>` : html`<th scope="col">${content(cell)}</th>`))}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${content(cell)}</td>`)}</tr>\n`)}</tbody>
</table></div>
`.markup;
    },
  };
}

/** Renders a block of code. It can be focused, because a wide block scrolls. */
export const renderCodeBlock = (code: string, language = ''): Html =>
  html`<pre tabindex="0"><code${language !== '' && html` class="language-${language}"`}>${code}</code></pre>
`;
