/** Debian's Chromium on the Connect pages, and an application for it to come back to. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';

import { type BrowserContextOptions, type Browser as Chromium, chromium, type Page } from 'playwright-core';
import { close, listen } from '../harness/loopback.ts';

const CHROMIUM = '/usr/bin/chromium';
/** The same engine without the browser's own windows: it draws the same pages in two thirds of the time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** The value for `{ skip }` of tests that need a real browser. */
export const WITHOUT_CHROMIUM = existsSync(CHROMIUM) ? false : 'chromium is not installed';

/**
 * Launches the headless shell if it is installed; `whole` launches Chromium with its windows, for tests that involve
 * them.
 */
export function launchChromium({ whole = false } = {}): Promise<Chromium> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({
    timeout: 180_000,
    executablePath: !whole && existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet],
  });
}

/** A page in its own context, with its requests and the complaints on its console. */
export type Watched = {
  readonly page: Page;
  readonly requests: string[];
  /** Violations of the Content-Security-Policy, and scripts that failed. */
  readonly complaints: string[];
  close(): Promise<void>;
};

export async function openPage(browser: Chromium, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 }, ...options });
  const page = await context.newPage();
  // Pages come from a server on this machine, so a step that takes this long has failed.
  page.setDefaultTimeout(60_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A page with a 4xx status is reported as a failed load, which is expected.
    const expected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !expected) complaints.push(message.text());
  });
  return { page, requests, complaints, close: () => context.close() };
}

/** Presses a provider's button, after unfolding the further ways to connect if the page has an account. */
export async function pressConnect(page: Page, provider: string): Promise<void> {
  await page.locator('.providers').waitFor({ state: 'attached' });
  const fold = page.locator('.fold:not([open]) > summary');
  if ((await fold.count()) > 0) await fold.click();
  await page.getByRole('button', { name: `Connect ${provider}`, exact: true }).click();
}

/** Presses Tab until the control with this text has the focus. */
export async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.textContent.trim()')) === text) return;
  }
  throw new Error(`No Tab led to ${text}`);
}

/** The application's own server, which notes the requests to its callback. */
export type CallbackServer = {
  readonly redirectUri: string;
  readonly received: URL[];
  close(): Promise<void>;
};

export async function startCallback(): Promise<CallbackServer> {
  const received: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') received.push(url);
    response.setHeader('content-type', 'text/html').end('<title>Back</title><p>Back at the application');
  });
  const origin = await listen(server);
  return { redirectUri: `${origin}/callback`, received, close: () => close(server) };
}
