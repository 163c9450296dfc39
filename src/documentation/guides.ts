/** The guides of this installation: their texts, and the served targets of their links. */
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';

import { errorCode } from '../lib/error-code.ts';
import { CONTENTS, type Guide } from './contents.ts';

export type LoadedGuide = Guide & { readonly text: string };

/** The index of the guides, which is served as the start page. */
const INDEX = 'docs/README.md';
const REFERENCE = 'docs/openapi.json';

/** Loads all guides. A guide that the installed package lacks is left out. */
export async function loadGuides(): Promise<LoadedGuide[]> {
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
export function servedTarget(
  from: Guide,
  target: string,
  { guides, suffix = '' }: { readonly guides: readonly Guide[]; readonly suffix?: string },
): string | undefined {
  if (/^[a-z]+:/.test(target)) return target;
  const [name = '', anchor] = target.split('#');
  const file = name === '' ? from.file : path.posix.join(path.posix.dirname(from.file), name);
  const fragment = anchor === undefined ? '' : `#${anchor}`;
  if (file === REFERENCE) return '/openapi.json';
  if (file === INDEX) return `/docs${suffix}`;
  const guide = guides.find((one) => one.file === file);
  return guide && `/docs/${guide.slug}${suffix}${fragment}`;
}

const LINK = /(?<code>```[\s\S]*?```|`[^`\n]*`)|\[(?<label>(?:`[^`]*`|[^[\]`])*)\]\((?<target>[^()\s]+)\)/g;

/** Returns the guide as Markdown whose links lead to served Markdown. */
export function servedMarkdown(guide: LoadedGuide, guides: readonly Guide[]): string {
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
