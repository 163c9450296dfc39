/** Search through the documentation: sections that have all words of a query, or else some of them, best first. */
import MiniSearch, { type SearchResult as Match, type Query } from 'minisearch';
import type { DocumentationPage } from './documentation-page.ts';
import { anchorMaker, plainText } from './headings.ts';

export type Section = {
  /** The address of its page. */
  readonly path: string;
  readonly pageTitle: string;
  readonly heading: string;
  /** Undefined at the top of a page. */
  readonly anchor: string | undefined;
};

export type SearchResult = Section & {
  /** The text around the first match. */
  readonly excerpt: string;
  /** The next best sections of the same page. */
  readonly others: readonly Section[];
};

type IndexedSection = Section & { readonly id: number; readonly text: string; readonly rank: number };

const MOST_WORDS = 8;
const MOST_PAGES = 20;
const MOST_OTHERS = 2;
const EXCERPT = 180;
export const MOST_QUERY_CHARACTERS = 200;

/** Factors for pages that mention everything but explain little. */
const LESS_RELEVANT: Readonly<Record<string, number>> = {
  '/docs/api/shapes': 0.4,
  '/docs/changes': 0.3,
  '/docs/wire': 0.7,
};
const PROJECT_RANK = 0.4;
const REFERENCE_RANK = 0.6;

const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from how i in is it my of on or the to what when with'.split(' '),
);

/** Words of queries, in their indexed form, that the documentation calls otherwise. The words of a phrase all occur. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  '2fa': ['passkey'],
  auth: ['authorization'],
  docker: ['container'],
  exchang: ['microsoft'],
  gdpr: ['privacy'],
  gmail: ['google'],
  hmac: ['signature'],
  ical: ['ics'],
  k8: ['kubernetes'],
  k8s: ['kubernetes'],
  login: ['sign in'],
  mod: ['scheme', 'theme'],
  mode: ['scheme', 'theme'],
  multipl: ['several'],
  office365: ['microsoft'],
  outlook: ['microsoft'],
  paginat: ['page token'],
  pagination: ['page token'],
  paging: ['page token'],
  permission: ['scope'],
  ratelimit: ['rate limit'],
  reconnect: ['reauth_required'],
  recurr: ['series'],
  rrul: ['recurrence'],
  simulat: ['fault'],
  sso: ['single sign-on'],
  throttl: ['rate limit'],
  timezon: ['time zone'],
  translat: ['language'],
  translation: ['language'],
  tz: ['time zone'],
};

const splitWords = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Returns the indexed form of a word: lower case, without a common ending. */
export function normalizeWord(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length < 4 || /[\d_]/.test(lower)) return lower;
  if (/ies$/.test(lower)) return `${lower.slice(0, -3)}y`;
  const stem = lower.replace(/(?:ing|ed|es|e|s)$/, '');
  return stem.length < 3 ? lower : stem;
}

export type SearchIndex = {
  search(query: string): SearchResult[];
};

/** Indexes all pages, with pauses in which requests are served. */
export async function createSearchIndex(pages: readonly DocumentationPage[]): Promise<SearchIndex> {
  const sections = pages.flatMap(listSections).map((section, id) => ({ ...section, id }));
  const engine = new MiniSearch<IndexedSection>({
    fields: ['heading', 'pageTitle', 'text'],
    // A name such as KALENDS_URL is found as a whole and by its parts.
    tokenize: (text) => splitWords(text).flatMap((word) => [...new Set([word, ...word.split('_')])]),
    processTerm: (term) => (term === '' ? null : normalizeWord(term)),
    searchOptions: {
      tokenize: splitWords,
      boost: { heading: 4, pageTitle: 3 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      maxFuzzy: 2,
      weights: { prefix: 0.5, fuzzy: 0.2 },
      boostDocument: (id) => sections[id]?.rank ?? 1,
    },
  });
  await engine.addAllAsync(sections, { chunkSize: 20 });
  return {
    search(query) {
      const alternatives = splitWords(query.slice(0, MOST_QUERY_CHARACTERS))
        .filter((word) => !STOP_WORDS.has(word.toLowerCase()))
        .slice(0, MOST_WORDS)
        .map(withSynonyms);
      if (alternatives.length === 0) return [];
      const all = engine.search({ combineWith: 'AND', queries: alternatives });
      const matches = all.length > 0 ? all : engine.search({ combineWith: 'OR', queries: alternatives });
      return groupByPage(matches, sections);
    },
  };
}

function withSynonyms(word: string): Query {
  const synonyms = SYNONYMS[normalizeWord(word)] ?? [];
  const phrases = synonyms.map((phrase) => ({ combineWith: 'AND' as const, queries: splitWords(phrase) }));
  return { combineWith: 'OR', queries: [word, ...phrases] };
}

function groupByPage(matches: readonly Match[], sections: readonly IndexedSection[]): SearchResult[] {
  const sectionMatches = matches.flatMap(({ id, terms }) => {
    const section = sections[id];
    return section === undefined ? [] : [{ section, terms }];
  });
  return [...Map.groupBy(sectionMatches, ({ section }) => section.path).values()]
    .slice(0, MOST_PAGES)
    .flatMap(([best, ...others]) => {
      if (best === undefined) return [];
      const { text, ...section } = best.section;
      const excerpt = cutExcerpt(text, best.terms);
      return [{ ...section, excerpt, others: others.slice(0, MOST_OTHERS).map((other) => other.section) }];
    });
}

/** Returns one section for each heading, with the text under it. */
function listSections({ path, title, section, markdown, anchors }: DocumentationPage) {
  const isReference = anchors !== undefined;
  const rank =
    LESS_RELEVANT[path] ?? (section === 'Project' ? PROJECT_RANK : isReference ? REFERENCE_RANK : 1);
  const anchorOf = anchorMaker();
  // In the reference, "Parameters" is no section, examples repeat the names of fields, and errors have their own page.
  const source =
    anchors === undefined
      ? markdown
      : markdown.replace(/^```[\s\S]*?^```|^### Errors\n\n(?:- .*\n)*|^#{3,}(?= )/gm, '');
  return splitSections(source).map(({ heading, text }, index) => {
    const anchor = heading === undefined ? undefined : (anchors?.get(heading) ?? anchorOf(heading));
    return {
      ...{ path, pageTitle: title, rank },
      anchor: index === 0 ? undefined : anchor,
      heading: heading === undefined || index === 0 ? title : plainText(heading),
      text: plainText(text).replace(/\s+/g, ' ').trim(),
    };
  });
}

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

function cutExcerpt(text: string, terms: readonly string[]): string {
  const lowerText = text.toLowerCase();
  const positions = terms.map((term) => lowerText.indexOf(term)).filter((at) => at >= 0);
  const begin = positions.length === 0 ? 0 : Math.max(0, Math.min(...positions) - EXCERPT / 3);
  const from = begin === 0 ? 0 : text.indexOf(' ', begin) + 1;
  const part = text.slice(from, from + EXCERPT);
  return `${from > 0 ? '… ' : ''}${part}${from + EXCERPT < text.length ? ' …' : ''}`;
}
