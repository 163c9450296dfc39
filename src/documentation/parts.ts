/** Divides long pages into parts, so that no page of the documentation has more than 60 KB. */
import type { Html } from '../http/html.ts';
import type { Heading } from './headings.ts';

/** A piece of a page that stays whole: an element with its heading, if it is or begins with one. */
export type Piece = { readonly markup: Html; readonly heading?: Heading };

/** A page that fits. A short page has one part. */
export type Part = {
  readonly pieces: readonly Piece[];
  /** The heading of level 2 whose text continues from the part before. */
  readonly continued: Heading | undefined;
};

/** Characters of markup in a part. Style, menu and the links to other parts need the rest of the 60 KB. */
const MOST_CHARACTERS = 25_000;
/** Characters of a title: no part has only that. */
const TITLE = 500;

/** Divides a page. A section moves to the next part as a whole if it fits there. */
export function divide(pieces: readonly Piece[]): readonly Part[] {
  const parts: { pieces: Piece[]; continued: Heading | undefined }[] = [{ pieces: [], continued: undefined }];
  let size = 0;
  let section: Heading | undefined;
  pieces.forEach((piece, index) => {
    const unit = sectionSize(pieces, index);
    const isWhole = unit <= MOST_CHARACTERS || unit === piece.markup.markup.length;
    if (size + unit > MOST_CHARACTERS && size > (isWhole ? TITLE : MOST_CHARACTERS / 2)) {
      parts.push({ pieces: [], continued: piece.heading?.level === 2 ? undefined : section });
      size = 0;
    }
    if (piece.heading?.level === 2) section = piece.heading;
    parts.at(-1)?.pieces.push(piece);
    size += piece.markup.markup.length;
  });
  return parts;
}

/** Returns the characters of a piece; for a heading, those of its section. */
function sectionSize(pieces: readonly Piece[], start: number): number {
  const level = pieces[start]?.heading?.level;
  const isEnd = ({ heading }: Piece, index: number) =>
    index > start && (level === undefined || (heading !== undefined && heading.level <= level));
  const end = pieces.findIndex(isEnd);
  const section = pieces.slice(start, end < 0 ? undefined : end);
  return section.reduce((sum, { markup }) => sum + markup.markup.length, 0);
}

export const headingsOf = ({ pieces }: Part): Heading[] =>
  pieces.flatMap(({ heading }) => (heading === undefined ? [] : [heading]));

/** Returns the address of a part; `index` counts from 0. */
export const partPath = (path: string, index: number): string =>
  index === 0 ? path : `${path}/${index + 1}`;
