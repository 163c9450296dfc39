/** The Connect pages in a real browser, on the program as shipped and a real CalDAV server (wire 4, threat "Pages"). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import axe from 'axe-core';
import type { Browser as Chromium, Page } from 'playwright-core';

import { LANGUAGES } from '../../src/connect/messages.ts';
import {
  type CallbackServer,
  launchChromium,
  openPage,
  startCallback,
  type Watched,
  WITHOUT_CHROMIUM,
} from './connect-chromium.ts';
import { type Application, authorizeUrl } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

/** Markup, letters that run the other way, a long word and an emoji: all of it is text. */
const HOSTILE_NAME = `<b>Evil</b> שלום ${'W'.repeat(170)} 🗓️`;
const PAGE_BYTES = 60 * 1024;

describe('the Connect pages in Chromium', { skip: WITHOUT_CHROMIUM || WITHOUT_RADICALE }, () => {
  let site: Site;
  let browser: Chromium;
  let callback: CallbackServer;
  let application: Application;
  let hostile: Application;
  before(async () => {
    [site, browser, callback] = await Promise.all([openSite(), launchChromium(), startCallback()]);
    const register = async (displayName: string) => ({
      ...(await site.program.createClient({ displayName, redirectUri: callback.redirectUri })),
      url: site.program.url,
    });
    application = await register('Acme Planner');
    hostile = await register(HOSTILE_NAME);
  });
  after(async () => {
    await browser?.close();
    await callback?.close();
    await site?.close();
  });

  const open = async (userId: string, parameters = {}, options = {}): Promise<Watched> => {
    const watched = await openPage(browser, options);
    await watched.page.goto(authorizeUrl(application, { userId, parameters }));
    return watched;
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const linkCalDav = async (page: Page, password = site.login.password) => {
    await button(page, 'Connect CalDAV').click();
    await page.getByLabel('Server URL').fill(site.login.server);
    await page.getByLabel('Username').fill(site.login.username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Connect').click();
  };

  it('lead to the callback without JavaScript, by keyboard alone', async () => {
    const watched = await open('keys', { state: 's+%' }, { javaScriptEnabled: false });
    const { page } = watched;

    await pressAt(page, 'Connect CalDAV');
    await typeAt(page, 'Server URL', site.login.server);
    await typeAt(page, 'Username', site.login.username);
    await typeAt(page, 'Password', site.login.password);
    await page.keyboard.press('Enter');
    await page.getByText('CalDAV is connected').waitFor();
    await pressAt(page, 'Continue');
    await page.getByRole('heading', { name: 'Allow access' }).waitFor();
    await pressAt(page, 'Allow');
    await page.waitForURL(`${callback.redirectUri}?**`);

    assert.deepEqual(Object.fromEntries(callback.received.at(-1)?.searchParams ?? []), {
      code: 'keys',
      state: 's+%',
    });
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it('lead to the callback once, however fast Allow is clicked', async () => {
    const watched = await open('fast', {}, { javaScriptEnabled: false });
    const { page } = watched;
    await linkCalDav(page);
    await button(page, 'Continue').click();

    await button(page, 'Allow').dblclick({ noWaitAfter: true });
    // The second click ends the first one's navigation, which waitForURL would take for a failure.
    const arrived = () => page.url().startsWith(`${callback.redirectUri}?`);
    for (let i = 0; i < 300 && !arrived(); i++) await page.waitForTimeout(50);

    assert.equal(new URL(page.url()).searchParams.get('code'), 'fast');
    await watched.close();
  });

  it('return access_denied when the user cancels', async () => {
    const watched = await open('canceller', { state: 'abc' });

    await button(watched.page, 'Cancel').click();
    await watched.page.waitForURL(`${callback.redirectUri}?**`);

    const { error, state } = Object.fromEntries(new URL(watched.page.url()).searchParams);
    assert.deepEqual([error, state], ['access_denied', 'abc']);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it('say what is wrong at the form, keep what was typed, and go on where it is to be corrected', async () => {
    const watched = await open('typo');
    const { page } = watched;

    await linkCalDav(page, 'wrong');

    await page.getByRole('alert').getByText('does not accept this username and password').waitFor();
    assert.equal(await page.getByLabel('Server URL').inputValue(), site.login.server);
    assert.equal(await page.getByLabel('Username').inputValue(), site.login.username);
    const password = page.getByLabel('Password', { exact: true });
    assert.equal(await password.inputValue(), '');
    assert.equal(await password.evaluate((field) => field === field.ownerDocument.activeElement), true);
    await watched.close();
  });

  it('disconnect an account and then lead no further', async () => {
    const watched = await open('leaver');
    const { page } = watched;
    await linkCalDav(page);

    await page.getByRole('button', { name: /^Disconnect / }).click();

    await page.getByText('The account is disconnected').waitFor();
    assert.equal(await button(page, 'Continue').isDisabled(), true);
    await watched.close();
  });

  it('name every provider’s button "Connect <provider>" and say why one cannot be used', async () => {
    const watched = await open('names');

    for (const provider of ['Google', 'Microsoft']) {
      const greyed = button(watched.page, `Connect ${provider}`);
      assert.equal(await greyed.isDisabled(), true);
      assert.match((await greyed.textContent()) ?? '', /Not available/);
    }
    for (const provider of ['Apple', 'CalDAV']) {
      assert.equal(await button(watched.page, `Connect ${provider}`).isEnabled(), true);
    }
    await watched.close();
  });

  for (const theme of ['light', 'dark']) {
    it(`have nothing that axe finds fault with, in the ${theme} theme`, async () => {
      for (const page of await everyPage('axe', { theme })) {
        assert.deepEqual(await violationsOn(page), [], await page.title());
        await page.context().close();
      }
    });
  }

  for (const language of LANGUAGES) {
    it(`fit 320 pixels in ${language}, whatever the application is called`, async () => {
      const pages = await everyPage('narrow', { lng: language }, hostile, { width: 320, height: 640 });
      for (const page of pages) {
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.equal(overflow, 0, await page.title());
        assert.equal(await page.evaluate('document.documentElement.lang'), language);
        assert.equal(await page.locator('b').count(), 0);
        await page.context().close();
      }
    });
  }

  it('are one request of at most 60 KB each', async () => {
    const watched = await openPage(browser);
    await watched.page.goto(authorizeUrl(application, { userId: 'light' }));
    const before = watched.requests.length;

    const answer = await watched.page.reload();

    assert.equal(watched.requests.length - before, 1);
    assert.ok(((await answer?.body())?.length ?? Infinity) <= PAGE_BYTES);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  /** Selection, both forms, a form with an error, selection with an account, consent, error: each open. */
  async function everyPage(
    userId: string,
    parameters = {},
    at = application,
    viewport?: Size,
  ): Promise<Page[]> {
    const options = viewport === undefined ? {} : { viewport };
    const context = await openPage(browser, options);
    const url = authorizeUrl(at, { userId: `${userId} ${JSON.stringify(parameters)}`, parameters });
    await context.page.goto(url);
    const transaction = new URL(context.page.url()).searchParams.get('transaction');
    const to = async (path: string) => {
      const { page } = await openPage(browser, { ...options, storageState: await storage(context.page) });
      await page.goto(site.program.url + path);
      return page;
    };
    const form = `/connect/caldav?transaction=${transaction}`;
    const selection = await to(new URL(context.page.url()).search.replace(/^/, '/authorize'));
    const wrong = await to(form);
    await fill(wrong, 'wrong');
    await context.page.goto(site.program.url + form);
    await fill(context.page, site.login.password);
    return [
      selection,
      wrong,
      await to(`/connect/apple?transaction=${transaction}`),
      await to(`/connect/consent?transaction=${transaction}`),
      await to(`/authorize?client_id=nobody&${new URLSearchParams(parameters)}`),
      context.page,
    ];
  }

  async function fill(page: Page, password: string): Promise<void> {
    await page.locator('#server').fill(site.login.server);
    await page.locator('#username').fill(site.login.username);
    await page.locator('#password').fill(password);
    await page.locator('form.fields button').click();
    await page.locator('.notice').waitFor();
  }
});

type Size = { readonly width: number; readonly height: number };

const storage = (page: Page) => page.context().storageState();

/** The rules broken and where, without the rest of axe's report. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
  );
  return Array.isArray(found) ? found.map(String) : ['axe did not run'];
}

/** Tabs to the control with this name, as somebody without a mouse does; throws when it is never reached. */
async function tabTo(page: Page, name: string): Promise<void> {
  const control = page.getByRole('button', { name, exact: true }).or(page.getByLabel(name, { exact: true }));
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab');
    if (await control.and(page.locator(':focus')).count()) return;
  }
  throw new Error(`The keyboard does not reach ${name}`);
}

async function pressAt(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  const url = page.url();
  await page.keyboard.press('Enter');
  await page.waitForURL((now) => now.href !== url);
}

async function typeAt(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.type(text);
}
