/** `/docs`: every page by purpose, and every operation. Also search results, and the page for a missing address. */
import { type Html, html } from '../http/html.ts';
import { CONTENTS } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';
import { MOST_QUERY_CHARACTERS, type SearchResult } from './search.ts';

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
