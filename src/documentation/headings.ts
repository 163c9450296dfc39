/** The headings of a Markdown document, with the anchors that GitHub creates for them. */

export type Heading = { readonly level: number; readonly text: string; readonly anchor: string };

/** Returns a function that creates the anchors of one document and numbers repeated ones. */
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

/** Returns the headings in order, without lines in code blocks. */
export function listHeadings(markdown: string): Heading[] {
  const anchorOf = anchorMaker();
  return [...withoutFences(markdown).matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks = '', text = '']) => ({
    level: marks.length,
    text,
    anchor: anchorOf(text),
  }));
}

const withoutFences = (markdown: string): string => markdown.replace(/^ *```[\s\S]*?^ *```/gm, '');

/** Returns Markdown as text without marks, for lists of headings and for search. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`|<br>|\\(?=[|*_])/g, '')
    .replace(/(?<!\S)\*(\S[^*]*)\*/g, '$1');
