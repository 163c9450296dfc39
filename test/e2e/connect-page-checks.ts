/** Checks for every Connect page, wherever it is in the flow. Each check returns the problems that it finds. */
import { readFileSync } from 'node:fs';

import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

import type { Messages } from '../../src/connect/messages/messages.ts';
import { buttonsOf } from './browser.ts';

const CLIENT = readFileSync(new URL('./page-checks.client.js', import.meta.url), 'utf8');
const MOST_BYTES = 60 * 1024;
/** A tenth of the layout shift that counts as good. */
const MOST_SHIFT = 0.01;
/** The page's own logo may be fetched, in one color scheme or the other. */
const LOGO = /^\/connect\/logos\/[0-9a-f]{64}\.webp$/;

/** Prepares a context; must be called before its first page is opened. */
export async function prepareChecks(context: BrowserContext): Promise<void> {
  await context.addInitScript(CLIENT);
}

/**
 * A page that stays open while documents are replaced. It contains axe, which takes three times as long to load as to
 * run. It shows the markup and style of a real page without running its scripts.
 */
export type CheckPage = {
  /** The page with the document, for the other checks. */
  readonly page: Page;
  /** Shows a document and opens the first `details` that the selector `unfold` matches. */
  load(document: CheckedDocument): Promise<void>;
  resize(screen: Screen): Promise<void>;
  /**
   * Returns the rules of axe that the document breaks on this screen, and where: `rules`, or all including best
   * practices.
   */
  axeProblems(rules?: readonly string[]): Promise<string[]>;
};

type CheckedDocument = {
  readonly url: string;
  readonly markup: string;
  readonly unfold?: string | undefined;
};

export type Screen = { readonly width: number; readonly scheme: 'light' | 'dark' };

/** Opens a check page. `context` must be unshared and have reduced motion: colors that fade in have no contrast yet. */
export async function openCheckPage(context: BrowserContext): Promise<CheckPage> {
  const page = await context.newPage();
  // Standards mode, like Kalends' pages.
  await page.setContent('<!doctype html><title>Desk</title>');
  await page.evaluate(axe.source);
  await page.evaluate(CLIENT);
  return {
    page,
    async load({ url, markup, unfold }) {
      const base = `<base href="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`;
      const values = [markup.replace('<head>', `<head>${base}`), unfold ?? null];
      await page.evaluate(`pageChecks.lay(...${JSON.stringify(values)})`);
    },
    resize: (screen) => lookAt(page, screen),
    axeProblems: async (rules) => {
      const options = {
        ...{ resultTypes: ['violations'], preload: false, selectors: false },
        ...(rules ? { runOnly: rules } : { rules: { [TARGET_SIZE]: { enabled: true } } }),
      };
      return stringsOf(
        await page.evaluate(
          // At the end of the page the bar of actions covers nothing; further up, covered content scrolls out from
          // under it.
          `scrollTo(0, document.documentElement.scrollHeight); axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))`,
        ),
      );
    },
  };
}

/** A rule for WCAG 2.2 (2.5.8) that axe skips by default. */
const TARGET_SIZE = 'target-size';

/** Rules whose result depends on how a page is drawn: `isDrawnAnew` decides when they run again. */
export const DRAWN: readonly string[] = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  TARGET_SIZE,
];

/** Returns the styles of a page, and each pair of nested elements with their classes. */
const DRAWING = `(() => {
  const named = (element) => element.localName + '.' + element.className + ' ' + (element.type ?? '');
  const styles = [...document.querySelectorAll('style')].map(({ textContent }) => textContent).join();
  return [styles, ...new Set([...document.body.querySelectorAll(':not(svg *)')].map((one) => named(one.parentElement) + '>' + named(one)))];
})()`;

/** The nested elements of pages that were checked, by the styles of the page. */
export type Drawn = Map<string, Set<string>>;

/** Reports whether the page draws nested elements that are not in `drawn`, and adds them to it. */
export async function isDrawnAnew(page: Page, drawn: Drawn): Promise<boolean> {
  const [styles = '', ...nestings] = stringsOf(await page.evaluate(DRAWING));
  const known = drawn.get(styles) ?? new Set();
  drawn.set(styles, known);
  const isNew = nestings.some((one) => !known.has(one));
  for (const one of nestings) known.add(one);
  return isNew;
}

export async function lookAt(page: Page, { width, scheme }: Screen): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme });
}

/** Returns text that leaves the page or its control, is cut off, or overlaps other text. */
export const layoutProblems = async (page: Page): Promise<string[]> => stringsOf(await ask(page, 'layout()'));

/** Returns text that comes from no catalogue; the page must be in the pseudo-locale `en-XA`. */
export const catalogueProblems = async (page: Page, values: readonly string[]): Promise<string[]> =>
  stringsOf(await ask(page, `outsideCatalogue(${JSON.stringify(values)})`));

/** Returns a problem if the page's markup alone is too large. */
export function bytesProblems(markup: string): string[] {
  const bytes = Buffer.byteLength(markup);
  return bytes > MOST_BYTES ? [`${bytes} bytes of markup`] : [];
}

const WAYS_ON = ['selection.continue', 'consent.allow', 'selection.done'] as const;

/** Returns a problem if a page has two main actions: programs and people look for one name. */
export function wayProblems(markup: string, messages: Messages): string[] {
  const ways = WAYS_ON.map((key) => messages.text(key)).filter((word) => buttonsOf(markup).includes(word));
  return ways.length > 1 ? [`two ways on: ${ways.join(', ')}`] : [];
}

/** A page has a problem only if it moves in this many loadings: a busy machine may draw one of them in two parts. */
const LOADINGS = 3;

/** Returns a problem if a page is too heavy, requests more than its logo, or moves each time it is loaded. */
export async function loadingProblems(page: Page, load: () => Promise<void>): Promise<string[]> {
  let moves: string[] = [];
  for (let loading = 1; loading <= LOADINGS; loading += 1) {
    await load();
    const { shifted, ...weight } = await weightOf(page);
    const problems = weightProblems(new URL(page.url()).origin, weight);
    if (problems.length > 0) return problems;
    if (shifted <= MOST_SHIFT) return [];
    moves = [...moves, `moved by ${shifted}`];
  }
  return moves;
}

type Weight = { readonly bytes: number; readonly requests: readonly string[] };

function weightProblems(origin: string, { bytes, requests }: Weight): string[] {
  const foreign = requests.filter(
    (url) => new URL(url).origin !== origin || !LOGO.test(new URL(url).pathname),
  );
  return [
    ...(bytes > MOST_BYTES ? [`${bytes} bytes`] : []),
    ...(bytes === 0 ? ['the browser does not say how heavy it is'] : []),
    ...(requests.length > 1 ? [`${requests.length} requests beside its own`] : []),
    ...foreign.map((url) => `asks for ${url}`),
  ];
}

/** Returns the result of the script beside this file. */
const weightOf = async (page: Page) => (await ask(page, 'weight()')) as Weight & { readonly shifted: number };

/** Returns a problem if a page has another language or direction than expected. */
export async function languageProblems(page: Page, { language, direction }: Messages): Promise<string[]> {
  const facts = await page.evaluate(
    '[document.documentElement.lang, document.documentElement.dir, document.querySelectorAll("title").length, document.querySelectorAll("h1").length].join()',
  );
  // Screen readers announce a page by its title and find it by its heading: there must be one of each.
  return facts === `${language},${direction},1,1` ? [] : [`lang, dir, titles and headings are ${facts}`];
}

/** Pages that were opened while scripts were off do not have the checks yet. */
async function ask(page: Page, question: string): Promise<unknown> {
  const answer: unknown = await page.evaluate(`globalThis.pageChecks?.${question}`);
  if (answer !== undefined) return answer;
  await page.evaluate(CLIENT);
  return page.evaluate(`pageChecks.${question}`);
}

const stringsOf = (answer: unknown): string[] => (Array.isArray(answer) ? answer.map(String) : ['no answer']);
