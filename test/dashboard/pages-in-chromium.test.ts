/**
 * Every page of the dashboard's route table in Chromium, with data: accessible and well laid out from 320 px to the
 * desktop, light and dark, and free of violations of its Content-Security-Policy.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Page } from 'playwright-core';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { launchChromium, tabTo, WITHOUT_CHROMIUM } from '../e2e/connect-chromium.ts';
import {
  bytesProblems,
  DRAWN,
  type Drawn,
  isDrawnAnew,
  layoutProblems,
  openCheckPage,
  type Screen,
} from '../e2e/connect-page-checks.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { scale } from '../harness/rounds.ts';
import { type DashboardApp, type DashboardBrowser, ORIGIN, openDashboardApp } from './dashboard-app.ts';
import { openInChromium } from './dashboard-in-chromium.ts';
import { isPage, type Stop, tourDashboard } from './dashboard-tour.ts';
import { plantDashboard } from './planted-dashboard.ts';
import { plantDelivery, plantEndpoints } from './planted-deliveries.ts';

type LaidOutScreen = Screen & { readonly isLaidOut: boolean };
/**
 * The narrowest and the widest screen, in both schemes; all rules of axe run on the first. A soak runs each in both
 * schemes.
 */
const SCREENS: readonly LaidOutScreen[] = [
  { width: 320, scheme: 'dark', isLaidOut: true },
  { width: 1280, scheme: 'light', isLaidOut: true },
  ...(scale() === 1
    ? []
    : ([
        { width: 320, scheme: 'light', isLaidOut: false },
        { width: 1280, scheme: 'dark', isLaidOut: false },
      ] as const)),
];
/** The layout is checked on this screen as well. */
const BETWEEN: LaidOutScreen = { width: 768, scheme: 'dark', isLaidOut: true };
/** By default axe does not check target sizes. */
const DRAWN_HERE = [...DRAWN, 'target-size'];

onEachDatabase((database, open) => {
  if (database !== 'SQLite') return;

  describe('every page of the dashboard in Chromium', { skip: WITHOUT_CHROMIUM }, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let chromium: Chromium;
    let pages: readonly Stop[];
    before(async () => {
      dashboard = await openDashboardApp(await open());
      dashboard.clock.now = NOW + 60_000;
      owner = await dashboard.signedIn('owner');
      await plantDashboard(dashboard, 'Ada');
      const get = (address: string) => owner.get(address);
      const { stops } = await tourDashboard(allDashboardRoutes(dashboard.deps), { get });
      // The tests of the Connect pages check what the preview frame shows.
      pages = stops.filter(({ answer, route }) => isPage(answer) && !route.includes('/preview/'));
      chromium = await launchChromium();
    });
    after(async () => {
      await chromium?.close();
      await dashboard?.app.close();
    });

    it('breaks no rule of axe, nor leaves its place, and is light', async () => {
      const checks = await openCheckPage(await chromium.newContext({ reducedMotion: 'reduce' }));
      const problems: string[] = [];
      const drawn: Drawn = new Map();
      const pictures = process.env.KALENDS_TEST_PICTURES;
      if (pictures) await mkdir(pictures, { recursive: true });
      for (const { route, address, answer } of pages) {
        const said = bytesProblems(answer.body);
        await checks.load({ url: ORIGIN + address, markup: answer.body });
        const isNew = await isDrawnAnew(checks.page, drawn);
        for (const screen of [...SCREENS, BETWEEN]) {
          await checks.resize(screen);
          // The color scheme does not affect the layout.
          const found = screen.isLaidOut ? await layoutProblems(checks.page) : [];
          if (screen === SCREENS[0]) found.push(...(await checks.axeProblems()));
          else if (isNew && screen !== BETWEEN) found.push(...(await checks.axeProblems(DRAWN_HERE)));
          said.push(...found.map((problem) => `${screen.width} ${screen.scheme}: ${problem}`));
          if (pictures) {
            const name = `${route.replaceAll(/\W+/g, '-').slice(11)}.${screen.width}.${screen.scheme}.png`;
            await checks.page.screenshot({ path: path.join(pictures, name), fullPage: true });
          }
        }
        problems.push(...said.map((problem) => `${route}: ${problem}`));
      }
      assert.deepEqual(problems, []);
    });

    it('is all that its Content-Security-Policy admits, with and without JavaScript', async () => {
      for (const javaScriptEnabled of [true, false]) {
        const { page, complaints, close } = await openInChromium(chromium, dashboard, owner, {
          javaScriptEnabled,
        });
        for (const { address } of pages) {
          await page.goto(ORIGIN + address, { waitUntil: 'domcontentloaded' });
          assert.ok((await page.title()).endsWith(' – Kalends'), address);
          assert.deepEqual(complaints, [], address);
          // Without JavaScript one page is enough, since no script can fail.
          if (!javaScriptEnabled) break;
        }
        await close();
      }
    });

    it('by keyboard alone, without scripts, the menu of a telephone unfolds and leads on, and forms are filled and sent', async () => {
      const { page, complaints, close } = await openInChromium(chromium, dashboard, owner, {
        javaScriptEnabled: false,
      });
      const press = async (name: string) => {
        await tabTo(page, name);
        await page.keyboard.press('Enter');
      };
      await page.goto(`${ORIGIN}/dashboard`);
      await press('Menu');
      await press('Applications');
      await page.waitForURL(`${ORIGIN}/dashboard/applications`);
      await press('Create application');
      await page.waitForURL(`${ORIGIN}/dashboard/applications/new`);
      for (const [name, text] of [
        ['name', 'By keyboard'],
        ['redirect_uris', 'https://keys.example/callback'],
      ] as const) {
        await tabToField(page, name);
        await page.keyboard.type(text);
      }
      await press('Create application');
      await page.getByText('By keyboard').first().waitFor();

      await page.goto(`${ORIGIN}/dashboard/deliveries`);
      await press('Add filter');
      await tabToField(page, 'user');
      await page.keyboard.type('nobody');
      await page.keyboard.press('Enter');
      await page.waitForURL(/user=nobody/);
      await page.getByRole('link', { name: 'Remove the filter User: nobody' }).press('Enter');
      await page.waitForURL(`${ORIGIN}/dashboard/deliveries`);
      assert.deepEqual(complaints, []);
      await close();
    });

    it('a live list shows what is new, and stays while the server is away', async () => {
      let isAway = false;
      const { page, complaints, close } = await openInChromium(chromium, dashboard, owner, {
        isAway: () => isAway,
      });
      await page.clock.install();
      await page.goto(`${ORIGIN}/dashboard/deliveries`);
      const rows = page.locator('[data-live] tbody tr');
      const before = await rows.count();
      await plantEndpoints(dashboard);
      const told = { clientId: 'acme', state: 'delivered', createdAt: dashboard.clock.now } as const;
      await plantDelivery(dashboard, { ...told, messageId: 'msg_new' });

      isAway = true;
      await page.clock.runFor(5_000);
      assert.equal(await rows.count(), before);
      isAway = false;
      await page.clock.runFor(5_000);
      await page.locator('a[href$="msg_new"]').waitFor();

      assert.equal(await rows.count(), before + 1);
      const time = page.locator('[data-live] time').first();
      assert.match((await time.getAttribute('title')) ?? '', /UTC/);
      assert.deepEqual(complaints, []);
      await close();
    });
  });
});

/** More stops than any page has. */
const MOST_STOPS = 60;

async function tabToField(page: Page, name: string): Promise<void> {
  const field = page.locator(`[name="${name}"]:focus`);
  for (let presses = 0; (await field.count()) === 0; presses += 1) {
    assert.ok(presses < MOST_STOPS, `The keyboard does not reach ${name}`);
    await page.keyboard.press('Tab');
  }
}
