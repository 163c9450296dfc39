/**
 * The choice of language and colours on the Connect pages, and its precedence (docs/wire.md 4.2, 4.3). On
 * SQLite.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { chooseTheme } from '../../src/connect/pages/appearance.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());

const themeShown = ({ body }: Answer): string | undefined => /data-theme="(\w+)"/.exec(body)?.[1];

describe('the theme of a page', () => {
  const cases: [rule: string, ...Parameters<typeof chooseTheme>, shown: string][] = [
    ['is the one sent, before the application’s and the remembered one', 'light', 'dark', 'dark', 'light'],
    ['is the device’s when auto was sent outright', 'auto', 'dark', 'dark', 'auto'],
    ['is the application’s, before the remembered one', undefined, 'dark', 'light', 'dark'],
    ['is the remembered one where the application leaves it', undefined, 'auto', 'light', 'light'],
    ['is the device’s where nobody chose', undefined, 'auto', undefined, 'auto'],
  ];
  for (const [rule, sent, application, remembered, expected] of cases) {
    it(`the theme of a page ${rule}`, () =>
      assert.equal(chooseTheme(sent, application, remembered), expected));
  }

  it('the theme of a page can be chosen at the page’s foot, and is remembered for a year and for the next flow', async () => {
    const browser = new Browser(harness);
    const selection = await browser.start();

    const chosen = await browser.submit(selection, '/connect/theme', { theme: 'dark' });
    const back = await browser.get(chosen.location);
    const next = await browser.start({ user_id: 'somebody' });

    assert.equal(chosen.status, 303);
    assert.match(
      String(chosen.headers['set-cookie']),
      /kalends_theme=dark; Max-Age=31536000; Path=\/; SameSite=Lax$/,
    );
    assert.deepEqual([themeShown(selection), themeShown(back), themeShown(next)], ['auto', 'dark', 'dark']);
    assert.match(back.body, /value="dark" aria-pressed="true"/);
  });

  it('the theme of a page is not offered for choice where the request or the application has decided', async () => {
    await harness.looks.changeLook('acme', { theme: 'light' }, { now: 1, by: undefined });
    const decided = await new Browser(harness).start();
    await harness.looks.changeLook('acme', { theme: 'auto' }, { now: 1, by: undefined });
    const sent = await new Browser(harness).start({ theme: 'auto' });

    for (const page of [decided, sent]) assert.doesNotMatch(page.body, /action="\/connect\/theme"/);
    assert.equal(themeShown(decided), 'light');
  });

  it('the theme of a page stays as it is when another word is sent', async () => {
    const browser = new Browser(harness);

    const answer = await browser.submit(await browser.start(), '/connect/theme', { theme: 'x; Path=/evil' });

    assert.deepEqual([answer.status, answer.headers['set-cookie']], [303, undefined]);
  });
});

describe('the language of a page', () => {
  it('the language of a page can be chosen at its foot, holds for the rest of the flow and leads back to the same page', async () => {
    const browser = new Browser(harness);
    const one = await browser.link(await browser.start({ lng: 'en' }));
    const linked = await browser.link(one, 'bob@example.com');
    const consentPath = `/connect/consent?transaction=${transactionOf(linked)}`;
    const consent = await browser.get(consentPath);

    const chosen = await browser.submit(consent, '/connect/language', { language: 'ar' });

    assert.equal(chosen.location, consentPath);
    assert.match((await browser.get(chosen.location)).body, /<html lang="ar" dir="rtl"/);
  });

  for (const kind of ['apple', 'caldav']) {
    it(`the language of a page is chosen on the ${kind} form with what was typed so far, which stays, but for the password`, async () => {
      const browser = new Browser(harness);
      const transaction = transactionOf(await browser.start({ lng: 'en' }));
      const form = await browser.get(`/connect/${kind}?transaction=${transaction}&by=server`);
      assert.match(form.body, /<button name="language" value="de" lang="de" form="login" formnovalidate>/);
      const typed = { server: 'dav.example.com', username: 'ada@', password: 'half-typed' };

      const chosen = await browser.submit(form, `/connect/${kind}`, { ...typed, language: 'de' });

      assert.equal(chosen.status, 200);
      assert.match(chosen.body, /<html lang="de"/);
      assert.match(chosen.body, /id="username" name="username" value="ada@"/);
      if (kind === 'caldav') assert.match(chosen.body, /name="server" value="dav.example.com"/);
      assert.doesNotMatch(chosen.body, /half-typed|id="trouble"/);
      const selection = await browser.get(`/authorize?transaction=${transaction}`);
      assert.match(selection.body, /<html lang="de"/);
      assert.doesNotMatch(selection.body, /ada@/);
    });
  }

  it('the language of a page is offered in every language by its own name', async () => {
    const { body } = await new Browser(harness).start({ lng: 'de' });

    assert.match(body, /value="de" lang="de" aria-current="true">Deutsch/);
    assert.match(body, /value="ar" lang="ar">العربية/);
  });

  it('the language of a page stays as it is when there is no such language', async () => {
    const browser = new Browser(harness);

    const answer = await browser.submit(await browser.start(), '/connect/language', { language: 'tlh' });

    assert.match((await browser.get(answer.location)).body, /<html lang="en"/);
  });
});

describe('both choices', () => {
  it('the choice of a language is refused without the page’s own token', async () => {
    const browser = new Browser(harness);
    const fields = { language: 'fr', token: 'x' };

    const { status } = await browser.submit(await browser.start(), '/connect/language', fields);

    assert.equal(status, 403);
  });

  it('the choice of colours changes nothing when another site sends it, and needs no request of a page', async () => {
    const browser = new Browser(harness);
    const error = await browser.get('/authorize?client_id=acme');
    const headers = { 'sec-fetch-site': 'cross-site' };

    const foreign = await browser.submit(error, '/connect/theme', { theme: 'dark' }, { headers });
    const own = await browser.submit(error, '/connect/theme', { theme: 'dark' });

    assert.deepEqual([foreign.headers['set-cookie'], own.location], [undefined, '/authorize?client_id=acme']);
    assert.match(String(own.headers['set-cookie']), /kalends_theme=dark/);
    assert.equal(themeShown(await browser.get(own.location)), 'dark');
  });

  for (const action of ['/connect/language', '/connect/theme']) {
    it(`the choices of theme and language lead only to Kalends’ own pages (${action})`, async () => {
      const browser = new Browser(harness);
      const strange = ['https://evil.example', '//evil.example', '/\\evil.example', '/.//evil.example', ''];
      for (const back of [...strange, '/\t/evil.example', 'javascript:alert(1)', '__proto__']) {
        const answer = await browser.submit(await browser.start(), action, { back, theme: 'dark' });

        assert.match(answer.location, action.endsWith('theme') ? /^\/$/ : /^\/authorize\?/, back);
      }
    });
  }
});
