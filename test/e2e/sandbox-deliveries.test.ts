/** The sandbox's application shows what Kalends tells it while its page is open, and refuses what Kalends did not say. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import axe from 'axe-core';
import type { Browser as Chromium, Page } from 'playwright-core';

import { type Sandbox, startSandbox } from '../../sandbox/start-sandbox.ts';
import { slowness } from '../harness/processor-time.ts';
import { until } from '../harness/until.ts';
import { openBrowser, textOf } from './browser.ts';
import {
  launchChromium,
  openPage,
  pressConnect,
  type Watched,
  WITHOUT_CHROMIUM,
} from './connect-chromium.ts';

const PICTURES = path.resolve(import.meta.dirname, '../../artefacts/sandbox');
/** Until the provider has begun to tell Kalends, and until a delivery is there: both are far faster. */
const PATIENCE = { timeout: 60_000 };
/** A change is on the page as soon as that. A machine that has more to do than this test may take longer, but not each time. */
const SECOND = 1_000;
const MOST_PRESSES = 6;

/** Notes in the page when a button was pressed and when a delivery was drawn after that: waiting here is coarser. */
const TIMING = `
  globalThis.pressedAt = globalThis.shownAt = undefined;
  addEventListener('click', () => (globalThis.pressedAt = performance.now()), { capture: true, once: true });
  new MutationObserver((_, observer) => {
    // A row before the press belongs to an earlier change.
    if (globalThis.pressedAt === undefined) return;
    observer.disconnect();
    requestAnimationFrame(() => (globalThis.shownAt = performance.now()));
  }).observe(document.getElementById('deliveries'), { childList: true });`;

describe('the sandbox’s page of deliveries', { skip: WITHOUT_CHROMIUM }, () => {
  let sandbox: Sandbox;
  let browser: Chromium;
  let watched: Watched;
  before(async () => {
    await mkdir(PICTURES, { recursive: true });
    sandbox = await startSandbox();
    browser = await launchChromium();
    watched = await openPage(browser, { viewport: { width: 1280, height: 800 } });
  });
  after(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const keep = (page: Page, name: string) =>
    page.screenshot({ path: path.join(PICTURES, `deliveries-${name}.png`), fullPage: true });
  const rows = (page: Page) => page.locator('.delivery');

  it('the page of deliveries says what to do while there is none', async () => {
    const { page } = watched;
    await page.goto(sandbox.demoUrl);
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByText('No deliveries yet').waitFor();
    await keep(page, '1-empty');

    await press(page, 'Connect a calendar');

    await page.getByRole('button', { name: 'Connect Google' }).waitFor();
  });

  for (const [provider, account, accept] of [
    ['Google', 'mara@gmail.example', 'Continue'],
    ['Microsoft', 'mara@northwind.example', 'Accept'],
  ] as const)
    it(`the page of deliveries shows, without a load, that an event was moved at ${provider}`, async (t) => {
      const { page, complaints } = watched;
      await page.goto(`${sandbox.demoUrl}/connect`);
      await pressConnect(page, provider);
      for (const button of [account, accept]) await press(page, button);
      await page.getByText(`${account} is connected`).waitFor();
      if (provider === 'Microsoft') await press(page, 'Continue');
      await press(page, 'Allow');
      await page.getByRole('heading', { name: 'Your calendars' }).waitFor();
      await page.goto(`${sandbox.demoUrl}/deliveries`);
      await rows(page).filter({ hasText: 'first sync' }).filter({ hasText: provider }).first().waitFor();
      await page.evaluate('document.body.dataset.opened = "once"');
      await rows(page).first().locator('summary').click();

      const before = await rows(page).count();
      const row = rows(page).filter({ hasText: 'arrived after' }).filter({ hasText: provider });
      const took: number[] = [];
      const isSoon = () => Math.min(...took) <= SECOND * slowness();
      // The first may come before the provider has begun to tell Kalends.
      while (took.length < 2 || (took.length < MOST_PRESSES && !isSoon())) {
        await page.evaluate(TIMING);
        await press(page, `Move an event at ${provider}`);
        await row.nth(took.length).waitFor(PATIENCE);
        // The row is there a frame before its time is noted.
        await until('the row is drawn', () => page.evaluate<boolean>('shownAt > pressedAt'));
        took.push(Number(await page.evaluate('Math.round(shownAt - pressedAt)')));
      }
      t.diagnostic(`on the page so many ms after the press: ${took.join(', ')}`);

      assert.ok(isSoon(), `It took ${took.join(', ')} ms`);
      assert.equal(await page.evaluate('document.body.dataset.opened'), 'once');
      assert.equal(await page.locator('.delivery details[open]').count(), 1);
      assert.ok((await rows(page).count()) >= before + 2);
      const text = await row.first().innerText();
      for (const word of ['verified', 'sequence', 'updated', 'changed: start'])
        assert.ok(text.includes(word), text);
      assert.match(String(await row.first().locator('pre').textContent()), /"changeType": "updated"/);
      await keep(page, `2-${provider}`);
      assert.deepEqual(complaints, []);
    });

  it('the page of deliveries says that a forged one was refused, and nothing of it', async () => {
    const { page } = watched;
    const body = JSON.stringify({ provider: 'google', events: [{ title: 'Forged' }], metadata: {} });
    const signed = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1a,${Buffer.alloc(64).toString('base64')}`,
    };
    const statuses: number[] = [];
    for (const headers of [{}, signed, { ...signed, 'webhook-timestamp': '1700000000' }])
      for (const type of ['application/json', 'text/plain']) {
        const url = `${sandbox.demoUrl}/webhooks`;
        const sent = { method: 'POST', headers: { ...headers, 'content-type': type }, body };
        statuses.push((await fetch(url, sent)).status);
      }

    await page.getByText('It was signed too long ago').first().waitFor();
    assert.deepEqual(statuses, Array(6).fill(400));
    assert.equal(await page.getByText('Forged').count(), 0);
    assert.ok((await rows(page).filter({ hasText: 'arrived after' }).count()) > 0);
    await keep(page, '3-forged');
  });

  it('the page of deliveries is whole without JavaScript, and so is its button', async () => {
    const browserless = openBrowser();
    for (const { name, value } of await watched.page.context().cookies())
      browserless.cookies.set(name, value);
    const arrivals = ({ body }: { body: string }) => body.split('arrived after').length - 1;
    const before = await browserless.open(`${sandbox.demoUrl}/deliveries`);
    assert.match(before.body, /<noscript><p class="hint">This page does not update without JavaScript/);

    const pressed = await browserless.press('Move an event at Google');
    let after = pressed;
    for (const end = Date.now() + PATIENCE.timeout; arrivals(after) <= arrivals(before); await sleep(100)) {
      assert.ok(Date.now() < end, textOf(after.body));
      after = await browserless.follow('reload');
    }

    assert.match(textOf(pressed.body), /“Dentist” now begins at/);
    assert.equal(pressed.url.pathname, '/deliveries');
  });

  it('the page of deliveries moves nothing for a form of another site, nor in a calendar that is not connected', async () => {
    const cookies = await watched.page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const move = (calendarId: string, site: string) =>
      fetch(`${sandbox.demoUrl}/deliveries/move`, {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': site },
        body: new URLSearchParams({ provider: 'google', calendarId }),
      });

    const foreign = await move('theo@gmail.example', 'cross-site');
    const another = await move('theo@gmail.example', 'same-origin');

    assert.equal(foreign.status, 403);
    assert.match(textOf(await another.text()), /No event was moved: the calendar is not connected/);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`the page of deliveries is whole on a phone, and axe finds no fault, in the ${colorScheme} scheme`, async () => {
      const { page, complaints } = watched;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.reload();
      await rows(page).locator('summary').first().click();
      await keep(page, `4-desktop-${colorScheme}`);
      await page.setViewportSize({ width: 390, height: 844 });
      await keep(page, `5-phone-${colorScheme}`);

      await page.evaluate(axe.source);
      const violations = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
      );
      assert.deepEqual(violations, []);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
      assert.deepEqual(complaints, []);
    });
});
