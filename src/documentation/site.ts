/** The served documentation. Each page is created when it is first requested. */

import { readFileSync } from 'node:fs';
import { operationList } from '../api-reference/reference.page.ts';
import { BASE_STYLE, PAGE_ICON } from '../design/parts.page.ts';
import { type Html, html } from '../http/html.ts';
import { buildPage, inlineStyle, type Page } from '../http/page.ts';
import { CONTENTS } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';
import { plainText } from './headings.ts';
import { loadDocumentation } from './load-documentation.ts';
import { MOST_QUERY_CHARACTERS, type SearchResult, search, searchIndex } from './search.ts';

export type Site = {
  start(): Page;
  startMarkdown(): string;
  /** Returns the page at an address; `undefined` if there is none. */
  pageOf(path: string): Page | undefined;
  /** Returns the Markdown of the page at an address. */
  markdownOf(path: string): string | undefined;
  results(query: string): Page;
  missing(): Page;
  llms(): string;
  llmsFull(): string;
};

export async function openSite(publicUrl: string): Promise<Site> {
  const { pages, document } = await loadDocumentation(publicUrl);
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const renderedPages = new Map<string, Page>();
  let index: ReturnType<typeof searchIndex> | undefined;

  function keep(path: string, make: () => Page): Page {
    const page = renderedPages.get(path) ?? make();
    renderedPages.set(path, page);
    return page;
  }

  return {
    start: () =>
      keep('/docs', () => {
        const content = startPage(pages, operationList(document, true));
        return layout({ pages, title: 'Documentation', content, markdownPath: '/docs.md' });
      }),
    startMarkdown: () => startMarkdown(pages),
    pageOf(path) {
      const page = byPath.get(path);
      if (page === undefined) return undefined;
      return keep(path, () =>
        layout({ pages, page, title: page.title, content: page.content(), markdownPath: `${path}.md` }),
      );
    },
    markdownOf: (path) => byPath.get(path)?.markdown,
    results(query) {
      index ??= searchIndex(pages);
      return layout({ pages, title: 'Search', content: resultsPage(query, search(index, query)), query });
    },
    missing: () => layout({ pages, title: 'There is no such page', content: missingPage() }),
    llms: () => llmsText(pages, publicUrl),
    llmsFull: () => llmsFullText(pages, publicUrl),
  };
}

const INTRODUCTION = `# Kalends

> Kalends connects any application to its users' calendars at Google, Microsoft, Apple and any CalDAV server: one OAuth 2.0 flow, one REST interface, signed webhooks. It is self-hosted.
`;

/** Returns a link to the Markdown of every page. `publicUrl` has no trailing slash. */
export function llmsText(pages: readonly DocumentationPage[], publicUrl: string): string {
  const sections = CONTENTS.map(({ name }) => {
    const links = pages
      .filter(({ section }) => section === name)
      .map(({ title, path, summary }) => `- [${title}](${publicUrl}${path}.md): ${summary}`);
    return `## ${name}\n\n${links.join('\n')}\n`;
  });
  const document = `The interface as an OpenAPI document: [openapi.json](${publicUrl}/openapi.json). All pages in one: [llms-full.txt](${publicUrl}/llms-full.txt).\n`;
  return [INTRODUCTION, document, ...sections].join('\n');
}

/** Returns all pages as one Markdown document. */
export const llmsFullText = (pages: readonly DocumentationPage[], publicUrl: string): string =>
  [INTRODUCTION, ...pages.map(({ path, markdown }) => `Source: ${publicUrl}${path}.md\n\n${markdown}`)].join(
    '\n---\n\n',
  );

const STYLE = inlineStyle(BASE_STYLE + readFileSync(new URL('./documentation.css', import.meta.url), 'utf8'));

export type LayoutInput = {
  readonly pages: readonly DocumentationPage[];
  readonly title: string;
  readonly content: Html;
  /** The page that is shown; undefined on the start page and on the results of a search. */
  readonly page?: DocumentationPage;
  /** The address of the same page as Markdown. */
  readonly markdownPath?: string;
  readonly query?: string;
};

export function layout({ pages, title, content, page, markdownPath, query = '' }: LayoutInput): Page {
  const headings = page === undefined || page.hasCodeBeside ? [] : page.headings;
  const body = html`<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs"><img src="${PAGE_ICON}" alt="" width="28" height="28">Kalends documentation</a>
<form role="search" action="/docs/search" method="get">
<label class="unseen" for="q">Search the documentation</label>
<input id="q" name="q" type="search" placeholder="Search" autocomplete="off" maxlength="${MOST_QUERY_CHARACTERS}" value="${query.slice(0, MOST_QUERY_CHARACTERS)}">
<button class="small">Search</button>
</form>
</header>
<div class="columns${page?.hasCodeBeside === true ? ' with-code' : ''}">
<nav class="menu" aria-label="Documentation">
<details class="narrow"><summary>All pages</summary>${menu(pages, page)}</details>
<div class="wide-only">${menu(pages, page)}</div>
</nav>
<main id="content" tabindex="-1">
${content}
${markdownPath !== undefined && html`<p class="as-markdown"><a href="${markdownPath}">This page as Markdown</a></p>`}
</main>
${headings.length > 1 && onThisPage(headings)}
</div>
<p class="unseen" id="end"></p>
${page?.script?.element}
</body>`;
  return buildPage({
    language: 'en',
    direction: 'ltr',
    theme: 'auto',
    title: title === 'Documentation' ? 'Kalends documentation' : `${title} – Kalends documentation`,
    icon: PAGE_ICON,
    styles: [STYLE],
    scripts: page?.script === undefined ? [] : [page.script],
    ...(page?.script && { connects: true }),
    body,
    drawnOnceAt: 'end',
    imageSource: 'data:',
  });
}

const menu = (pages: readonly DocumentationPage[], open: DocumentationPage | undefined): Html =>
  html`${CONTENTS.map(
    ({ name }) => html`<p class="label">${name}</p>
<ul>${pages
      .filter(({ section }) => section === name)
      .map(
        ({ path, title }) =>
          html`<li><a href="${path}"${path === open?.path && html` aria-current="page"`}>${title}</a></li>\n`,
      )}</ul>
`,
  )}`;

const onThisPage = (headings: DocumentationPage['headings']): Html =>
  html`<nav class="on-page" aria-label="On this page"><p class="label">On this page</p>
<ul>${headings.map(
    ({ level, text, anchor }) =>
      html`<li${level > 2 && html` class="deeper"`}><a href="#${anchor}">${plainText(text)}</a></li>\n`,
  )}</ul></nav>`;

/** Renders the start page. `operations` has each operation under its id, so that older links to `/docs#ID` work. */
export const startPage = (
  pages: readonly DocumentationPage[],
  operations: Html,
): Html => html`<h1>Documentation</h1>
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

export function startMarkdown(pages: readonly DocumentationPage[]): string {
  const sections = CONTENTS.map(({ name, purpose }) => {
    const links = pages
      .filter(({ section }) => section === name)
      .map(({ path, title, summary }) => `- [${title}](${path}.md): ${summary}`);
    return `## ${name}\n\n${purpose}\n\n${links.join('\n')}\n`;
  });
  return ['# Documentation\n', ...sections].join('\n');
}

/** Renders search results. A query that is too long is cut off and shown that way. */
export function resultsPage(query: string, results: readonly SearchResult[]): Html {
  const visibleQuery = query.slice(0, MOST_QUERY_CHARACTERS);
  if (visibleQuery.trim() === '')
    return html`<h1>Search</h1><p>Type words into the field above: an operation, a field, a code of an error, a setting.</p>`;
  if (results.length === 0)
    return html`<h1>Nothing found</h1><p>No section has all words of <bdi>“${visibleQuery}”</bdi>. Try fewer or other words, or look through
<a href="/docs">all pages</a>.</p>`;
  return html`<h1>Results for <bdi>“${visibleQuery}”</bdi></h1>
<ol class="results">
${results.map(
  ({
    path,
    pageTitle,
    heading,
    excerpt,
  }) => html`<li><a href="${path}">${heading}</a>${heading !== pageTitle && html` <span class="type">${pageTitle}</span>`}
<p>${excerpt}</p></li>
`,
)}</ol>`;
}

export const missingPage = (): Html => html`<h1>There is no such page</h1>
<p>It may have been moved: search for it above, or look through <a href="/docs">all pages</a>.</p>`;
