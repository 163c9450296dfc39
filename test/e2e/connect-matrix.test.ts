/**
 * Every state of the Connect pages in every language, light and dark, from a small telephone to a desktop. Here each
 * page is checked on the smallest telephone in the languages that differ most, and in the pseudo-locale at every width;
 * loading, schemes and the rules of axe take turns. `npm run soak` leaves nothing out. KALENDS_TEST_LANGUAGES=en,ar
 * checks only these languages.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Page } from 'playwright-core';

import { LANGUAGES, nativeName } from '../../src/connect/messages/messages.ts';
import { scale } from '../harness/rounds.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import {
  bytesProblems,
  type CheckPage,
  catalogueProblems,
  DRAWN,
  type Drawn,
  isDrawnAnew,
  languageProblems,
  layoutProblems,
  loadingProblems,
  lookAt,
  openCheckPage,
  prepareChecks,
  type Screen,
  wayProblems,
} from './connect-page-checks.ts';
import { takeTour } from './connect-tour.ts';
import { openTourSite, PSEUDO_LOCALES, type TourSite } from './connect-tour-site.ts';
import type { Stop } from './connect-tour-stop.ts';
import { TourWalker } from './connect-tour-walker.ts';
import { show } from './connect-viewer.ts';
import { Walker } from './connect-walker.ts';
import { WITHOUT_RADICALE } from './site.ts';

const SCREENS: readonly Screen[] = [320, 768, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);
const PHONE_IN_LIGHT: Screen = { width: 320, scheme: 'light' };
const EACH_WIDTH: readonly Screen[] = [
  PHONE_IN_LIGHT,
  { width: 768, scheme: 'dark' },
  { width: 1280, scheme: 'light' },
];
const ALL = scale() >= 20;
const CHOSEN = chosen([...PSEUDO_LOCALES, ...LANGUAGES], process.env.KALENDS_TEST_LANGUAGES?.split(','));
/** Languages with longer words than any other and with right-to-left words. A soak checks every language. */
const UNLIKE_OTHERS: readonly string[] = PSEUDO_LOCALES;
const TOURED = CHOSEN.filter(
  (language) => ALL || process.env.KALENDS_TEST_LANGUAGES !== undefined || UNLIKE_OTHERS.includes(language),
);
/** More than the processors: one language waits for its pages while another's are drawn. */
const LANGUAGES_AT_ONCE = 3;
/** Names of providers and applications, and the user, which pages show as they are. */
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
  'L',
  'F',
  'Kalends Demo',
  nativeName('en-XA'),
];

describe('every state of the Connect pages', {
  skip: WITHOUT_CHROMIUM || WITHOUT_RADICALE,
  concurrency: LANGUAGES_AT_ONCE,
}, () => {
  let site: TourSite;
  let browser: Chromium;
  before(async () => {
    site = await openTourSite();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  for (const [turn, language] of TOURED.entries()) {
    it(`every Connect page fits, is accessible and light, and speaks one language: ${language}`, async () => {
      const { page, complaints, close } = await openPage(browser, { reducedMotion: 'reduce' });
      await prepareChecks(page.context());
      const beside = await browser.newContext({ reducedMotion: 'reduce' });
      const checkPage = await openCheckPage(beside);
      const walker = new TourWalker(site, language);
      const problems: string[] = [];
      const drawn: Drawn = new Map();
      let stops = 0;

      await takeTour(walker, async (stop) => {
        stops += 1;
        const plan = planFor(stop, language, turn + stops);
        const stopProblems = await problemsOf({ walker, page, checkPage, drawn, stop }, plan);
        problems.push(...stopProblems.map((problem) => `${stop.name}: ${problem}`));
      });

      assert.deepEqual(problems, []);
      assert.deepEqual(complaints, []);
      await beside.close();
      await close();
    });
  }

  // Walking by names is the same in each language: only a soak walks in all.
  for (const language of CHOSEN.filter((one) => one === 'en' || TOURED.includes(one))) {
    it(`the Connect pages lead to the application by their words in ${language}`, async () => {
      const { page, complaints, close } = await openPage(browser, { reducedMotion: 'reduce' });
      const walker = new Walker(site, page, language);
      walker.userId = `words-${language}`;
      await walker.start();

      await walker.linkCalDav();
      await walker.press('consent.allow');

      assert.equal(new URL(page.url()).searchParams.get('code'), walker.userId);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
});

function chosen(languages: readonly string[], named = languages): readonly string[] {
  const unknown = named.filter((language) => !languages.includes(language));
  if (unknown.length > 0) throw new Error(`There are no Connect pages in ${unknown}`);
  return languages.filter((language) => named.includes(language));
}

type Plan = {
  /** The screens on which the page is checked. */
  readonly screens: readonly Screen[];
  /** The screen on which the page is loaded; `undefined`: the check page shows it as it was received. */
  readonly loading: Screen | undefined;
  /**
   * The checks of axe, which take as long as all others. `whole`: all rules on the first screen, and the drawing rules
   * in the other scheme if the page draws something new. `drawn`: the latter only.
   */
  readonly axe: 'whole' | 'drawn' | 'nothing';
};

/**
 * Returns the plan of a stop: the light phone always; at every third stop, which differs by language, another screen, a
 * loading and axe; every width in the pseudo-locale for layouts.
 */
function planFor({ view }: Stop, language: string, turn: number): Plan {
  const other = SCREENS[1 + (Math.floor(turn / 3) % (SCREENS.length - 1))] ?? PHONE_IN_LIGHT;
  if (ALL) return { screens: SCREENS, loading: other, axe: 'whole' };
  const isIts = turn % 3 === 0;
  const loading = isIts || view.withScripts ? other : undefined;
  if (language === 'en-XA') return { screens: EACH_WIDTH, loading, axe: isIts ? 'whole' : 'drawn' };
  return {
    screens: isIts ? [PHONE_IN_LIGHT, other] : [PHONE_IN_LIGHT],
    loading,
    axe: isIts ? 'whole' : 'nothing',
  };
}

type CheckedStop = {
  readonly walker: TourWalker;
  readonly page: Page;
  readonly checkPage: CheckPage;
  /** The drawings of earlier stops. */
  readonly drawn: Drawn;
  readonly stop: Stop;
};

async function problemsOf(
  { walker, page, checkPage, drawn, stop: { view } }: CheckedStop,
  { screens, loading, axe }: Plan,
) {
  const { messages, userId } = walker;
  const problems = [...bytesProblems(walker.page.body), ...wayProblems(walker.page.body, messages)];
  let markup = walker.page.body;
  if (loading !== undefined) {
    await lookAt(page, loading);
    problems.push(...(await loadingProblems(page, () => show(page, walker, view))));
    markup = await page.content();
  }
  // A loaded page already shows its unfolded part.
  const unfold = loading === undefined ? view.unfold : undefined;
  await checkPage.load({ url: walker.page.url.href, markup, unfold });
  problems.push(...(await languageProblems(checkPage.page, messages)));
  if (messages.language === 'en-XA')
    problems.push(...(await catalogueProblems(checkPage.page, [...VALUES, userId])));
  const isNew = axe !== 'nothing' && (await isDrawnAnew(checkPage.page, drawn));
  for (const screen of screens) {
    await checkPage.resize(screen);
    const screenProblems = await layoutProblems(checkPage.page);
    if (axe === 'whole' && (ALL || screen === screens[0]))
      screenProblems.push(...(await checkPage.axeProblems()));
    else if (isNew && (ALL || screen.scheme !== screens[0]?.scheme))
      screenProblems.push(...(await checkPage.axeProblems(DRAWN)));
    problems.push(...screenProblems.map((problem) => `${screen.width} ${screen.scheme}: ${problem}`));
  }
  return problems;
}
