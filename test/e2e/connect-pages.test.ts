/**
 * The Connect pages in a real browser, with the shipped program and a real CalDAV server (docs/wire.md 4).
 * connect-matrix.test.ts tests how the pages look, connect-keyboard.test.ts the keyboard.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser as Chromium, Page } from 'playwright-core';
import { until } from '../harness/until.ts';
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

describe('the Connect pages in Chromium', { skip: WITHOUT_CHROMIUM || WITHOUT_RADICALE }, () => {
  let site: Site;
  let browser: Chromium;
  let callback: CallbackServer;
  let application: Application;
  before(async () => {
    site = await openSite({ env: { KALENDS_OPERATOR_NAME: 'Northwind' } });
    browser = await launchChromium();
    callback = await startCallback();
    const { redirectUri } = callback;
    const made = await site.program.createClient({ displayName: 'Acme Planner', redirectUri });
    application = { ...made, url: site.program.url };
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
    await page.getByRole('link', { name: 'Enter the server address' }).click();
    await page.getByLabel('Server URL').fill(site.login.server);
    await page.getByLabel('Username').fill(site.login.username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Connect').click();
  };

  it('the Connect pages lead to the callback once, however fast Allow is clicked', async () => {
    const watched = await open('fast', {}, { javaScriptEnabled: false });
    const { page } = watched;
    await linkCalDav(page);

    await button(page, 'Allow').dblclick({ noWaitAfter: true });
    // The second click ends the first one's navigation, which `waitForURL` would report as a failure.
    const arrived = () => page.url().startsWith(`${callback.redirectUri}?`);
    for (let i = 0; i < 300 && !arrived(); i++) await page.waitForTimeout(50);

    assert.equal(new URL(page.url()).searchParams.get('code'), 'fast');
    await watched.close();
  });

  it('the Connect pages return access_denied when the user cancels', async () => {
    const watched = await open('canceller', { state: 'abc' });

    await button(watched.page, 'Cancel').click();
    await watched.page.waitForURL(`${callback.redirectUri}?**`);

    const { error, state } = Object.fromEntries(new URL(watched.page.url()).searchParams);
    assert.deepEqual([error, state], ['access_denied', 'abc']);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });

  it('the Connect pages say what is wrong at the form, keep what was typed, and go on where it is to be corrected', async () => {
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

  it('the Connect pages remove an account that was just linked and then lead no further', async () => {
    const watched = await open('leaver');
    const { page } = watched;
    await linkCalDav(page);

    await page.getByLabel(/^Options for /).click();
    await page.getByRole('button', { name: /^Remove / }).click();

    const announcement = page.getByRole('status', { name: 'The account was removed.', exact: true });
    await announcement.and(page.locator(':focus')).waitFor();
    assert.equal(await button(page, 'Continue').count(), 0);
    await watched.close();
  });

  it('the Connect pages keep the ways on in view on a small telephone, wherever the page is scrolled to', async () => {
    const watched = await open('small', {}, { viewport: { width: 360, height: 640 } });
    const { page } = watched;
    await linkCalDav(page);
    await button(page, 'Allow').waitFor();

    for (const place of [0, 150, 10_000]) {
      await page.evaluate(`scrollTo(0, ${place})`);
      const box = await button(page, 'Allow').boundingBox();
      const isAtEnd = await page.evaluate(
        'scrollY + innerHeight >= document.documentElement.scrollHeight - 200',
      );

      assert.ok(isAtEnd || (box !== null && box.y >= 0 && box.y + box.height <= 640), `at ${place}`);
    }
    await watched.close();
  });

  it('the Connect pages show all text of consent above the bar on a telephone of 390 by 844', async () => {
    const watched = await open('glance', { scope: 'read-write' }, { viewport: { width: 390, height: 844 } });
    const { page } = watched;
    await linkCalDav(page);
    await page.getByText('Not verified by Northwind').waitFor();
    await page.locator('.state.loading').waitFor({ state: 'detached' });

    const text = await page.locator('.small-print').last().boundingBox();
    const bar = await page.locator('.actions').boundingBox();

    assert.equal(await page.evaluate('scrollY'), 0);
    assert.ok(text !== null && bar !== null && text.y + text.height <= bar.y, JSON.stringify({ text, bar }));
    assert.ok(bar.y + bar.height <= 844);
    await watched.close();
  });

  it('the Connect pages round the bar like the card around it, and square it without a card', async () => {
    const watched = await open('corners');
    const { page } = watched;
    await linkCalDav(page);
    const cornersAt = async (width: number) => {
      await page.setViewportSize({ width, height: 800 });
      return page.evaluate(
        "['main', '.actions'].map((name) => parseFloat(getComputedStyle(document.querySelector(name)).borderEndEndRadius))",
      );
    };
    const onSelection = [await cornersAt(800), await cornersAt(390)];

    // The link appears once the calendars are listed.
    const options = page.getByLabel(/^Options for /);
    const hasLink = async () => (await page.locator('.options a').count()) > 0;
    await until('the account has options', hasLink, () => page.reload());
    await options.click();
    await page.getByRole('link', { name: /^Choose calendars/ }).click();
    await page.getByRole('heading', { name: 'Choose calendars' }).waitFor();

    const onChoice = [await cornersAt(800), await cornersAt(390)];
    for (const corners of [onSelection, onChoice])
      assert.deepEqual(corners, [
        [12, 11],
        [0, 0],
      ]);
    await watched.close();
  });

  it('the Connect pages unfold further ways to connect, and an account’s options, without JavaScript', async () => {
    const watched = await open('unfolder', {}, { javaScriptEnabled: false });
    const { page } = watched;
    await linkCalDav(page);
    assert.equal(await button(page, 'Connect calendar link (.ics)').isVisible(), false);

    const options = page.getByLabel(/^Options for /);
    await options.click();
    await page.getByRole('button', { name: /^Remove / }).waitFor();
    await options.click();
    await page.getByText('Connect another account', { exact: true }).click();
    await button(page, 'Connect calendar link (.ics)').click();

    await page.getByLabel('Calendar address').waitFor();
    await watched.close();
  });

  it('the Connect pages show a password on demand, and hide it again before it is sent', async () => {
    const watched = await open('peeker');
    const { page } = watched;
    await button(page, 'Connect CalDAV').click();
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('secret');
    const shown = page.getByRole('button', { name: 'Show password', exact: true });

    await shown.click();

    assert.equal(await password.getAttribute('type'), 'text');
    assert.equal(await shown.getAttribute('aria-pressed'), 'true');
    await page.getByRole('status').getByText('The password is shown.').waitFor();
    await shown.click();
    assert.equal(await password.getAttribute('type'), 'password');
    await watched.close();
  });

  it('the Connect pages say on a button what it waits for, and it is still called the same', async () => {
    const watched = await open('waiter');
    const { page } = watched;
    await button(page, 'Connect CalDAV').click();
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('secret');
    // The form is never sent, so that there is time to look.
    await page.evaluate("addEventListener('submit', (event) => event.preventDefault())");

    await button(page, 'Connect').click();

    await page.getByRole('status').getByText('Looking for your server…').waitFor();
    await button(page, 'Connect').locator('.wait', { hasText: 'Looking for your server…' }).waitFor();
    await watched.close();
  });

  it('the Connect pages change colours without JavaScript, and lose nothing that was typed but the password', async () => {
    const watched = await open('painter', {}, { javaScriptEnabled: false });
    const { page } = watched;
    await button(page, 'Connect CalDAV').click();
    assert.equal(await page.getByRole('button', { name: 'Show password' }).count(), 0);
    await page.getByLabel('E-mail address').fill('ada@example.com');

    await button(page, 'Dark').click();

    await page.locator('html[data-theme="dark"]').waitFor();
    assert.equal(await page.getByLabel('E-mail address').inputValue(), 'ada@example.com');
    await watched.close();
  });

  it('the Connect pages change language and colours on an error page too', async () => {
    const watched = await openPage(browser, { javaScriptEnabled: false });
    const { page } = watched;
    await page.goto(`${site.program.url}/authorize?client_id=nobody`);
    await page.locator('summary', { hasText: 'Language' }).click();

    await button(page, 'Deutsch').click();
    await page.getByRole('heading', { name: 'Dieser Link funktioniert nicht' }).waitFor();
    await button(page, 'Dunkel').click();

    await page.locator('html[data-theme="dark"][lang="de"]').waitFor();
    await watched.close();
  });

  it('the Connect pages name every provider’s button "Connect <provider>" and say why one cannot be used', async () => {
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
});
