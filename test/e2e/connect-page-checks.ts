/** What every Connect page is held to, wherever in the flow it stands. Each check answers what is wrong. */
import { readFileSync } from 'node:fs';

import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

import type { Messages } from '../../src/connect/messages/messages.ts';
import { buttonsOf } from './browser.ts';

const CLIENT = readFileSync(new URL('./page-checks.client.js', import.meta.url), 'utf8');
const MOST_BYTES = 60 * 1024;
/** A tenth of what counts as good. */
const MOST_SHIFT = 0.01;
/** The page's own picture may be fetched, in one scheme of colours or the other. */
const LOGO = /^\/connect\/logos\/[0-9a-f]{64}\.webp$/;

/** To be called before the first page is opened. */
export async function prepareChecks(context: BrowserContext): Promise<void> {
  await context.addInitScript(CLIENT);
}

/**
 * A page that stays while documents come and go, with axe in it, which takes three times as long to load
 * as to run. What it is given is the markup and the style of a real page; scripts do not run on it.
 */
export type CheckPage = {
  /** Where the document lies, for the other checks. */
  readonly page: Page;
  /** Shows a document, with what is folded under the text `unfold` open. */
  load(document: CheckedDocument): Promise<void>;
  resize(screen: Screen): Promise<void>;
  /** Rules of axe that the document breaks on this screen, of these or of all with those of best practice, with where. */
  axeProblems(rules?: readonly string[]): Promise<string[]>;
};

type CheckedDocument = {
  readonly url: string;
  readonly markup: string;
  readonly unfold?: string | undefined;
};

export type Screen = { readonly width: number; readonly scheme: 'light' | 'dark' };

/** `context` is nobody else's, of reduced motion: colours that fade in have no contrast yet. */
export async function openCheckPage(context: BrowserContext): Promise<CheckPage> {
  const page = await context.newPage();
  // As our pages are, in no browser's mode for old ones.
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
          // At the end of the page the bar with the ways on covers nothing; further up, what it covers scrolls from under it.
          `scrollTo(0, document.documentElement.scrollHeight); axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))`,
        ),
      );
    },
  };
}

/** Of WCAG 2.2 (2.5.8), which axe leaves out unless it is asked for. */
const TARGET_SIZE = 'target-size';

/** The rules whose answer depends on how a page is drawn: `isDrawnAnew` says where they are asked again. */
export const DRAWN: readonly string[] = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  TARGET_SIZE,
];

/** The styles of a page, and which element stands in which, each with its classes. */
const DRAWING = `(() => {
  const named = (element) => element.localName + '.' + element.className + ' ' + (element.type ?? '');
  const styles = [...document.querySelectorAll('style')].map(({ textContent }) => textContent).join();
  return [styles, ...new Set([...document.body.querySelectorAll(':not(svg *)')].map((one) => named(one.parentElement) + '>' + named(one)))];
})()`;

/** Of pages that were looked at: the elements in each other, by their styles. */
export type Drawn = Map<string, Set<string>>;

/** Whether the page draws what none in `drawn` did, to which it is added. */
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

/** Text that leaves the page or its control, is cut off, or stands on other text. */
export const layoutProblems = async (page: Page): Promise<string[]> => stringsOf(await ask(page, 'layout()'));

/** Text that comes from no catalogue; the page must be in the pseudo-locale `en-XA`. */
export const catalogueProblems = async (page: Page, values: readonly string[]): Promise<string[]> =>
  stringsOf(await ask(page, `outsideCatalogue(${JSON.stringify(values)})`));

/** A page whose markup alone is too heavy, wherever it is shown. */
export function bytesProblems(markup: string): string[] {
  const bytes = Buffer.byteLength(markup);
  return bytes > MOST_BYTES ? [`${bytes} bytes of markup`] : [];
}

const WAYS_ON = ['selection.continue', 'consent.allow', 'selection.done'] as const;

/** A page with two ways on: programs and people know one word for what comes next. */
export function wayProblems(markup: string, messages: Messages): string[] {
  const ways = WAYS_ON.map((key) => messages.text(key)).filter((word) => buttonsOf(markup).includes(word));
  return ways.length > 1 ? [`two ways on: ${ways.join(', ')}`] : [];
}

/** As often as a page is loaded before what moves on it counts: a busy machine may draw one of them in two parts. */
const LOADINGS = 3;

/** A page that is too heavy, asks for more than its logo, or moves each time it is loaded. */
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

/** The answer of the script beside this file. */
const weightOf = async (page: Page) => (await ask(page, 'weight()')) as Weight & { readonly shifted: number };

/** A page in another language or direction than it is to be. */
export async function languageProblems(page: Page, { language, direction }: Messages): Promise<string[]> {
  const facts = await page.evaluate(
    '[document.documentElement.lang, document.documentElement.dir, document.querySelectorAll("title").length, document.querySelectorAll("h1").length].join()',
  );
  // A page is heard by its title and found by its heading: one of each.
  return facts === `${language},${direction},1,1` ? [] : [`lang, dir, titles and headings are ${facts}`];
}

/** Pages that came while scripts were off have not got the checks yet. */
async function ask(page: Page, question: string): Promise<unknown> {
  const answer: unknown = await page.evaluate(`globalThis.pageChecks?.${question}`);
  if (answer !== undefined) return answer;
  await page.evaluate(CLIENT);
  return page.evaluate(`pageChecks.${question}`);
}

const stringsOf = (answer: unknown): string[] => (Array.isArray(answer) ? answer.map(String) : ['no answer']);
