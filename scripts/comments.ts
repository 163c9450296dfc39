/** Where the comments of a source file are, and what they say. */

/** A comment, or line comments that follow each other: the line it begins on, and its words on one line. */
export type Comment = { readonly line: number; readonly text: string };

/** Strings, template literals and regular expressions come first, since what is in them is no comment. */
const SCRIPT =
  /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|(?<=(?:^|[(,=:[!&|?{};>]|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\//g;
const STYLE = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\//g;
const SQL = /'(?:''|[^'])*'|--[^\n]*(?:\n[ \t]*--[^\n]*)*|\/\*[\s\S]*?\*\//g;

/** The comments of a file whose name ends in .ts, .js, .css or .sql, in their order. */
export function commentsOf({ path, text }: { readonly path: string; readonly text: string }): Comment[] {
  const tokens = path.endsWith('.sql') ? SQL : path.endsWith('.css') ? STYLE : SCRIPT;
  return [...text.matchAll(tokens)]
    .filter(([token]) => /^(\/\/|\/\*|--)/.test(token))
    .map(({ 0: token, index }) => ({ line: text.slice(0, index).split('\n').length, text: wordsOf(token) }));
}

/** Without the marks at the beginnings of lines. */
const wordsOf = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/+|--+|\*+(?=\s|$))/, '').trim())
    .filter((line) => line !== '')
    .join(' ');
