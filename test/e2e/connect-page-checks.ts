/** What every Connect page is held to, wherever in the flow it stands. Each check answers what is wrong. */
import { readFileSync } from 'node:fs';

import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

import type { Messages } from '../../src/connect/messages/messages.ts';

const CLIENT = readFileSync(new URL('./page-checks.client.js', import.meta.url), 'utf8');
const MOST_BYTES = 60 * 1024;
/** A tenth of what counts as good: on a busy machine a letter may be drawn a pixel off before its line is whole. */
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
export type Desk = {
  /** Where the document lies, for the other checks. */
  readonly page: Page;
  /** Lays a document on the desk, with what is folded under the words `unfold` open. */
  take(document: DeskDocument): Promise<void>;
  look(look: Look): Promise<void>;
  /** Rules of axe that the document breaks as it is looked at, those of best practice too, with where. */
  axeProblems(): Promise<string[]>;
};

export type DeskDocument = {
  readonly url: string;
  readonly markup: string;
  readonly unfold?: string | undefined;
};

export type Look = { readonly width: number; readonly scheme: 'light' | 'dark' };

/** `context` is nobody else's, of reduced motion: colours that fade in have no contrast yet. */
export async function openDesk(context: BrowserContext): Promise<Desk> {
  const page = await context.newPage();
  // As our pages are, in no browser's mode for old ones.
  await page.setContent('<!doctype html><title>Desk</title>');
  await page.evaluate(axe.source);
  await page.evaluate(CLIENT);
  return {
    page,
    async take({ url, markup, unfold }) {
      const base = `<base href="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`;
      const given = [markup.replace('<head>', `<head>${base}`), unfold ?? null];
      await page.evaluate(`pageChecks.lay(...${JSON.stringify(given)})`);
    },
    look: (look) => lookAt(page, look),
    axeProblems: async () =>
      stringsOf(
        await page.evaluate(
          'axe.run({ resultTypes: ["violations"], preload: false, selectors: false }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
        ),
      ),
  };
}

export async function lookAt(page: Page, { width, scheme }: Look): Promise<void> {
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

/** A page that is too heavy, asks for more than its logo, or moved while it was built up. */
export async function weightProblems(page: Page): Promise<string[]> {
  // The answer of the script beside this file.
  const { bytes, requests, shifted } = (await ask(page, 'weight()')) as {
    bytes: number;
    requests: string[];
    shifted: number;
  };
  const { origin } = new URL(page.url());
  const foreign = requests.filter(
    (url) => new URL(url).origin !== origin || !LOGO.test(new URL(url).pathname),
  );
  return [
    ...(bytes > MOST_BYTES ? [`${bytes} bytes`] : []),
    ...(bytes === 0 ? ['the browser does not say how heavy it is'] : []),
    ...(requests.length > 1 ? [`${requests.length} requests beside its own`] : []),
    ...foreign.map((url) => `asks for ${url}`),
    ...(shifted > MOST_SHIFT ? [`moved by ${shifted}`] : []),
  ];
}

/** A page in another language or direction than it is to be. */
export async function languageProblems(page: Page, { language, direction }: Messages): Promise<string[]> {
  const said = await page.evaluate(
    '[document.documentElement.lang, document.documentElement.dir, document.querySelectorAll("title").length, document.querySelectorAll("h1").length].join()',
  );
  // A page is heard by its title and found by its heading: one of each.
  return said === `${language},${direction},1,1` ? [] : [`lang, dir, titles and headings are ${said}`];
}

/** Pages that came while scripts were off have not got the checks yet. */
async function ask(page: Page, question: string): Promise<unknown> {
  const answer: unknown = await page.evaluate(`globalThis.pageChecks?.${question}`);
  if (answer !== undefined) return answer;
  await page.evaluate(CLIENT);
  return page.evaluate(`pageChecks.${question}`);
}

const stringsOf = (found: unknown): string[] => (Array.isArray(found) ? found.map(String) : ['no answer']);
