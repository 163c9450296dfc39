/** The served documentation. Each page is created when it is first requested. */

import { readFileSync } from 'node:fs';
import { operationList } from '../api-reference/reference.page.ts';
import { BASE_STYLE, CODE_STYLE, COPY_SCRIPT, dense, ICONS, PAGE_ICON } from '../design/parts.page.ts';
import { type Html, html, trusted } from '../http/html.ts';
import { buildPage, inlineScript, inlineStyle, type Page } from '../http/page.ts';
import { once } from '../lib/once.ts';
import { CONTENTS } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';
import { type Heading, plainText } from './headings.ts';
import { loadDocumentation } from './load-documentation.ts';
import { divide, headingsOf, type Part, partPath } from './parts.ts';
import { createSearchIndex, MOST_QUERY_CHARACTERS, type SearchResult, type Section } from './search-index.ts';

export type Site = {
  start(): Page;
  startMarkdown(): string;
  /** Returns the page at an address; `undefined` if there is none. */
  pageOf(path: string): Page | undefined;
  /** Returns the Markdown of the page at an address. */
  markdownOf(path: string): string | undefined;
  results(query: string): Promise<Page>;
  missing(): Page;
  llms(): string;
  llmsFull(): string;
};

/** Returns the address of a heading, which may be in another part of its page. */
type Resolve = (path: string, anchor: string | undefined) => string;

export async function openSite(publicUrl: string): Promise<Site> {
  const { pages, document } = await loadDocumentation(publicUrl);
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const dividedPages = new Map<string, readonly Part[]>();
  const index = once(() => createSearchIndex(pages));

  function dividePage(page: DocumentationPage): readonly Part[] {
    const parts = dividedPages.get(page.path) ?? divide(page.pieces());
    dividedPages.set(page.path, parts);
    return parts;
  }

  const resolve: Resolve = (path, anchor) => {
    if (anchor === undefined) return path;
    const page = byPath.get(path);
    const parts = page === undefined ? [] : dividePage(page);
    const number = parts.findIndex((part) => headingsOf(part).some((heading) => heading.anchor === anchor));
    return `${partPath(path, Math.max(0, number))}#${anchor}`;
  };

  function renderPart(path: string): Page | undefined {
    const [, number] = /\/([2-9]|[1-9]\d)$/.exec(path) ?? [];
    const page = byPath.get(number === undefined ? path : path.slice(0, -number.length - 1));
    if (page === undefined) return undefined;
    const parts = dividePage(page);
    const position = Number(number ?? 1) - 1;
    const part = parts[position];
    if (part === undefined) return undefined;
    const content = resolveLinks(partContent({ page, parts, position }), page.path, resolve);
    const headings = page.hasCodeBeside
      ? []
      : headingsOf(part).filter(({ level }) => level === 2 || level === 3);
    return layout({ pages, page, title: page.title, content, headings, markdownPath: `${page.path}.md` });
  }

  return {
    start() {
      const content = startPage(pages, operationList(document, true));
      const linked = resolveLinks(content, '/docs', resolve);
      return layout({ pages, title: 'Documentation', content: linked, markdownPath: '/docs.md' });
    },
    startMarkdown: () => startMarkdown(pages),
    pageOf: renderPart,
    markdownOf: (path) => byPath.get(path)?.markdown,
    async results(query) {
      const { search } = await index();
      return layout({ pages, title: 'Search', content: resultsPage(query, search(query), resolve), query });
    },
    missing: () => layout({ pages, title: 'There is no such page', content: missingPage() }),
    llms: () => llmsText(pages, publicUrl),
    llmsFull: () => llmsFullText(pages, publicUrl),
  };
}

/** Makes links to headings lead to their part. Every link was rendered by this program. */
const resolveLinks = ({ markup }: Html, from: string, resolve: Resolve): Html =>
  trusted(
    markup.replace(/href="(\/docs\/[^"#]*|)#([^"]+)"/g, (_, path: string, anchor: string) => {
      return `href="${resolve(path === '' ? from : path, anchor)}"`;
    }),
  );

type PartInput = {
  readonly page: DocumentationPage;
  readonly parts: readonly Part[];
  readonly position: number;
};

function partContent({ page, parts, position }: PartInput): Html {
  const part = parts[position];
  const body = html`${part?.pieces.map(({ markup }) => markup)}`;
  if (parts.length === 1) return body;
  const others = partList({ page, parts, position });
  if (position === 0) return html`${body}${others}`;
  const { continued } = part ?? {};
  return html`<h1>${page.title}, part ${position + 1} of ${parts.length}</h1>
${continued !== undefined && html`<h2><a href="#${continued.anchor}">${plainText(continued.text)}</a>, continued</h2>`}
${body}${others}`;
}

/** Lists the other parts. On the first one their headings have ids, so that addresses without a part reach them. */
const partList = ({ page, parts, position }: PartInput): Html =>
  html`<nav class="parts" aria-label="Parts of this page"><p class="label">More of “${page.title}”</p>
${parts.map((part, index) => {
  if (index === position) return undefined;
  const links = headingsOf(part).map(
    ({ level, text, anchor }) =>
      (position === 0 || level === 2) &&
      html`<li${position === 0 && html` id="${anchor}"`}><a href="#${anchor}">${plainText(text)}</a></li>\n`,
  );
  return html`<p><a href="${partPath(page.path, index)}">Part ${index + 1}</a></p>
<ul>${links}</ul>
`;
})}</nav>
`;

const INTRODUCTION = `# Kalends

> Kalends connects any application to its users' calendars at Google, Microsoft, Apple and any CalDAV server: one OAuth 2.0 flow, one REST interface, signed webhooks. It is self-hosted.
`;

/** Returns a link to the Markdown of every page. `publicUrl` has no trailing slash. */
function llmsText(pages: readonly DocumentationPage[], publicUrl: string): string {
  const sections = CONTENTS.map(({ name }) => {
    const links = pages
      .filter(({ section }) => section === name)
      .map(({ title, path, summary }) => `- [${title}](${publicUrl}${path}.md): ${summary}`);
    // By the format of llms.txt, a reader with little space skips the section of this name.
    return `## ${name === 'Project' ? 'Optional' : name}\n\n${links.join('\n')}\n`;
  });
  const document = `The interface as an OpenAPI document: [openapi.json](${publicUrl}/openapi.json). All pages in one: [llms-full.txt](${publicUrl}/llms-full.txt).\n`;
  return [INTRODUCTION, document, ...sections].join('\n');
}

/** Returns all pages as one Markdown document. */
const llmsFullText = (pages: readonly DocumentationPage[], publicUrl: string): string =>
  [INTRODUCTION, ...pages.map(({ path, markdown }) => `Source: ${publicUrl}${path}.md\n\n${markdown}`)].join(
    '\n---\n\n',
  );

const STYLE = inlineStyle(
  dense(BASE_STYLE + CODE_STYLE + readFileSync(new URL('./documentation.css', import.meta.url), 'utf8')),
);
const SCRIPT = inlineScript(COPY_SCRIPT);

type LayoutInput = {
  readonly pages: readonly DocumentationPage[];
  readonly title: string;
  readonly content: Html;
  /** The page that is shown; undefined on the start page and on the results of a search. */
  readonly page?: DocumentationPage;
  /** Listed beside the text. */
  readonly headings?: readonly Heading[];
  /** The address of the same page as Markdown. */
  readonly markdownPath?: string;
  readonly query?: string;
};

function layout({ pages, title, content, page, headings = [], markdownPath, query = '' }: LayoutInput): Page {
  const scripts = [SCRIPT, ...(page?.script === undefined ? [] : [page.script])];
  const body = html`<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs"><img src="${PAGE_ICON}" alt="" width="28" height="28">Kalends documentation</a>
<button type="button" class="small unfold" popovertarget="menu">Menu${ICONS.unfold}</button>
<form role="search" action="/docs/search" method="get">
<label class="unseen" for="q">Search the documentation</label>
<input id="q" name="q" type="search" placeholder="Search" autocomplete="off" maxlength="${MOST_QUERY_CHARACTERS}" value="${query.slice(0, MOST_QUERY_CHARACTERS)}">
<button class="small">Search</button>
</form>
</header>
<div class="columns${page?.hasCodeBeside === true ? ' with-code' : ''}">
<nav class="menu" id="menu" popover aria-label="Documentation">
${menu(pages, page)}</nav>
<main id="content" tabindex="-1">
${content}
${markdownPath !== undefined && html`<p class="as-markdown"><a href="${markdownPath}">This page as Markdown</a></p>`}
</main>
${headings.length > 1 && onThisPage(headings)}
</div>
<p class="unseen" id="said" role="status"></p>
${scripts.map(({ element }) => element)}
</body>`;
  return buildPage({
    language: 'en',
    direction: 'ltr',
    theme: 'auto',
    title: title === 'Documentation' ? 'Kalends documentation' : `${title} – Kalends documentation`,
    icon: PAGE_ICON,
    styles: [STYLE],
    scripts,
    ...(page?.script && { connects: true }),
    body,
    drawnOnceAt: 'said',
    imageSource: 'data:',
  });
}

/** Renders the groups of pages, folded except that of the open page. */
const menu = (pages: readonly DocumentationPage[], open: DocumentationPage | undefined): Html =>
  html`${CONTENTS.map(
    ({
      name,
    }) => html`<details${name === open?.section && html` open`}><summary>${name}${ICONS.unfold}</summary>
<ul>${pages
      .filter(({ section }) => section === name)
      .map(
        ({ path, title }) =>
          html`<li><a href="${path}"${path === open?.path && html` aria-current="page"`}>${title}</a></li>\n`,
      )}</ul></details>
`,
  )}`;

const onThisPage = (headings: readonly Heading[]): Html =>
  html`<nav class="on-page" aria-label="On this page"><p class="label">On this page</p>
<ul>${headings.map(
    ({ level, text, anchor }) =>
      html`<li${level > 2 && html` class="deeper"`}><a href="#${anchor}">${plainText(text)}</a></li>\n`,
  )}</ul></nav>`;

/** Renders the start page. `operations` has each operation under its id, so that older links to `/docs#ID` work. */
const startPage = (pages: readonly DocumentationPage[], operations: Html): Html => html`<h1>Documentation</h1>
<p>Kalends connects any application to its users’ calendars at Google, Microsoft, Apple and any CalDAV server: one OAuth 2.0 flow,
one REST interface, signed webhooks. New here? <a href="/docs/first-steps">First steps</a> takes a few minutes.</p>
<div class="cards">
${CONTENTS.map(
  ({ name, purpose }) => html`<section aria-labelledby="${toAnchorId(name)}">
<h2 id="${toAnchorId(name)}">${name}</h2>
<p class="hint">${purpose}</p>
<dl>
${pages
  .filter(({ section, path }) => section === name && !path.startsWith('/docs/decisions/'))
  .map(({ path, title, summary }) => html`<dt><a href="${path}">${title}</a></dt><dd>${summary}</dd>\n`)}</dl>
</section>
`,
)}</div>
<section class="all-operations" aria-labelledby="operations">
<h2 id="operations">Every operation</h2>
${operations}
</section>
<p class="hint">For programs: <a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a>, <a href="/llms-full.txt">llms-full.txt</a>;
every page is Markdown at its address with <code>.md</code>.</p>`;

const toAnchorId = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

function startMarkdown(pages: readonly DocumentationPage[]): string {
  const sections = CONTENTS.map(({ name, purpose }) => {
    const links = pages
      .filter(({ section }) => section === name)
      .map(({ path, title, summary }) => `- [${title}](${path}.md): ${summary}`);
    return `## ${name}\n\n${purpose}\n\n${links.join('\n')}\n`;
  });
  return ['# Documentation\n', ...sections].join('\n');
}

/** Renders search results. A query that is too long is cut off and shown that way. */
function resultsPage(query: string, results: readonly SearchResult[], resolve: Resolve): Html {
  const visibleQuery = query.slice(0, MOST_QUERY_CHARACTERS);
  if (visibleQuery.trim() === '')
    return html`<h1>Search</h1><p>Type words into the field above: an operation, a field, a code of an error, a setting.</p>`;
  if (results.length === 0)
    return html`<h1>Nothing found</h1><p>No section has words like <bdi>“${visibleQuery}”</bdi>. Try other words, or look through
<a href="/docs">all pages</a>.</p>`;
  const address = ({ path, anchor }: Section) => resolve(path, anchor);
  return html`<h1>Results for <bdi>“${visibleQuery}”</bdi></h1>
<ol class="results">
${results.map((result) => {
  const { pageTitle, heading, excerpt, others } = result;
  return html`<li><a href="${address(result)}">${pageTitle}${heading !== pageTitle && html` › ${heading}`}</a>
<p>${excerpt}</p>
${others.length > 0 && html`<p>Also ${others.map((other, at) => html`${at > 0 && ', '}<a href="${address(other)}">${other.heading}</a>`)}</p>`}</li>
`;
})}</ol>`;
}

const missingPage = (): Html => html`<h1>There is no such page</h1>
<p>It may have been moved: search for it above, or look through <a href="/docs">all pages</a>.</p>`;
