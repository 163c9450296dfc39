/** What every Connect page is held to, wherever in the flow it stands. Each check answers what is wrong. */
import { readFileSync } from 'node:fs';

import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

import type { Messages } from '../../src/connect/messages.ts';

const CLIENT = readFileSync(new URL('./page-checks.client.js', import.meta.url), 'utf8');
const MOST_BYTES = 60 * 1024;
/** The page's own picture may be fetched, in one scheme of colours or the other. */
const LOGO = /^\/connect\/logos\/[0-9a-f]{64}\.webp$/;

/** To be called before the first page is opened. */
export async function prepareChecks(context: BrowserContext): Promise<void> {
  await context.addInitScript(CLIENT);
}

/** Rules of axe that are broken, those of best practice too, with where. */
export async function axeProblems(page: Page): Promise<string[]> {
  const loaded = await page.evaluate('"axe" in globalThis');
  if (loaded !== true) await page.evaluate(axe.source);
  return stringsOf(
    await page.evaluate(
      'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
    ),
  );
}

/** Text that leaves the page or its control, is cut off, or stands on other text. */
export const layoutProblems = async (page: Page): Promise<string[]> =>
  stringsOf(await page.evaluate('pageChecks.layout()'));

/** Text that comes from no catalogue; the page must be in the pseudo-locale `en-XA`. */
export const catalogueProblems = async (page: Page, values: readonly string[]): Promise<string[]> =>
  stringsOf(await page.evaluate(`pageChecks.outsideCatalogue(${JSON.stringify(values)})`));

/** A page that is too heavy, asks for more than its logo, or moved while it was built up. */
export async function weightProblems(page: Page): Promise<string[]> {
  // The answer of the script beside this file.
  const { bytes, requests, shifted } = (await page.evaluate('pageChecks.weight()')) as {
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
    ...(shifted > 0 ? [`moved by ${shifted}`] : []),
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

const stringsOf = (found: unknown): string[] => (Array.isArray(found) ? found.map(String) : ['no answer']);
