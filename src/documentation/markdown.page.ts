/** Renders Markdown as HTML. HTML in a document is shown as text, except `<br>`; a picture is shown as its text. */
import { Marked, type RendererObject, type Token, type TokenizerObject, type Tokens } from 'marked';
import { codeBlock } from '../design/highlight.ts';
import { html, trusted } from '../http/html.ts';
import { anchorMaker } from './headings.ts';
import type { Piece } from './parts.ts';

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

/** Characters of a table or list that stays whole. */
const MOST_CHARACTERS = 9_000;

/** Renders a document without the page around it, by element. Headings have the same anchors as on GitHub. */
export function markdownPieces(markdown: string, linkOf: LinkTargets): Piece[] {
  const anchorOf = anchorMaker();
  const marked = new Marked({ tokenizer: TOKENIZER, renderer: createRenderer(linkOf) });
  return marked
    .lexer(markdown)
    .flatMap(splitLong)
    .filter(({ type }) => type !== 'space')
    .map((token) => {
      // The renderer below escapes whatever text the document has.
      const markup = trusted(marked.parser([token]));
      if (token.type !== 'heading') return { markup };
      const heading = { level: Math.min(token.depth, 4), text: token.text, anchor: anchorOf(token.text) };
      return {
        markup: html`<h${heading.level} id="${heading.anchor}">${markup}</h${heading.level}>\n`,
        heading,
      };
    });
}

/** Divides a long table or list into several. */
function splitLong(token: Token): Token[] {
  if (token.raw.length <= MOST_CHARACTERS) return [token];
  const count = Math.ceil(token.raw.length / MOST_CHARACTERS);
  const chunks = <T>(all: readonly T[]) => {
    const size = Math.ceil(all.length / count);
    return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size));
  };
  // The lexer creates these types with these members; other tokens of the same name come from extensions only.
  if (token.type === 'table') return chunks((token as Tokens.Table).rows).map((rows) => ({ ...token, rows }));
  if (token.type === 'list')
    return chunks((token as Tokens.List).items).map((items) => ({ ...token, items }));
  return [token];
}

function createRenderer(linkOf: LinkTargets): RendererObject {
  return {
    html: ({ text }) => html`${text}`.markup,
    checkbox: ({ checked }) => (checked ? '[x] ' : '[ ] '),
    codespan: ({ text }) => html`<code>${text}</code>`.markup,
    code: ({ text, lang = '' }) => codeBlock(text, /^\w*/.exec(lang)?.[0]).markup,
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
    /** The caller renders the element around it, with the anchor. */
    heading({ tokens }) {
      return this.parser.parseInline(tokens);
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
