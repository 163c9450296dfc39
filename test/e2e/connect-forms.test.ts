/** The Apple and CalDAV forms in a real browser: known servers, with and without JavaScript, by keyboard alone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import axe from 'axe-core';
import type { BrowserContextOptions, Browser as Chromium, Page } from 'playwright-core';

import { type Harness, openConnect } from '../connect/connect-harness.ts';
import { launchChromium, openPage, tabTo, WITHOUT_CHROMIUM } from './connect-chromium.ts';

describe('the forms in Chromium', { skip: WITHOUT_CHROMIUM }, () => {
  let harness: Harness;
  let browser: Chromium;
  let origin: string;
  before(async () => {
    harness = await openConnect();
    browser = await launchChromium();
    origin = await harness.app.listen({ port: 0, host: '127.0.0.1' });
  });
  after(async () => {
    await browser?.close();
    await harness?.close();
  });

  let user = 0;
  const openForm = async (provider: 'Apple' | 'CalDAV', options: BrowserContextOptions = {}, query = '') => {
    user += 1;
    const watched = await openPage(browser, { viewport: { width: 320, height: 640 }, ...options });
    await watched.page.goto(`${origin}/authorize?client_id=acme&user_id=form-${user}${query}`);
    await watched.page.getByRole('button', { name: `Connect ${provider}`, exact: true }).click();
    await watched.page.getByRole('heading', { name: `Connect ${provider}` }).waitFor();
    if (provider === 'CalDAV') {
      await watched.page.getByRole('link', { name: 'Enter the server address' }).click();
      await watched.page.getByLabel('Server URL').waitFor();
    }
    return watched;
  };
  const focusOf = (page: Page) => page.evaluate('document.activeElement.id');

  it('the forms in Chromium choose a server and link an account by keyboard alone, typing over what only the user knows', async () => {
    const { page, close, complaints } = await openForm('CalDAV');
    await tabTo(page, 'Nextcloud');
    await page.keyboard.press('Enter');
    await page.getByText('with the name of your own server').waitFor();

    await page.keyboard.type('cloud.example.org');
    assert.equal(
      await page.getByLabel('Server URL').inputValue(),
      'https://cloud.example.org/remote.php/dav',
    );
    for (const text of ['ada', 'right']) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');

    await page.getByText(/^ada\b.* is connected\.$/).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  it('the forms in Chromium choose a server without JavaScript, and focus the next field to fill in', async () => {
    const { page, close } = await openForm('CalDAV', { javaScriptEnabled: false });

    await page.getByRole('link', { name: 'Fastmail' }).click();
    await page.getByText('This is the address of Fastmail').waitFor();
    await page.keyboard.type('ada@fastmail.com');

    assert.equal(await page.getByLabel('Server URL').inputValue(), 'https://caldav.fastmail.com/');
    assert.equal(await page.getByLabel('Username').inputValue(), 'ada@fastmail.com');
    await close();
  });

  it('the forms in Chromium stand on the first wrong field, which a screen reader hears the reason at', async () => {
    const { page, close } = await openForm('Apple');
    await page.getByLabel('Apple Account').fill('ada@icloud.com');
    await page.getByLabel('App-specific password').fill('Summer2026!');

    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('alert').waitFor();

    assert.equal(await focusOf(page), 'password');
    const announcement = await page.evaluate(
      "document.activeElement.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' ')",
    );
    assert.match(
      String(announcement),
      /Check this field\..*This does not look like an app-specific password.*16 letters/s,
    );
    assert.equal(await page.getByLabel('App-specific password').inputValue(), '');
    await close();
  });

  for (const query of ['&theme=light', '&theme=dark', '&lng=ar']) {
    it(`the forms in Chromium have no fault of axe’s and no overflow at 320 pixels with ${query}`, async () => {
      for (const kind of ['caldav', 'apple']) {
        const { page, close } = await openPage(browser, { viewport: { width: 320, height: 640 } });
        await page.goto(`${origin}/authorize?client_id=acme&user_id=axe${query}`);
        const transaction = new URL(page.url()).searchParams.get('transaction');
        for (const preset of kind === 'caldav' ? ['', 'nextcloud', 'zoho'] : ['']) {
          await page.goto(`${origin}/connect/${kind}?transaction=${transaction}&by=server&preset=${preset}`);
          await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
          await page.evaluate(axe.source);
          const violations = await page.evaluate(
            'axe.run().then(({ violations }) => violations.map(({ id }) => id))',
          );

          assert.deepEqual(violations, [], `${kind} ${preset}`);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
        }
        await close();
      }
    });
  }
});
