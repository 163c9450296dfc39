/**
 * The dashboard of the shipped program in a real browser: from the setup link to members with their roles; each page on
 * each screen, in both schemes, by keyboard, and without JavaScript.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { BrowserContextOptions, Browser as Chromium, Page } from 'playwright-core';

import { type Program, prepareProgram } from '../harness/program.ts';
import { launchChromium, openPage, tabTo, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import {
  bytesProblems,
  type CheckPage,
  layoutProblems,
  lookAt,
  openCheckPage,
  type Screen,
} from './connect-page-checks.ts';

const PASSWORD = 'seven kettles sing at noon';
const SCREENS: readonly Screen[] = [320, 390, 768, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);
/** Names that a stranger may have. */
const NAME = '<b>Ada</b> "O’Hara" & Söhne שלום';

describe('the dashboard in Chromium', { skip: WITHOUT_CHROMIUM }, () => {
  let program: Program;
  let chromium: Chromium;
  let checks: CheckPage;
  let invitation = '';
  before(async () => {
    program = await prepareProgram();
    await program.start();
    chromium = await launchChromium();
    checks = await openCheckPage(await chromium.newContext({ reducedMotion: 'reduce' }));
  });
  after(async () => {
    await chromium?.close();
    await program?.dispose();
  });

  const dashboard = () => `${program.url.replace('127.0.0.1', 'localhost')}/dashboard`;
  const opened = (options: BrowserContextOptions = {}) =>
    openPage(chromium, { viewport: { width: 1280, height: 800 }, ...options });
  const fill = async (page: Page, fields: Readonly<Record<string, string>>) => {
    for (const [label, text] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(text);
  };

  it('is set up by the link that the command line makes, with no more than the keyboard', async () => {
    const { url } = await program.command('admin', 'invite', '--role', 'owner');
    const { page, complaints, close } = await opened();
    await page.goto(String(url));
    // The first field has the focus once the page is drawn.
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(NAME);
    await page.keyboard.press('Tab');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await tabTo(page, 'Join and sign in');
    await page.keyboard.press('Enter');
    await page.waitForURL(dashboard());
    assert.equal(await page.locator('.who bdi').textContent(), NAME);
    assert.deepEqual(complaints, []);
    await page.goto(String(url));
    assert.equal(await page.title(), 'This link has expired – Kalends');
    await close();
  });

  const signedIn = async (options: BrowserContextOptions = {}) => {
    const watched = await opened(options);
    await watched.page.goto(dashboard());
    await fill(watched.page, { 'E-mail address': 'ada@example.com', Password: PASSWORD });
    await watched.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await watched.page.waitForURL(dashboard());
    return watched;
  };

  it('works without JavaScript', async () => {
    const { page, close } = await signedIn({ javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await page.getByRole('link', { name: 'Invite member' }).click();
    await fill(page, { 'E-mail address (optional)': 'grace@example.com' });
    await page.getByLabel('Viewer').check();
    await page.getByRole('button', { name: 'Create link' }).click();
    invitation = (await page.locator('#link').textContent()) ?? '';
    assert.match(invitation, /\/dashboard\/join\/[\w-]{43}$/);
    await page.getByRole('link', { name: 'Done' }).click();
    assert.match((await page.textContent('main')) ?? '', /grace@example\.com/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    assert.match(page.url(), /\/dashboard\/sign-in$/);
    await close();
  });

  it('its doors are right on each screen, in both schemes, and light to load', async () => {
    const { page, complaints, close } = await signedIn();
    // test/dashboard/pages-in-chromium.test.ts checks the pages of the route table; no link leads to these.
    const paths = ['', '/nothing-here'];
    const urls = paths.map((path) => dashboard() + path);
    const stranger = await opened();
    const doors = [`${dashboard()}/sign-in`, invitation, `${dashboard()}/join/${'x'.repeat(43)}`];
    const problems: string[] = [];
    for (const [tab, url] of [
      ...urls.map((one) => [page, one] as const),
      ...doors.map((one) => [stranger.page, one] as const),
    ]) {
      await tab.goto(url);
      const markup = await tab.content();
      const said = [...bytesProblems(markup)];
      await checks.load({ url, markup });
      for (const screen of SCREENS) {
        await lookAt(checks.page, screen);
        await checks.resize(screen);
        const found = [...(await checks.axeProblems()), ...(await layoutProblems(checks.page))];
        said.push(...found.map((problem) => `${screen.width} ${screen.scheme}: ${problem}`));
      }
      problems.push(...said.map((problem) => `${url}: ${problem}`));
    }
    assert.deepEqual(problems, []);
    assert.deepEqual([...complaints, ...stranger.complaints], []);
    await stranger.close();
    await close();
  });

  it('an invited member can do what their role allows, and is refused anything else with a reason', async () => {
    const { page, close } = await opened();
    await page.goto(invitation);
    await fill(page, { 'Your name': 'Grace', Password: 'nine purple walruses dance' });
    await page.getByRole('button', { name: 'Join and sign in' }).click();
    await page.waitForURL(dashboard());
    assert.equal(await page.getByRole('link', { name: 'Members', exact: true }).count(), 0);
    await page.goto(`${dashboard()}/people`);
    assert.match((await page.textContent('main')) ?? '', /The role Viewer does not allow this/);
    await close();
  });
});
