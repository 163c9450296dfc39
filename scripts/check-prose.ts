/**
 * Finds text that reads like a translation: `node scripts/check-prose.ts`, part of `npm run check`. It fails if a kind of
 * text has more findings than recorded. `npm run check -- --prose PART` lists the findings of files whose path contains
 * PART.
 */
import { listChangedFiles } from './changed-files.ts';
import { readComments } from './comments.ts';
import type { TextFile } from './docs-rules.ts';
import { LIMITS } from './limits.ts';
import { adviseOnName, adviseOnText } from './prose-rules.ts';
import { DOCUMENTS, listFiles, SOURCES } from './text-files.ts';

type Kind = keyof typeof LIMITS.prose;
/** `line` counts from 1. */
type Passage = { readonly kind: Kind; readonly line: number; readonly text: string };
export type Finding = Passage & { readonly path: string; readonly advice: string };

const EXAMPLES = 'examples/**/*.{js,ts}';
const CATALOGS = 'src/**/messages/{,locales/}en.json';
/** The changelog is history. The other pages repeat texts that are checked in the code. */
const UNREAD =
  /(^|\/)(fixtures|generated)\/|^CHANGELOG|^docs\/(cli|configuration|log-events|conformance|conformance-fapi2|asvs)\.md/;
/** Lines of a comment that are no prose: quotations, directives and addresses. */
const NOT_PROSE = /^$|^>|biome-ignore|@ts-|https?:/;
const TITLE = /\b(?:it|describe)(?:\.\w+)?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const STRING = /(['"`])((?:(?!\1)[^\\\n]|\\.){12,}?)\1/g;
const MESSAGE = /^ *("[^"]+"): "(.*)",?$/gm;
const DECLARATION =
  /^ *(?:export )?(?:default )?(?:for (?:await )?\()?(?:async )?(const|let|function\*?|type|class|interface) (\w+)(.*)$/gm;

/** Returns the findings of a document, a source or an English catalog of messages. */
export function findProse(file: TextFile): Finding[] {
  if (UNREAD.test(file.path)) return [];
  const texts = readPassages(file).flatMap((passage) => {
    const advice = adviseOnText(passage.text, passage.kind === 'comments' || passage.kind === 'titles');
    return advice === undefined ? [] : [{ ...passage, path: file.path, advice }];
  });
  return [...texts, ...findNames(file)];
}

function readPassages(file: TextFile): Passage[] {
  const { path, text } = file;
  if (path.endsWith('.json')) return readMatches(text, 'catalogs', MESSAGE);
  if (path.endsWith('.md')) return readDocument(text);
  const comments = readComments(file).flatMap(({ line, lines }) =>
    joinLines(lines.map((part) => (NOT_PROSE.test(part) ? '' : part))).map((part) => ({
      kind: 'comments' as const,
      line: line + part.line - 1,
      text: part.text,
    })),
  );
  const isCommand = /^src\/cli\/.*(?<!\.test)\.ts$/.test(path);
  const code = isCommand ? text.replace(/^ *(\/\*|\*|\/\/).*$/gm, '') : '';
  const strings = readMatches(code, 'commands', STRING).filter((string) => /\w \w+/.test(string.text));
  return [...comments, ...readMatches(text, 'titles', TITLE), ...strings];
}

/** Returns the paragraphs, list items and table cells of a Markdown page, without code. */
function readDocument(text: string): Passage[] {
  const lines = text.replace(/^\s*```[\s\S]*?^\s*```/gm, (code) => code.replace(/.*/g, '')).split('\n');
  const cells = lines.flatMap((row, i) =>
    row.startsWith('|') ? row.split('|').map((cell) => ({ line: i + 1, text: cell.trim() })) : [],
  );
  const paragraphs = joinLines(lines.map((line) => (/^\s*[<#|]/.test(line) ? '' : line.trim())));
  return [...paragraphs, ...cells].map((part) => ({ kind: 'documents', ...part }));
}

/** Joins neighboring lines. An empty line ends a paragraph, and an item of a list starts one. */
function joinLines(lines: readonly string[]): { readonly line: number; readonly text: string }[] {
  const paragraphs: { line: number; text: string }[] = [];
  lines.forEach((text, i) => {
    const last = paragraphs.at(-1);
    const continues = i > 0 && lines[i - 1] !== '' && !/^([-*>]|\d+\.) /.test(text);
    if (text === '') return;
    if (continues && last !== undefined) last.text += ` ${text}`;
    else paragraphs.push({ line: i + 1, text });
  });
  return paragraphs;
}

/** Returns the second group of each match of `pattern`. */
function readMatches(text: string, kind: Kind, pattern: RegExp): Passage[] {
  return [...text.matchAll(pattern)].map((match) => ({
    kind,
    line: countLines(text, match.index),
    text: match[2] ?? '',
  }));
}

function findNames({ path, text }: TextFile): Finding[] {
  if (!/^(src|sandbox|packages|scripts)\/.*\.[jt]s$/.test(path)) return [];
  return [...text.matchAll(DECLARATION)].flatMap(({ index, 1: keyword = '', 2: name = '', 3: rest = '' }) => {
    const advice = adviseOnName(keyword, name, rest);
    return advice === undefined
      ? []
      : [{ kind: 'names' as const, path, line: countLines(text, index), text: name, advice }];
  });
}

/** Returns the number of lines of `text` up to `index`. */
const countLines = (text: string, index: number): number => text.slice(0, index).split('\n').length;

const print = (findings: readonly Finding[]): void => {
  for (const { path, line, kind, text, advice } of findings)
    console.log(`${path}:${line}: ${kind}: ${advice}: ${text}`);
};

if (import.meta.main) {
  const findings = listFiles([...DOCUMENTS, SOURCES, EXAMPLES, CATALOGS]).flatMap(findProse);
  const option = process.argv.indexOf('--prose');
  if (option >= 0) print(findings.filter(({ path }) => path.includes(process.argv[option + 1] ?? '')));
  else process.exitCode = checkCounts(findings) ? 0 : 1;
}

/** Prints the count of each kind, and the findings in changed files if a count is too high. Returns whether none is. */
function checkCounts(findings: readonly Finding[]): boolean {
  const byKind = Map.groupBy(findings, ({ kind }) => kind);
  const changed = listChangedFiles();
  let isPassed = true;
  for (const [kind, most] of Object.entries(LIMITS.prose)) {
    const ofKind = byKind.get(kind as Kind) ?? [];
    console.log(`${kind}: ${ofKind.length} findings, at most ${most}`);
    if (ofKind.length <= most) continue;
    isPassed = false;
    print(ofKind.filter(({ path }) => changed.includes(path)));
  }
  if (!isPassed)
    console.log('`npm run check -- --prose PART` lists the findings of files whose path contains PART.');
  return isPassed;
}
