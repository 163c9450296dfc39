/** All pages of the documentation: the guides of this installation, and the reference that is made from the operations. */

import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { currentDocument } from '../api-reference/current-document.ts';
import type { OpenApiDocument } from '../api-reference/openapi-document.ts';
import { groupPieces, overview, type ReferencePiece, shapePieces } from '../api-reference/reference.page.ts';
import { listReferenceGroups, REFERENCE_PATH, SHAPES_PATH } from '../api-reference/reference-groups.ts';
import { groupMarkdown, overviewMarkdown, shapesMarkdown } from '../api-reference/reference-markdown.ts';
import { html } from '../http/html.ts';
import { errorCode } from '../lib/error-code.ts';
import { CONTENTS, type Guide } from './contents.ts';
import type { DocumentationPage } from './documentation-page.ts';
import { markdownPieces } from './markdown.page.ts';
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
    pieces: () => markdownPieces(text, (target) => servedTarget(guide, target, { guides })),
  };
}

function referencePages(document: OpenApiDocument): DocumentationPage[] {
  const page = (
    path: string,
    title: string,
    content: Pick<DocumentationPage, 'markdown' | 'pieces' | 'summary'>,
  ) => ({ path, title, section: 'Reference' as const, ...content });
  const headed = (title: string, pieces: readonly ReferencePiece[]) => [
    { markup: html`<h1>${title}</h1>\n` },
    ...pieces,
  ];
  return [
    page(REFERENCE_PATH, 'API reference', {
      summary: 'Every operation, and the rules for all of them.',
      markdown: overviewMarkdown(document),
      pieces: () => [{ markup: overview(document) }],
    }),
    ...listReferenceGroups(document).map((group) => ({
      ...page(group.address, `API: ${group.name}`, {
        summary: `${group.entries.map(({ operation }) => operation.summary).join('; ')}.`,
        markdown: groupMarkdown(group, document),
        pieces: () => headed(group.name, groupPieces(group, document, tryItForm)),
      }),
      anchors: new Map(group.entries.map(({ operation }) => [operation.summary, operation.operationId])),
      hasCodeBeside: true,
      script: TRY_IT_SCRIPT,
    })),
    {
      ...page(SHAPES_PATH, 'API: shapes', {
        summary: 'All objects of requests and responses, with their fields.',
        markdown: shapesMarkdown(document),
        pieces: () => headed('Shapes', shapePieces(document)),
      }),
      anchors: new Map(Object.keys(document.components.schemas).map((name) => [name, `schema-${name}`])),
    },
  ];
}

type LoadedGuide = Guide & { readonly text: string };

/** The index of the guides, which is served as the start page. */
const INDEX = 'docs/README.md';
const REFERENCE = 'docs/openapi.json';
const ADMIN_REFERENCE = 'docs/admin-openapi.json';

/** Loads all guides. A guide that the installed package lacks is left out. */
async function loadGuides(): Promise<LoadedGuide[]> {
  const root = path.dirname(findPackageJSON(import.meta.url) ?? '.');
  const guides = CONTENTS.flatMap(({ guides }) => guides);
  const loaded = await Promise.all(
    guides.map(async (guide) => ({ ...guide, text: await readText(path.join(root, guide.file)) })),
  );
  return loaded.flatMap(({ text, ...guide }) => (text === undefined ? [] : [{ ...guide, text }]));
}

/** Marks that name the test of a code example (scripts/snippet-rules.ts). Readers do not see them. */
const SNIPPET_MARK = /^ *<!-- (?:every \w+ )?snippet: .* -->\n/gm;

async function readText(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).replaceAll(SNIPPET_MARK, '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the served target of a guide's link; `undefined` if it is not served. `suffix` is `.md` for Markdown. */
function servedTarget(
  from: Guide,
  target: string,
  { guides, suffix = '' }: { readonly guides: readonly Guide[]; readonly suffix?: string },
): string | undefined {
  if (/^[a-z]+:/.test(target)) return target;
  const [name = '', anchor] = target.split('#');
  const file = name === '' ? from.file : path.posix.join(path.posix.dirname(from.file), name);
  const fragment = anchor === undefined ? '' : `#${anchor}`;
  if (file === REFERENCE) return '/openapi.json';
  if (file === ADMIN_REFERENCE) return '/admin/v1/openapi.json';
  if (file === INDEX) return `/docs${suffix}`;
  const guide = guides.find((one) => one.file === file);
  return guide && `/docs/${guide.slug}${suffix}${fragment}`;
}

const LINK = /(?<code>```[\s\S]*?```|`[^`\n]*`)|\[(?<label>(?:`[^`]*`|[^[\]`])*)\]\((?<target>[^()\s]+)\)/g;

/** Returns the guide as Markdown whose links lead to served Markdown. */
function servedMarkdown(guide: LoadedGuide, guides: readonly Guide[]): string {
  const { text } = guide;
  const pieces: string[] = [];
  let end = 0;
  for (const { 0: whole, index, groups: { code, label = '', target = '' } = {} } of text.matchAll(LINK)) {
    pieces.push(text.slice(end, index));
    end = index + whole.length;
    const place = code === undefined ? servedTarget(guide, target, { guides, suffix: '.md' }) : undefined;
    pieces.push(code ?? (place === undefined ? label : `[${label}](${place})`));
  }
  return [...pieces, text.slice(end)].join('');
}
