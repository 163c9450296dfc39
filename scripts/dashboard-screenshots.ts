/**
 * `npm run screenshots -- --dashboard`: pictures of the dashboard. Every linked page on phones and desktops, in light
 * and dark: while it is empty, and with the data of the sandbox's people. One sheet for each, in ./screenshots. The
 * README's picture is taken again with them.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';

import { type Sandbox, startSandbox } from '../sandbox/start-sandbox.ts';
import { launchChromium, openPage } from '../test/e2e/connect-chromium.ts';
import { becomeOwner, connectTestUser, createApplication } from '../test/e2e/dashboard-steps.ts';
import { close, listen } from '../test/harness/loopback.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const README_PICTURE = path.join(ROOT, 'docs/pictures/overview.webp');
const SCHEMES = ['light', 'dark'] as const;
/** The window, and the width of its picture on the sheet. */
const DEVICES = {
  phone: { width: 390, height: 760, shown: 300 },
  desktop: { width: 1280, height: 800, shown: 560 },
} as const;
type Device = keyof typeof DEVICES;
const PERSON = 'mara@gmail.example';
/** A page with more links than that leads in a circle. */
const MOST_PAGES = 80;

/** Takes the pictures and returns the number of sheets. */
export async function takeDashboardScreenshots(target: string): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-dashboard-'));
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  let sandbox: Sandbox | undefined;
  let browser: Browser | undefined;
  try {
    [sandbox, browser] = await Promise.all([startSandbox(), launchChromium()]);
    const webhookUrl = `${await listen(receiver)}/webhooks`;
    const { page } = await openPage(browser, { reducedMotion: 'reduce' });
    await page.setViewportSize(DEVICES.desktop);
    await becomeOwner(page, sandbox.kalends.setupUrl ?? '');
    const empty = await takePages(page, path.join(folder, 'empty'));
    await fill(page, sandbox, webhookUrl);
    const filled = await takePages(page, path.join(folder, 'filled'));
    await takeReadmePicture(page);
    await mkdir(target, { recursive: true });
    for (const device of ['phone', 'desktop'] as const) {
      await drawSheet(browser, { title: 'dashboard-empty', device, pages: empty }, target);
      await drawSheet(browser, { title: 'dashboard', device, pages: filled }, target);
    }
    return 4;
  } finally {
    await browser?.close();
    await sandbox?.close();
    await close(receiver);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates an application, a connected test user, calls, and a few deliveries. */
async function fill(page: Page, { providers }: Sandbox, webhookUrl: string): Promise<void> {
  await createApplication(page, { name: 'Booking', webhookUrl });
  await page.getByRole('link', { name: 'Open playground' }).click();
  await connectTestUser(page, PERSON);
  const { origin, pathname } = new URL(page.url());
  for (const operation of ['listCalendars', 'listEvents']) {
    await page.goto(`${origin}${pathname}/${operation}`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('200').first().waitFor();
  }
  const { manual } = providers.google;
  const at = (hour: number) => ({ dateTime: `2027-03-16T${hour}:00:00`, timeZone: 'Europe/Berlin' });
  for (const [index, title] of ['Planning', 'Review', 'Lunch'].entries()) {
    await manual.createEvent(PERSON, PERSON, { title, start: at(10 + index), end: at(11 + index) });
    await page.waitForTimeout(1_500);
  }
  // Activity counts are written every few seconds.
  await page.waitForTimeout(6_000);
}

type Taken = { readonly name: string; readonly fileOf: (device: Device, scheme: string) => string };

/** Takes every page that links lead to from the overview, one for each form of address. */
async function takePages(page: Page, folder: string): Promise<readonly Taken[]> {
  await mkdir(folder, { recursive: true });
  const waiting = [`${new URL(page.url()).origin}/dashboard`];
  const seen = new Set<string>();
  const screenshots: Taken[] = [];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const form = formOf(next);
    if (seen.has(form) || seen.size >= MOST_PAGES) continue;
    seen.add(form);
    const answer = await page.goto(next).catch(() => null);
    if (answer?.status() !== 200 || formOf(page.url()) !== form) continue;
    const index = screenshots.length;
    const fileOf = (device: Device, scheme: string) => path.join(folder, `${index}-${device}-${scheme}.png`);
    for (const device of ['desktop', 'phone'] as const) await takePage(page, device, fileOf);
    screenshots.push({ name: form, fileOf });
    const links: string[] = await page.evaluate(
      `[...document.querySelectorAll('a[href^="/dashboard"]')].map(({ href }) => href)`,
    );
    waiting.push(...links);
  }
  return screenshots;
}

/** Returns an address without the parts that differ between pages of one kind. */
const formOf = (address: string): string =>
  new URL(address).pathname.replace(/\/(?:proj|msg_|we_|[0-9a-f]{8}-)[^/]*|(?<=\/requests)\/[^/]+/g, '/…');

async function takePage(page: Page, device: Device, fileOf: Taken['fileOf']): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(DEVICES[device]);
    await page.screenshot({ path: fileOf(device, colorScheme), fullPage: true });
  }
}

async function takeReadmePicture(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${new URL(page.url()).origin}/dashboard`);
  await mkdir(path.dirname(README_PICTURE), { recursive: true });
  await sharp(await page.screenshot())
    .webp({ quality: 82 })
    .toFile(README_PICTURE);
}

type Sheet = { readonly title: string; readonly device: Device; readonly pages: readonly Taken[] };

async function drawSheet(browser: Browser, { title, device, pages }: Sheet, target: string): Promise<void> {
  const { shown } = DEVICES[device];
  const figures = pages.map(({ name, fileOf }) => {
    const images = SCHEMES.map(
      (scheme) => `<img src="${pathToFileURL(fileOf(device, scheme))}" width="${shown}" alt="">`,
    );
    return `<figure><figcaption>${name}</figcaption>${images.join('')}</figure>`;
  });
  const style = `body { margin: 24px; font: 16px system-ui; background: #d8d8d8 } main { display: flex; flex-wrap: wrap;
    gap: 24px; align-items: start } figure { margin: 0 } img { margin-inline-end: 6px; vertical-align: top }`;
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'kalends-sheet-')), 'sheet.html');
  await writeFile(
    file,
    `<meta charset="utf-8"><style>${style}</style><h1>${title} · ${device}</h1><main>${figures.join('')}</main>`,
  );
  const sheet = await browser.newPage({ viewport: { width: 2400, height: 800 } });
  await sheet.goto(pathToFileURL(file).href);
  await sheet.screenshot({ path: path.join(target, `${title}-${device}.png`), fullPage: true });
  await sheet.close();
  await rm(path.dirname(file), { recursive: true, force: true });
}
