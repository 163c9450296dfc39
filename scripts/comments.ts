/** Where the comments of a source file are, and what they say. */
import { parseSync } from 'oxc-parser';

/** A comment, or line comments that follow each other: the line it begins on, and its words on one line. */
export type Comment = { readonly line: number; readonly text: string };

/** Strings are matched because what is in them is no comment. */
const STYLE = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\//g;
const SQL = /'(?:''|[^'])*'|--[^\n]*(?:\n[ \t]*--[^\n]*)*|\/\*[\s\S]*?\*\//g;

type Token = { readonly text: string; readonly at: number };

/** The comments of a file whose name ends in .ts, .js, .css or .sql, in their order. */
export function commentsOf({ path, text }: { readonly path: string; readonly text: string }): Comment[] {
  const isComment = path.endsWith('.sql') ? /^(--|\/\*)/ : /^(\/\/|\/\*)/;
  return tokensOf(path, text)
    .filter((token) => isComment.test(token.text))
    .map((token) => ({ line: text.slice(0, token.at).split('\n').length, text: textOf(token.text) }));
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

/** Without the marks at the beginnings of lines. */
const textOf = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/+|--+|\*+(?=\s|$))/, '').trim())
    .filter((line) => line !== '')
    .join(' ');
