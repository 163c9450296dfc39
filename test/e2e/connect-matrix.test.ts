/**
 * Every state of the Connect pages in every language, light and dark, from a small telephone to a desk.
 * Here each page is looked at in each language on the smallest telephone, and in the pseudo-locale
 * everywhere; the other languages take widths and schemes in turns. `npm run soak` leaves nothing out.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Page } from 'playwright-core';

import { LANGUAGES, ownLanguageName } from '../../src/connect/messages.ts';
import { scale } from '../rounds.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import {
  type AxeDesk,
  catalogueProblems,
  languageProblems,
  layoutProblems,
  openAxeDesk,
  prepareChecks,
  type Scheme,
  weightProblems,
} from './connect-page-checks.ts';
import { takeTour } from './connect-tour.ts';
import { openTourSite, PSEUDO_LOCALES, type TourSite } from './connect-tour-site.ts';
import { Walker } from './connect-walker.ts';
import { WITHOUT_RADICALE } from './site.ts';

const PHONE = 320;
const LOOKS = [PHONE, 768, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);
type Look = { readonly width: number; readonly scheme: Scheme };
const ALL = scale() >= 20;
/** On pages as they are: names of providers and applications, and who the user is. */
const VALUES = [
  'Google',
  'Microsoft',
  'Apple',
  'CalDAV',
  'A',
  'N',
  'M',
  '<',
  'Acme Planner',
  'B',
  'Kalends Demo',
  ownLanguageName('en-XA'),
];

describe('every state of the Connect pages', {
  skip: WITHOUT_CHROMIUM || WITHOUT_RADICALE,
  concurrency: 2,
}, () => {
  let site: TourSite;
  let browser: Chromium;
  before(async () => {
    [site, browser] = await Promise.all([openTourSite(), launchChromium()]);
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  for (const [turn, language] of [...PSEUDO_LOCALES, ...LANGUAGES].entries()) {
    it(`fits, is accessible and light, and speaks one language: ${language}`, async () => {
      const { page, complaints, close } = await openPage(browser, { reducedMotion: 'reduce' });
      await prepareChecks(page.context());
      // In a window of its own: a page behind another is drawn rarely, and clicks wait for its drawing.
      const beside = await browser.newContext({ reducedMotion: 'reduce' });
      const desk = await openAxeDesk(beside);
      const walker = new Walker(site, page, language);
      const problems: string[] = [];
      let stops = 0;

      await takeTour(walker, async ({ name }) => {
        stops += 1;
        const found = [
          ...(await weightProblems(page)),
          ...(await languageProblems(page, walker.messages)),
          ...(language === 'en-XA' ? await catalogueProblems(page, [...VALUES, walker.userId]) : []),
          ...(await lookProblems(page, desk, looksFor(language, turn + stops))),
        ];
        problems.push(...found.map((problem) => `${name}: ${problem}`));
      });

      assert.deepEqual(problems, []);
      assert.deepEqual(complaints, []);
      await beside.close();
      await close();
    });
  }
});

/** The phone in light, and at every third stop another in turn; all of them for whom layouts are tested. */
function looksFor(language: string, turn: number): readonly Look[] {
  if (ALL || language === 'en-XA') return LOOKS;
  const other = turn % 3 === 0 ? LOOKS[1 + ((turn / 3) % (LOOKS.length - 1))] : undefined;
  return [{ width: PHONE, scheme: 'light' }, ...(other ? [other] : [])];
}

async function lookProblems(page: Page, desk: AxeDesk, looks: readonly Look[]): Promise<string[]> {
  const problems: string[] = [];
  await desk.take(page);
  for (const { width, scheme } of looks) {
    await page.setViewportSize({ width, height: 800 });
    const found = [...(await layoutProblems(page)), ...(await desk.problems(width, scheme))];
    problems.push(...found.map((problem) => `${width} ${scheme}: ${problem}`));
  }
  return problems;
}
