/** Search through the documentation: the sections in which every word of the query occurs, the best ones first. */
import type { DocumentationPage } from './documentation-page.ts';
import { anchorMaker, plainText } from './headings.ts';

export type SearchResult = {
  readonly path: string;
  readonly pageTitle: string;
  readonly heading: string;
  /** The text around the first match. */
  readonly excerpt: string;
};

type IndexedSection = {
  readonly path: string;
  readonly pageTitle: string;
  readonly heading: string;
  readonly text: string;
  readonly lowerText: string;
  readonly lowerHeading: string;
};

export type SearchIndex = readonly IndexedSection[];

const MOST_WORDS = 8;
const MOST_RESULTS = 30;
const EXCERPT = 180;
/** The score of a word in a heading. A word in the text scores 1, for at most ten occurrences. */
const IN_HEADING = 20;
const MOST_OCCURRENCES = 10;

export const MOST_QUERY_CHARACTERS = 200;

/** Returns one section for each heading, with the text under it. */
export const searchIndex = (pages: readonly DocumentationPage[]): SearchIndex =>
  pages.flatMap(({ path, title, markdown }) => {
    const anchorOf = anchorMaker();
    return splitSections(markdown).map(({ heading, text }, i) => {
      const anchor = heading === undefined ? '' : anchorOf(heading);
      const sectionTitle = heading === undefined || i === 0 ? title : plainText(heading);
      const plain = plainText(text).replace(/\s+/g, ' ').trim();
      return {
        path: i === 0 ? path : `${path}#${anchor}`,
        pageTitle: title,
        heading: sectionTitle,
        text: plain,
        lowerText: plain.toLowerCase(),
        lowerHeading: `${sectionTitle} ${i === 0 ? title : ''}`.toLowerCase(),
      };
    });
  });

function splitSections(markdown: string): { heading: string | undefined; text: string }[] {
  const sections: { heading: string | undefined; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (/^ *```/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading !== undefined || sections.length === 0) sections.push({ heading, lines: [] });
    if (heading === undefined) sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ heading, lines }) => ({ heading, text: lines.join('\n') }));
}

/** Returns the words of a query in their normalized form. */
export const splitWords = (query: string): string[] =>
  query
    .slice(0, MOST_QUERY_CHARACTERS)
    .toLowerCase()
    .split(/[^\p{L}\p{N}_./-]+/u)
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS);

export function search(index: SearchIndex, query: string): SearchResult[] {
  const terms = splitWords(query);
  if (terms.length === 0) return [];
  return index
    .map((section) => ({ section, score: scoreSection(section, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
    .map(({ section: { path, pageTitle, heading, text, lowerText } }) => ({
      path,
      pageTitle,
      heading,
      excerpt: cutExcerpt(text, lowerText, terms),
    }));
}

/** Returns 0 if a word does not occur. */
function scoreSection({ lowerText, lowerHeading }: IndexedSection, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const occurrences = Math.min(lowerText.split(word).length - 1, MOST_OCCURRENCES);
    const wordScore = occurrences + (lowerHeading.includes(word) ? IN_HEADING : 0);
    if (wordScore === 0) return 0;
    score += wordScore;
  }
  return score;
}

function cutExcerpt(text: string, lowerText: string, words: readonly string[]): string {
  const positions = words.map((word) => lowerText.indexOf(word)).filter((at) => at >= 0);
  const begin = positions.length === 0 ? 0 : Math.max(0, Math.min(...positions) - EXCERPT / 3);
  const from = begin === 0 ? 0 : text.indexOf(' ', begin) + 1;
  const part = text.slice(from, from + EXCERPT);
  return `${from > 0 ? '… ' : ''}${part}${from + EXCERPT < text.length ? ' …' : ''}`;
}
