/** The headings of a Markdown document and the anchors that GitHub makes of them, so that one link leads there in both places. */

export type Heading = { readonly level: number; readonly text: string; readonly anchor: string };

/** Gives out anchors for one document: of equal headings the later are numbered. */
export function anchorMaker(): (heading: string) => string {
  const uses = new Map<string, number>();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = uses.get(anchor) ?? 0;
    uses.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

/** In their order. A line in a block of code is none. */
export function headingsOf(markdown: string): Heading[] {
  const anchorOf = anchorMaker();
  return [...withoutFences(markdown).matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks = '', text = '']) => ({
    level: marks.length,
    text,
    anchor: anchorOf(text),
  }));
}

/** The same text without its blocks of code. */
const withoutFences = (markdown: string): string => markdown.replace(/^ *```[\s\S]*?^ *```/gm, '');

/** Returns Markdown as text without marks, for lists of headings and for search. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`|<br>|\\(?=[|*_])/g, '')
    .replace(/(?<!\S)\*(\S[^*]*)\*/g, '$1');
