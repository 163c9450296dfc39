/**
 * Markdown as HTML, as far as our own documents use it: headings, paragraphs, lists, tables, quotations, blocks of code.
 * HTML in a document is text, but for `<br>`.
 */
import { type Html, html } from '../http/html.ts';
import { anchorMaker } from './headings.ts';
import { inlineMarkdown, type LinkTargets } from './markdown-inline.ts';

type Context = { readonly linkOf: LinkTargets; readonly anchorOf: (heading: string) => string };

/** A block, and the line behind it. */
type Block = { readonly content: Html; readonly next: number };

const FENCE = /^```(\w*)\s*$/;
const HEADING = /^(#{1,6}) (.+)$/;
const ITEM = /^([-*]|\d+[.)]) +(?=\S)/;
const QUOTE = /^> ?/;
const TABLE_RULE = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** The document without what is around it. Every heading has the anchor that it has on GitHub. */
export function markdownPage(markdown: string, linkOf: LinkTargets): Html {
  return html`${blocksOf(markdown.split('\n'), { linkOf, anchorOf: anchorMaker() })}`;
}

function blocksOf(lines: readonly string[], context: Context): Html[] {
  const blocks: Html[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lineAt(lines, at).trim() === '') {
      at += 1;
      continue;
    }
    const block = blockAt(lines, at, context);
    blocks.push(block.content);
    at = block.next;
  }
  return blocks;
}

const lineAt = (lines: readonly string[], at: number): string => lines[at] ?? '';

function blockAt(lines: readonly string[], at: number, context: Context): Block {
  const line = lineAt(lines, at);
  if (FENCE.test(line)) return codeBlock(lines, at);
  const heading = HEADING.exec(line);
  if (heading !== null) return { content: headingOf(heading, context), next: at + 1 };
  if (QUOTE.test(line)) return quotation(lines, at, context);
  if (ITEM.test(line)) return list(lines, at, context);
  if (isTable(lines, at)) return table(lines, at, context);
  return paragraph(lines, at, context);
}

const isTable = (lines: readonly string[], at: number): boolean =>
  lineAt(lines, at).includes('|') &&
  TABLE_RULE.test(lineAt(lines, at + 1)) &&
  lineAt(lines, at + 1).includes('|');

const beginsBlock = (lines: readonly string[], at: number): boolean =>
  [FENCE, HEADING, QUOTE, ITEM].some((form) => form.test(lineAt(lines, at))) || isTable(lines, at);

function codeBlock(lines: readonly string[], at: number): Block {
  const [, language = ''] = FENCE.exec(lineAt(lines, at)) ?? [];
  const closing = lines.findIndex((line, i) => i > at && line.trimEnd() === '```');
  const end = closing === -1 ? lines.length : closing;
  const code = lines.slice(at + 1, end).join('\n');
  return { content: codeOf(code, language), next: end + 1 };
}

/** It takes the focus, since it may be wider than its place. */
export const codeOf = (code: string, language = ''): Html =>
  html`<pre tabindex="0"><code${language !== '' && html` class="language-${language}"`}>${code}</code></pre>
`;

function headingOf([, marks = '', text = '']: readonly string[], { linkOf, anchorOf }: Context): Html {
  const anchor = anchorOf(text);
  const content = inlineMarkdown(text, linkOf);
  const elements = [
    html`<h1 id="${anchor}">${content}</h1>`,
    html`<h2 id="${anchor}">${content}</h2>`,
    html`<h3 id="${anchor}">${content}</h3>`,
    html`<h4 id="${anchor}">${content}</h4>`,
  ];
  return html`${elements[Math.min(marks.length, elements.length) - 1]}
`;
}

function quotation(lines: readonly string[], at: number, context: Context): Block {
  let next = at;
  while (QUOTE.test(lineAt(lines, next))) next += 1;
  const quoted = lines.slice(at, next).map((line) => line.replace(QUOTE, ''));
  return { content: html`<blockquote>${blocksOf(quoted, context)}</blockquote>\n`, next };
}

function paragraph(lines: readonly string[], at: number, { linkOf }: Context): Block {
  let next = at + 1;
  while (next < lines.length && lineAt(lines, next).trim() !== '' && !beginsBlock(lines, next)) next += 1;
  const text = lines
    .slice(at, next)
    .map((line) => line.trim())
    .join('\n');
  return { content: html`<p>${inlineMarkdown(text, linkOf)}</p>\n`, next };
}

function list(lines: readonly string[], at: number, context: Context): Block {
  const isOrdered = /^\d/.test(lineAt(lines, at));
  const items: Html[] = [];
  let next = at;
  while (ITEM.test(lineAt(lines, next)) && /^\d/.test(lineAt(lines, next)) === isOrdered) {
    const item = itemAt(lines, next);
    items.push(html`<li>${itemContent(item.lines, context)}</li>\n`);
    next = item.next;
  }
  const first = Number.parseInt(lineAt(lines, at), 10);
  const start = isOrdered && first !== 1 && html` start="${first}"`;
  return { content: isOrdered ? html`<ol${start}>${items}</ol>\n` : html`<ul>${items}</ul>\n`, next };
}

/** An item has the lines that are set in under it, and those that go on without a blank line. */
function itemAt(lines: readonly string[], at: number): { lines: string[]; next: number } {
  const [marker = ''] = ITEM.exec(lineAt(lines, at)) ?? [];
  const own = [lineAt(lines, at).slice(marker.length)];
  let next = at + 1;
  while (next < lines.length) {
    const line = lineAt(lines, next);
    const isSetIn = /^ {2,}\S/.test(line);
    if (line.trim() === '') {
      // A blank line ends the item, but for a paragraph of its own behind it.
      if (!/^ {2,}\S/.test(lineAt(lines, next + 1))) break;
    } else if (!isSetIn && (beginsBlock(lines, next) || lineAt(lines, next - 1).trim() === '')) break;
    own.push(line.startsWith(' ') ? line.replace(new RegExp(`^ {1,${marker.length}}`), '') : line);
    next += 1;
  }
  // Between two items there may be a blank line.
  const isBetween = lineAt(lines, next).trim() === '' && ITEM.test(lineAt(lines, next + 1));
  return { lines: own, next: isBetween ? next + 1 : next };
}

/** One paragraph alone stands without an element of its own. */
function itemContent(lines: readonly string[], context: Context): Html {
  if (lines[0] === undefined || beginsBlock(lines, 0)) return html`${blocksOf(lines, context)}`;
  const end = lines.findIndex((line, i) => i > 0 && (line.trim() === '' || beginsBlock(lines, i)));
  const own = lines.slice(0, end === -1 ? lines.length : end).map((line) => line.trim());
  const rest = end === -1 ? [] : lines.slice(end);
  return html`${inlineMarkdown(own.join('\n'), context.linkOf)}${blocksOf(rest, context)}`;
}

function table(lines: readonly string[], at: number, { linkOf }: Context): Block {
  let next = at + 2;
  while (next < lines.length && lineAt(lines, next).includes('|')) next += 1;
  const heads = cellsOf(lineAt(lines, at));
  const rows = lines.slice(at + 2, next).map(cellsOf);
  const content = html`<div class="wide" tabindex="0"><table>
<thead><tr>${heads.map((cell) => (cell === '' ? html`<td></td>` : html`<th scope="col">${inlineMarkdown(cell, linkOf)}</th>`))}</tr></thead>
<tbody>
${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${inlineMarkdown(cell, linkOf)}</td>`)}</tr>\n`)}</tbody>
</table></div>
`;
  return { content, next };
}

/** A stroke in a cell is written with a backslash before it. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
