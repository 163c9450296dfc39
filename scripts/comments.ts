/** Finds the comments of a source file. */
import { parseSync } from 'oxc-parser';

/** A comment, or line comments that follow each other. `line` is that of its beginning, `lines` have no markers. */
export type Comment = { readonly line: number; readonly lines: readonly string[] };

/** Strings are matched because what is in them is no comment. */
const STYLE = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\//g;
const SQL = /'(?:''|[^'])*'|--[^\n]*(?:\n[ \t]*--[^\n]*)*|\/\*[\s\S]*?\*\//g;

type Token = { readonly text: string; readonly at: number };

/** Returns the comments of a file whose name ends in .ts, .js, .css or .sql, in their order. */
export function readComments({ path, text }: { readonly path: string; readonly text: string }): Comment[] {
  const isComment = path.endsWith('.sql') ? /^(--|\/\*)/ : /^(\/\/|\/\*)/;
  return tokensOf(path, text)
    .filter((token) => isComment.test(token.text))
    .map((token) => ({ line: text.slice(0, token.at).split('\n').length, lines: splitLines(token.text) }));
}

function tokensOf(path: string, text: string): Token[] {
  if (!/\.(css|sql)$/.test(path)) return scriptComments(path, text);
  const pattern = path.endsWith('.sql') ? SQL : STYLE;
  return [...text.matchAll(pattern)].map((match) => ({ text: match[0], at: match.index }));
}

/** Line comments of which each begins the line after the one before are one comment. */
function scriptComments(path: string, text: string): Token[] {
  const joined: { start: number; end: number; isLine: boolean }[] = [];
  for (const { type, start, end } of parseSync(path, text).comments) {
    const before = joined.at(-1);
    const follows = before?.isLine && type === 'Line' && /^\r?\n[ \t]*$/.test(text.slice(before.end, start));
    if (follows) before.end = end;
    else joined.push({ start, end, isLine: type === 'Line' });
  }
  return joined.map(({ start, end }) => ({ text: text.slice(start, end), at: start }));
}

/** Returns the trimmed lines of a comment without the markers at their beginning. */
const splitLines = (comment: string): string[] =>
  comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/+|--+|\*+(?=\s|$))/, '').trim());
