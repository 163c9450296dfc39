/** The document around every documentation page. Only pages with "Try it" have a script. */
import { readFileSync } from 'node:fs';
import { BASE_STYLE, PAGE_ICON } from '../design/parts.page.ts';
import { type Html, html } from '../http/html.ts';
import { buildPage, inlineStyle, type Page } from '../http/page.ts';
import { CONTENTS } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';
import { plainText } from './headings.ts';
import { MOST_QUERY_CHARACTERS } from './search.ts';

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
