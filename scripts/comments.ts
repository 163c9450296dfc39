/** Where the comments of a source file are, and what they say. */

/** A comment, or line comments that follow each other: the line it begins on, and its words on one line. */
export type Comment = { readonly line: number; readonly text: string };

/** Strings and regular expressions are matched because what is in them is no comment; braces, to find where a template goes on. */
const CODE =
  /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<=(?:^|[(,=:[!&|?{};>]|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|[`{}]/g;
const TEMPLATE = /\\[\s\S]|\$\{|`/g;
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
  if (!/\.(css|sql)$/.test(path)) return scriptTokens(text);
  const pattern = path.endsWith('.sql') ? SQL : STYLE;
  return [...text.matchAll(pattern)].map((match) => ({ text: match[0], at: match.index }));
}

/** The text of a template literal is none of the code, and what stands in its braces is. */
function scriptTokens(text: string): Token[] {
  const tokens: Token[] = [];
  const open: string[] = [];
  for (let at = 0; ; ) {
    const inText = open.at(-1) === '`';
    const pattern = inText ? TEMPLATE : CODE;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return tokens;
    at = pattern.lastIndex;
    const [token] = match;
    if (token === (inText ? '`' : '}')) open.pop();
    else if (token === '`' || token === '{' || token === '${') open.push(token);
    else if (!inText) tokens.push({ text: token, at: match.index });
  }
}

/** Without the marks at the beginnings of lines. */
const textOf = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/+|--+|\*+(?=\s|$))/, '').trim())
    .filter((line) => line !== '')
    .join(' ');
