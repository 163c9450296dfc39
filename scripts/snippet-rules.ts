/**
 * Code in documents is run by a test, or its document says why it is not: `<!-- snippet: run by test/x.test.ts -->` or
 * `<!-- snippet: not run, because … -->` on the line before a block, and with `every LANGUAGE snippet` in place of `snippet` at the
 * top of a document for all of its blocks in that language. A block without a language is what something answers, not code.
 */
import type { Problem, TextFile } from './docs-rules.ts';

export type Snippet = {
  readonly document: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The test that runs it, a sentence that says why none does, or undefined. */
  readonly mark: Mark | undefined;
};

export type Mark = { readonly runBy: string } | { readonly notRun: string };

const FENCE = /^( *)```(\w+)\s*$/;
const MARK = /^ *<!-- (snippet|every (\w+) snippet): (?:run by (\S+)|not run, (.{10,})) -->$/;

/** Returns the code blocks of a document, in order. */
export function snippetsOf({ path, text }: TextFile): Snippet[] {
  const lines = text.split('\n');
  const marks = new Map<string, Mark>();
  const snippets: Snippet[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, scope, everyLanguage, runBy, notRun = ''] = MARK.exec(lines[at] ?? '') ?? [];
    const mark = runBy === undefined ? { notRun } : { runBy };
    if (scope !== undefined) marks.set(everyLanguage ?? 'next', mark);
    const [, indent = '', language] = FENCE.exec(lines[at] ?? '') ?? [];
    if (language === undefined) continue;
    const end = lines.findIndex((line, i) => i > at && line.trimEnd() === `${indent}\`\`\``);
    const code = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    const nextMark = isMarked(lines, at) ? marks.get('next') : undefined;
    snippets.push({
      ...{ document: path, line: at + 1, language, code: code.join('\n') },
      mark: nextMark ?? marks.get(language),
    });
    at = end;
  }
  return snippets;
}

/** Returns whether the line before the fence, or the one before an empty line, is its mark. */
const isMarked = (lines: readonly string[], at: number): boolean =>
  [lines[at - 1], lines[at - 1]?.trim() === '' ? lines[at - 2] : undefined].some(
    (line) => line !== undefined && MARK.exec(line)?.[1] === 'snippet',
  );

/**
 * Returns blocks without a mark, and marks whose test does not exist or does not use the document. `read` returns a
 * file of the repository.
 */
export function snippetProblems(
  documents: readonly TextFile[],
  read: (path: string) => string | undefined,
): Problem[] {
  return documents.flatMap(snippetsOf).flatMap(({ document, line, mark }) => {
    const problem = problemOf(mark, document, read);
    return problem === undefined ? [] : [`${document}:${line}: ${problem}`];
  });
}

function problemOf(
  mark: Mark | undefined,
  document: string,
  read: (path: string) => string | undefined,
): string | undefined {
  if (mark === undefined)
    return 'no test runs this code: name the test, or say why there is none (scripts/snippet-rules.ts)';
  if ('notRun' in mark) return undefined;
  const test = read(mark.runBy);
  if (test === undefined) return `${mark.runBy} is not there`;
  const name = document.replace(/^docs\//, '').replace(/^(packages|examples)\/[^/]+\//, '');
  return test.includes(name) ? undefined : `${mark.runBy} does not name ${name}, so it cannot run its code`;
}
