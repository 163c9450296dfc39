/**
 * Rules for documents and comments, as pure functions from texts to problems: every page can be reached, links lead to
 * existing files and headings, and a comment cites only what a reader can find. `check-docs.ts` runs them.
 */
import path from 'node:path';

import { listHeadings } from '../src/documentation/headings.ts';
import { readComments } from './comments.ts';

/** A file: its path from the repository's root, with forward slashes, and its text. */
export type TextFile = { readonly path: string; readonly text: string };

/** A problem names its file first, so that an editor can open it. */
export type Problem = string;

const START = 'README.md';

/** Documents whose headings comments may cite by number. */
const NUMBERED: readonly string[] = ['docs/wire.md', 'docs/security.md'];
const NUMBER = String.raw`[OCT]?\d+(?:\.\d+)*`;
/** A path, an anchor, or numbers: `docs/wire.md 1.8 to 1.10, O4.1`. */
const CITATION = new RegExp(
  String.raw`docs/([\w/-]+\.\w+)(?:#([\w-]+))?((?: ${NUMBER}\b)(?:(?:,| to| and|, and) ${NUMBER}\b)*)?`,
  'g',
);

/** Citations that nobody outside could follow, and what stands in their place. */
const UNREADABLE: readonly (readonly [form: RegExp, instead: string])[] = [
  [/(?<![\w/-])wire \(?C?\d+(?:\.\d+)*/gi, 'docs/wire.md and the number'],
  [/\brequirement,? \(?§\d+(?:\.\d+)*/gi, 'docs/wire.md and the number, with O before it'],
  [/\bthreats?,? T\d+/gi, 'docs/security.md and the number'],
  [/\blessons?,? \d+/gi, 'the reason itself'],
  [/\(k\)/g, '"unconfirmed"'],
];

/** Pages under docs/ that no chain of links from README.md leads to. `documents` are all there are. */
export function unreachablePages(documents: readonly TextFile[]): Problem[] {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const reached = new Set<string>();
  const visit = (name: string): void => {
    const document = byPath.get(name);
    if (document === undefined || reached.has(name)) return;
    reached.add(name);
    for (const { file } of linksOf(document)) visit(file);
  };
  visit(START);
  return documents
    .filter((document) => document.path.startsWith('docs/') && !reached.has(document.path))
    .map((document) => `${document.path}: no link from ${START} leads here`);
}

/** Relative links to files that are not there (`exists` is asked) and to anchors that no heading makes. */
export function brokenLinks(documents: readonly TextFile[], exists: (path: string) => boolean): Problem[] {
  const texts = new Map(documents.map((document) => [document.path, document.text]));
  return documents.flatMap((document) =>
    linksOf(document).flatMap(({ link, file, anchor }) => {
      const text = texts.get(file);
      if (text === undefined && !exists(file)) return [`${document.path}: ${link} leads nowhere`];
      const hasAnchor = anchor === undefined || (text !== undefined && anchorsOf(text).includes(anchor));
      return hasAnchor ? [] : [`${document.path}: ${link} names no heading of ${file}`];
    }),
  );
}

/** A file or folder of the repository that a document names; with KIND, a pattern or a brace in it it is none. */
const NAMED_PATH = /`((?:src|test|sandbox|scripts|bench|packages)\/[\w./-]+)`/g;

/** Files and folders that documents name and that are not there (`exists` is asked). */
export function missingPaths(documents: readonly TextFile[], exists: (path: string) => boolean): Problem[] {
  return documents.flatMap(({ path: from, text }) =>
    [...text.matchAll(NAMED_PATH)].flatMap(([, name = '']) =>
      name.includes('KIND') || exists(name) ? [] : [`${from}: ${name} is not there`],
    ),
  );
}

/** Citations in the comments of `sources` that lead to no page, heading or number, or that cannot be followed. */
export function unfollowedCitations(sources: readonly TextFile[], documents: readonly TextFile[]): Problem[] {
  const texts = new Map(documents.map((document) => [document.path, document.text]));
  return sources.flatMap((source) =>
    readComments(source).flatMap(({ line, lines }) => {
      const text = lines.filter((part) => part !== '').join(' ');
      return [...citationProblems(text, texts), ...unreadableForms(text)].map(
        (problem) => `${source.path}:${line}: ${problem}`,
      );
    }),
  );
}

function citationProblems(comment: string, texts: ReadonlyMap<string, string>): string[] {
  return [...comment.matchAll(CITATION)].flatMap(([, name = '', anchor, numbers = '']) => {
    const file = `docs/${name}`;
    const text = texts.get(file);
    if (text === undefined) return [`cites ${file}, which is not there`];
    if (anchor !== undefined) {
      return anchorsOf(text).includes(anchor) ? [] : [`cites ${file}#${anchor}, which is no heading`];
    }
    if (!NUMBERED.includes(file)) return [];
    const numbersThere = listNumbers(text);
    const cited = [...numbers.matchAll(new RegExp(NUMBER, 'g'))].map(([number]) => number);
    return cited
      .filter((number) => !numbersThere.has(number))
      .map((number) => `cites ${file} ${number}, which is no heading`);
  });
}

function unreadableForms(comment: string): string[] {
  return UNREADABLE.flatMap(([form, instead]) =>
    [...comment.matchAll(form)].map(
      ([citation]) => `cites "${citation}", which nobody can follow: write ${instead}`,
    ),
  );
}

type Link = { readonly link: string; readonly file: string; readonly anchor: string | undefined };

/** The relative links of a document, each to a path from the root. Code is no link. */
function linksOf({ path: from, text }: TextFile): Link[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = '', anchor] = link.split('#');
      return { link, file: file === '' ? from : path.posix.join(path.posix.dirname(from), file), anchor };
    });
}

const anchorsOf = (text: string): string[] => listHeadings(text).map(({ anchor }) => anchor);

/** The numbers that headings begin with: `### 1.7 GET /events`, `### T3 …`. */
function listNumbers(text: string): ReadonlySet<string> {
  const numbers = listHeadings(text).map(
    ({ text: heading }) => new RegExp(`^${NUMBER}(?= )`).exec(heading)?.[0],
  );
  return new Set(numbers.filter((number) => number !== undefined));
}

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
