/** All pages of the documentation: the guides of this installation, and the reference that is made from the operations. */
import { currentDocument } from '../api-reference/current-document.ts';
import type { OpenApiDocument } from '../api-reference/openapi-document.ts';
import { groupPage, overview, shapesPage } from '../api-reference/reference.page.ts';
import { listReferenceGroups, REFERENCE_PATH, SHAPES_PATH } from '../api-reference/reference-groups.ts';
import { groupMarkdown, overviewMarkdown, shapesMarkdown } from '../api-reference/reference-markdown.ts';
import { CONTENTS } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';
import { type LoadedGuide, loadGuides, servedMarkdown, servedTarget } from './guides.ts';
import { listHeadings } from './headings.ts';
import { markdownPage } from './markdown.page.ts';
import { TRY_IT_SCRIPT, tryItForm } from './try-it.page.ts';

export type Documentation = {
  readonly pages: readonly DocumentationPage[];
  readonly document: OpenApiDocument;
};

/** Loads all pages. `publicUrl` is the origin that examples call. */
export async function loadDocumentation(publicUrl: string): Promise<Documentation> {
  const document = currentDocument(publicUrl);
  const guides = await loadGuides();
  const pages = CONTENTS.flatMap(({ name, guides: listed }) => [
    ...(name === 'Reference' ? referencePages(document) : []),
    ...guides
      .filter(({ file }) => listed.some((guide) => guide.file === file))
      .map((guide) => guidePage(guide, name, guides)),
  ]);
  return { pages, document };
}

function guidePage(
  guide: LoadedGuide,
  section: DocumentationPage['section'],
  guides: readonly LoadedGuide[],
): DocumentationPage {
  const { slug, title, summary, text } = guide;
  return {
    path: `/docs/${slug}`,
    title,
    summary,
    section,
    markdown: servedMarkdown(guide, guides),
    headings: listHeadings(text).filter(({ level }) => level === 2 || level === 3),
    content: () => markdownPage(text, (target) => servedTarget(guide, target, { guides })),
  };
}

function referencePages(document: OpenApiDocument): DocumentationPage[] {
  const page = (
    path: string,
    title: string,
    made: Pick<DocumentationPage, 'markdown' | 'content' | 'summary'>,
  ) => ({
    path,
    title,
    section: 'Reference' as const,
    headings: [],
    ...made,
  });
  return [
    page(REFERENCE_PATH, 'API reference', {
      summary: 'Every operation, and what holds for all of them.',
      markdown: overviewMarkdown(document),
      content: () => overview(document),
    }),
    ...listReferenceGroups(document).map((group) => ({
      ...page(group.address, `API: ${group.name}`, {
        summary: `${group.entries.map(({ operation }) => operation.summary).join('; ')}.`,
        markdown: groupMarkdown(group, document),
        content: () => groupPage(group, document, tryItForm),
      }),
      hasCodeBeside: true,
      script: TRY_IT_SCRIPT,
    })),
    page(SHAPES_PATH, 'API: shapes', {
      summary: 'Every object that requests and answers have, member by member.',
      markdown: shapesMarkdown(document),
      content: () => shapesPage(document),
    }),
  ];
}
