/** Pages of the documentation in Chromium: accessible, within 320 px, silent, and complete without scripts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import Fastify, { type FastifyInstance } from 'fastify';
import type { Browser } from 'playwright-core';

import { documentationRoutes } from '../../src/documentation/documentation.route.ts';
import { scale } from '../harness/rounds.ts';
import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { DRAWN, openCheckPage, type Screen } from './connect-page-checks.ts';

/** One page of each kind: start, guide, tables, parts, reference, search, missing. */
const PAGES = [
  '/docs',
  '/docs/broken-connections',
  '/docs/webhooks',
  '/docs/account-health',
  '/docs/operations/2',
  '/docs/api',
  '/docs/api/writing-events',
  '/docs/api/shapes/2',
  '/docs/search?q=webhook+signature',
  '/docs/nothing',
];

/** All rules of axe run on the first screen, and those of colors on the second. A soak runs all on each. */
const PHONE: Screen = { width: 320, scheme: 'light' };
const SCREENS: readonly Screen[] = [
  PHONE,
  { width: 1280, scheme: 'dark' },
  ...(scale() === 1
    ? []
    : ([
        { width: 320, scheme: 'dark' },
        { width: 1280, scheme: 'light' },
      ] as const)),
];

describe('pages of the documentation', { skip: WITHOUT_CHROMIUM }, () => {
  const app: FastifyInstance = Fastify();
  let browser: Browser;
  let origin: string;
  before(async () => {
    app.register(documentationRoutes({ publicUrl: 'https://kalends.example' }));
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await app.close();
  });

  for (const path of PAGES)
    it(`${path} is accessible in both color schemes, on a phone and on a large screen`, async () => {
      const checks = await openCheckPage(await browser.newContext({ reducedMotion: 'reduce' }));
      const { body } = await app.inject(path);
      await checks.load({
        url: `${origin}${path}`,
        markup: body.replaceAll(/<script>[\s\S]*?<\/script>/g, ''),
      });
      for (const screen of SCREENS) {
        await checks.resize(screen);
        const problems = await checks.axeProblems(screen === PHONE || scale() > 1 ? undefined : DRAWN);
        assert.deepEqual(problems, [], `${screen.width} px, ${screen.scheme}`);
      }
      await checks.page.context().close();
    });

  it('does not scroll sideways at 320 px, and reports nothing on the console', async () => {
    const { page, complaints, close } = await openPage(browser, { viewport: { width: 320, height: 800 } });
    for (const path of PAGES) {
      await page.goto(`${origin}${path}`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path);
    }
    assert.deepEqual(complaints, []);
    await close();
  });

  it('copies code with a button that only the script shows', async () => {
    const { page, close } = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${origin}/docs/broken-connections`);
    const block = page.locator('.code').first();
    await block.getByRole('button', { name: 'Copy' }).click();

    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, (await block.locator('pre').textContent())?.trim());
    await close();
  });

  it('has menu, search and code without scripts', async () => {
    const { page, close } = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(`${origin}/docs/webhooks`);
    assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('summary', { hasText: 'Reference' }).click();
    await page.getByRole('link', { name: 'Errors', exact: true }).click();
    assert.equal(new URL(page.url()).pathname, '/docs/errors');

    await page.getByRole('searchbox').fill('signiture');
    await page.getByRole('button', { name: 'Search' }).click();

    await page.getByRole('link', { name: /Receive webhooks › Verify a delivery/ }).waitFor();
    await close();
  });
});
