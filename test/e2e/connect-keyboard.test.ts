/** The Connect pages by keyboard alone, in both directions, and without JavaScript (WCAG 2.2: 2.1.1, 2.4.3, 2.4.7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Locator, Page } from 'playwright-core';

import { launchChromium, openPage, WITHOUT_CHROMIUM } from './connect-chromium.ts';
import { openTourSite, type TourSite } from './connect-tour-site.ts';
import { Walker } from './connect-walker.ts';
import { WITHOUT_RADICALE } from './site.ts';

/** More stops than any page has. */
const MOST_STOPS = 60;

describe('the Connect pages by keyboard', { skip: WITHOUT_CHROMIUM || WITHOUT_RADICALE }, () => {
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

  for (const [language, javaScriptEnabled] of [
    ['en', false],
    ['ar', true],
  ] as const) {
    const how = javaScriptEnabled ? 'with' : 'without';
    it(`the Connect pages by keyboard lead to the callback in ${language}, ${how} JavaScript, each stop in order and with its ring`, async () => {
      const { page, complaints, close } = await openPage(browser, {
        javaScriptEnabled,
        reducedMotion: 'reduce',
      });
      const walker = new Walker(site, page, language);
      walker.userId = `keys-${language}`;
      await walker.start({ state: 's+%' });
      const problems: string[] = [];
      const look = async () => problems.push(...(await stopProblems(page, walker.messages.direction)));

      await look();
      await pressAt(page, walker.button('selection.connect', { provider: 'CalDAV' }));
      await look();
      await pressAt(page, walker.link('form.by_server'));
      await look();
      for (const [field, text] of [
        ['form.server', site.login.server],
        ['form.username', site.login.username],
        ['form.password', site.login.password],
      ] as const) {
        await tabTo(page, walker.field(field));
        await page.keyboard.type(text);
      }
      await enter(page);
      const accountName = `${site.login.username} (${new URL(site.login.server).host})`;
      await page
        .getByRole('status')
        .getByText(walker.text('selection.just_linked', { account: accountName }))
        .waitFor();
      await look();
      await pressAt(page, walker.button('consent.allow'));
      await page.waitForURL(`${site.callback.redirectUri}?**`);

      assert.deepEqual(problems, []);
      assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), {
        code: walker.userId,
        state: 's+%',
      });
      assert.deepEqual(complaints, []);
      await close();
    });
  }

  it('the Connect pages by keyboard change language and colors without JavaScript, and the flow stays on the same page', async () => {
    const { page, close } = await openPage(browser, { javaScriptEnabled: false });
    const english = new Walker(site, page, 'en');
    english.userId = 'chooser';
    await english.start();
    const transaction = english.transaction;

    await tabTo(page, page.locator('summary', { hasText: english.text('settings.language') }));
    await page.keyboard.press('Enter');
    await pressAt(page, page.getByRole('button', { name: 'Türkçe', exact: true }));
    const turkish = new Walker(site, page, 'tr');
    await page.getByRole('heading', { level: 1, name: turkish.text('selection.title') }).waitFor();
    await pressAt(page, turkish.button('settings.theme_dark'));
    await page.locator('html[data-theme="dark"][lang="tr"]').waitFor();
    await pressAt(page, turkish.button('selection.connect', { provider: 'Apple' }));

    await page.locator('html[data-theme="dark"][lang="tr"]').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('transaction'), transaction);
    await close();
  });
});

/** Tabs to the control, as a person without a mouse does; throws if it is never reached. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  // The page itself may have focused the control.
  if (await isFocused(page, control)) return;
  for (let presses = 0; presses < MOST_STOPS; presses++) {
    await page.keyboard.press('Tab');
    if (await isFocused(page, control)) return;
  }
  throw new Error(`The keyboard does not reach ${String(control)}`);
}

const isFocused = async (page: Page, control: Locator): Promise<boolean> =>
  (await control.and(page.locator(':focus')).count()) > 0;

const enter = async (page: Page): Promise<void> => {
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
};

async function pressAt(page: Page, control: Locator): Promise<void> {
  await tabTo(page, control);
  await enter(page);
}

type StopSeen = {
  readonly name: string;
  readonly hasOutline: boolean;
  readonly isSeen: boolean;
  readonly isCovered: boolean;
  readonly box: {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  };
  readonly inActions: boolean;
};

/**
 * Goes once around the page with Tab and returns stops without an outline, out of sight, or against the reading order.
 */
async function stopProblems(page: Page, direction: 'ltr' | 'rtl'): Promise<string[]> {
  await page.evaluate('document.activeElement?.blur(); getSelection()?.removeAllRanges(); scrollTo(0, 0)');
  const stops: StopSeen[] = [];
  const controls = Number(await page.evaluate(FOCUSABLE));
  for (let index = 0; index < controls; index++) {
    await page.keyboard.press('Tab');
    // The result of the expression STOP.
    stops.push((await page.evaluate(STOP)) as StopSeen);
  }
  return [
    ...stops.flatMap(({ name, hasOutline, isSeen, isCovered }) => [
      ...(hasOutline ? [] : [`no ring: ${name}`]),
      ...(isSeen ? [] : [`out of sight: ${name}`]),
      ...(isCovered ? [`covered: ${name}`] : []),
    ]),
    ...stops.slice(1).flatMap((stop, index) => {
      const before = stops[index];
      return before && isBackwards(before, stop, direction)
        ? [`${stop.name} comes after ${before.name}`]
        : [];
    }),
  ];
}

/** Reports whether a stop is above the one before it, or before it in the reading direction of the same row. */
function isBackwards(before: StopSeen, stop: StopSeen, direction: 'ltr' | 'rtl'): boolean {
  const sameRow = before.box.top < stop.box.bottom && stop.box.top < before.box.bottom;
  if (!sameRow) return stop.box.top < before.box.top;
  if (before.inActions && stop.inActions) return false;
  return direction === 'ltr' ? stop.box.left < before.box.left : stop.box.right > before.box.right;
}

const FOCUSABLE = `[...document.querySelectorAll('a[href], button:not([disabled]), input:not([type=hidden]), summary, select')].filter((element) => element.checkVisibility()).length`;

/** Boxes are relative to the page, however far it is scrolled. */
const STOP = `(() => {
  const stop = document.activeElement;
  const { left, top, right, bottom } = stop.getBoundingClientRect();
  const style = getComputedStyle(stop);
  const hasOutline = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== 'none';
  return {
    name: stop.localName + ' ' + (stop.getAttribute('aria-label') ?? stop.name ?? '') + ' ' + stop.textContent.trim().slice(0, 40),
    hasOutline,
    isSeen: top < innerHeight && bottom > 0 && left < innerWidth && right > 0,
    isCovered: !stop.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)),
    box: { left, right, top: top + scrollY, bottom: bottom + scrollY },
    inActions: stop.closest('.actions') !== null,
  };
})()`;
