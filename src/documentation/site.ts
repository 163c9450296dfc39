/** The served documentation. Each page is created when it is first requested. */
import { operationList } from '../api-reference/reference.page.ts';
import type { Page } from '../http/page.ts';
import { CONTENTS } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';
import { layout } from './layout.page.ts';
import { loadDocumentation } from './load-documentation.ts';
import { search, searchIndex } from './search.ts';
import { missingPage, resultsPage, startMarkdown, startPage } from './start.page.ts';

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
