/** The optional script of the Connect pages (connect.client.js), in Chromium. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { BrowserContextOptions, Browser as Chromium, Page } from 'playwright-core';
import { launchChromium, openPage, type Watched, WITHOUT_CHROMIUM } from '../e2e/connect-chromium.ts';
import { Browser, type Harness, openConnect } from './connect-harness.ts';

describe('the pages’ script', { skip: WITHOUT_CHROMIUM }, () => {
  let harness: Harness;
  let chromium: Chromium;
  let origin: string;
  before(async () => {
    harness = await openConnect();
    chromium = await launchChromium();
    origin = await harness.app.listen({ port: 0, host: '127.0.0.1' });
  });
  after(async () => {
    await chromium?.close();
    await harness?.close();
  });

  /** Opens the selection page of a user who linked an account in this browser, or of a new user. */
  const open = async (
    userId: string,
    isLinked = false,
    options: BrowserContextOptions = {},
  ): Promise<Watched> => {
    const browser = new Browser(harness);
    if (isLinked) await browser.link(await browser.start({ user_id: userId }));
    const watched = await openPage(chromium, options);
    const cookies = [...browser.cookies].map(([name, value]) => ({ name, value, url: origin }));
    await watched.page.context().addCookies(cookies);
    await watched.page.goto(`${origin}/authorize?client_id=acme&user_id=${userId}`);
    return watched;
  };
  const schemeOf = (page: Page) => page.evaluate('document.documentElement.dataset.theme');

  it('the pages’ script changes the colours at once and keeps the choice', async () => {
    const watched = await open('painter');
    const { page } = watched;
    const before = watched.requests.length;

    await page.getByRole('button', { name: 'Dark' }).click();

    assert.equal(await schemeOf(page), 'dark');
    assert.equal(await page.getByRole('button', { name: 'Dark' }).getAttribute('aria-pressed'), 'true');
    assert.equal(watched.requests.length, before);
    await page.reload();
    assert.equal(await schemeOf(page), 'dark');
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it('the pages’ script is not needed to change the colours', async () => {
    const watched = await open('reader', false, { javaScriptEnabled: false });
    const { page } = watched;

    await page.getByRole('button', { name: 'Dark' }).click();
    await page.locator('html[data-theme=dark]').waitFor();
    await page.getByText('English', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Français' }).click();
    await page.locator('html[lang=fr]').waitFor();

    await watched.close();
  });

  it('the pages’ script follows the loading of calendars, and says when it is done', async () => {
    const watched = await open('loader', true);
    const { page } = watched;
    await page.getByText('Loading calendars…').waitFor();

    await harness.db.write('UPDATE account SET listed_at = 1', {});

    await page.getByText('No calendars').waitFor();
    await page.getByRole('status').getByText('Loading is complete.').waitFor({ state: 'attached' });
    assert.equal(await page.getByText('No need to wait').isVisible(), false);
    const requestCount = watched.requests.length;
    await page.waitForTimeout(2000);
    assert.equal(watched.requests.length, requestCount);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it('the pages’ script sends a form once, and shows that it is on its way, in the same place', async () => {
    const watched = await open('hasty', true);
    const { page } = watched;
    // A listener behind the page's own counts submitted forms and stops them.
    await page.evaluate(`{
      globalThis.sent = 0;
      addEventListener('submit', (event) => {
        globalThis.sent += event.defaultPrevented ? 0 : 1;
        event.preventDefault();
      });
    }`);
    const button = page.getByRole('button', { name: 'Allow' });
    // At the end of the page nothing scrolls under the bar that contains the button.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const place = await button.boundingBox();

    await button.click();
    assert.deepEqual(await button.boundingBox(), place);
    await button.press('Enter');
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');

    assert.equal(await page.evaluate('globalThis.sent'), 1);
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await page.getByRole('status').getByText('One moment…').waitFor({ state: 'attached' });
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');
    assert.equal(await button.getAttribute('aria-disabled'), null);
    await watched.close();
  });

  it('the pages’ script closes the menu of languages with Escape and leaves the keyboard there', async () => {
    const watched = await open('keys');
    const { page } = watched;
    const summary = page.locator('details.menu > summary');

    await summary.press('Enter');
    await page.getByRole('button', { name: 'Deutsch' }).focus();
    await page.keyboard.press('Escape');

    assert.equal(await page.getByRole('button', { name: 'Deutsch' }).isVisible(), false);
    assert.equal(await summary.evaluate((element) => element === element.ownerDocument.activeElement), true);
    await watched.close();
  });
});
