/**
 * `npm run screenshots`: pictures of the Connect pages. For each state, one picture for phones and one for desktops has
 * all languages side by side in light and dark, in ./screenshots.
 *
 * - `npm run screenshots -- --languages en,ar`: only these languages
 * - `npm run screenshots -- --only consent,error`: only chapters and states with one of these in their names
 * - `npm run screenshots -- --dashboard`: the pages of the dashboard instead
 */
import './needs-node.js';

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import type { Browser, Page } from 'playwright-core';

import { LANGUAGES, nativeName } from '../src/connect/messages/messages.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from '../test/e2e/connect-chromium.ts';
import { CHAPTERS, takeTour } from '../test/e2e/connect-tour.ts';
import { openTourSite, PSEUDO_LOCALES, type TourSite } from '../test/e2e/connect-tour-site.ts';
import type { Chapter, Stop } from '../test/e2e/connect-tour-stop.ts';
import { TourWalker } from '../test/e2e/connect-tour-walker.ts';
import { show } from '../test/e2e/connect-viewer.ts';
import { WITHOUT_RADICALE } from '../test/e2e/site.ts';
import { takeDashboardScreenshots } from './dashboard-screenshots.ts';

const TARGET = path.resolve(import.meta.dirname, '../screenshots');
const SCHEMES = ['light', 'dark'] as const;
/** The window, and the width of its picture on the sheet. */
const DEVICES = {
  phone: { width: 390, height: 760, shown: 300 },
  desktop: { width: 1280, height: 800, shown: 560 },
} as const;
type Device = keyof typeof DEVICES;

const { values: chosen } = parseArgs({
  options: { languages: { type: 'string' }, only: { type: 'string' }, dashboard: { type: 'boolean' } },
});
const missing = WITHOUT_CHROMIUM || WITHOUT_RADICALE;
if (missing) {
  console.error(
    `Screenshots need Chromium and Radicale: ${missing}. On Debian: apt install chromium radicale`,
  );
  process.exitCode = 1;
} else if (chosen.dashboard) {
  console.log(`${await takeDashboardScreenshots(TARGET)} sheets are in ${TARGET}`);
} else {
  await takeScreenshots(languagesOf(chosen.languages), chosen.only?.split(',') ?? []);
}

function languagesOf(named: string | undefined): readonly string[] {
  const languages = named?.split(',') ?? LANGUAGES;
  const available = [...LANGUAGES, ...PSEUDO_LOCALES];
  const unknown = languages.filter((language) => !available.includes(language));
  if (unknown.length === 0) return languages;
  throw new Error(`No such language: ${unknown.join(', ')}. There are ${available.join(', ')}`);
}

async function takeScreenshots(languages: readonly string[], only: readonly string[]): Promise<void> {
  const pictures = await mkdtemp(path.join(tmpdir(), 'kalends-screenshots-'));
  const isWanted = (name: string) => only.length === 0 || only.some((part) => name.includes(part));
  const chapters = CHAPTERS.filter(({ name, stops }) =>
    [name, ...stops.map((stop) => stop.name)].some(isWanted),
  );
  let site: TourSite | undefined;
  let browser: Browser | undefined;
  try {
    [site, browser] = await Promise.all([openTourSite(), launchChromium()]);
    for (const [index, language] of languages.entries()) {
      console.log(`${index + 1} of ${languages.length}: ${language}`);
      await walk(new TourWalker(site, language), await newPage(browser), chapters, pictures);
    }
    await mkdir(TARGET, { recursive: true });
    const states = chapters.flatMap(({ name, stops }) =>
      stops.map((stop) => stop.name).filter((state) => isWanted(name) || isWanted(state)),
    );
    for (const state of states) {
      for (const device of ['phone', 'desktop'] as const)
        await drawSheet(browser, state, device, languages, pictures);
    }
    console.log(`${states.length * 2} sheets are in ${TARGET}`);
  } finally {
    await browser?.close();
    await site?.close();
    await rm(pictures, { recursive: true, force: true });
  }
}

async function newPage(browser: Browser): Promise<Page> {
  return (await openPage(browser, { reducedMotion: 'reduce' })).page;
}

function pictureOf(folder: string, state: string, device: Device, language: string, scheme: string): string {
  return path.join(folder, `${state}.${device}.${language}.${scheme}.png`);
}

/** Takes every state in one language, in each window and scheme. */
async function walk(
  walker: TourWalker,
  page: Page,
  chapters: readonly Chapter[],
  folder: string,
): Promise<void> {
  const visit = async ({ name, view }: Stop) => {
    await show(page, walker, view);
    for (const device of ['desktop', 'phone'] as const) {
      await page.setViewportSize(DEVICES[device]);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const file = pictureOf(folder, name, device, walker.language, colorScheme);
        // The window is as high as the page: otherwise the bar of actions would be in the middle of the picture.
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
        await page.setViewportSize({ ...DEVICES[device], height });
        await page.screenshot({ path: file, caret: 'initial' });
        await page.setViewportSize(DEVICES[device]);
      }
    }
  };
  await takeTour(walker, visit, chapters);
  await page.context().close();
}

/** Draws all pictures of a state on one page, each with its language and scheme above it. */
async function drawSheet(
  browser: Browser,
  state: string,
  device: Device,
  languages: readonly string[],
  folder: string,
): Promise<void> {
  const { shown } = DEVICES[device];
  const figures = languages.map((language) => {
    const images = SCHEMES.map((scheme) => {
      const file = pathToFileURL(pictureOf(folder, state, device, language, scheme));
      return `<img src="${file}" width="${shown}" alt="">`;
    });
    return `<figure><figcaption>${nativeName(language)} · ${language}</figcaption>${images.join('')}</figure>`;
  });
  const sheet = await browser.newPage({ viewport: { width: device === 'phone' ? 2560 : 2400, height: 800 } });
  const file = path.join(folder, 'sheet.html');
  const style = `body { margin: 24px; font: 16px system-ui; background: #d8d8d8 } h1 { font-size: 22px }
    main { display: flex; flex-wrap: wrap; gap: 24px; align-items: start } figure { margin: 0 } img { margin-inline-end: 6px; vertical-align: top }`;
  await writeFile(
    file,
    `<meta charset="utf-8"><style>${style}</style><h1>${state} · ${device}</h1><main>${figures.join('')}</main>`,
  );
  await sheet.goto(pathToFileURL(file).href);
  await sheet.screenshot({ path: path.join(TARGET, `${state}-${device}.png`), fullPage: true });
  await sheet.close();
}
