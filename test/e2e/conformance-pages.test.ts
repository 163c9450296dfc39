/** The Connect pages on the running program: docs/wire.md O1 and O4.1, and who may answer them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { openBrowser, textOf } from './browser.ts';
import { allow, authorizeUrl, exchange, jsonOf, linkAccount, MOUNTS, walkToConsent } from './flow.ts';
import { loginOf, OTHER_NAME, openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const ask = (url: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  fetch(url, { redirect: 'manual', headers });

for (const mount of MOUNTS) {
  describe(`the pages behind ${mount}/authorize`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      site = await openSite();
    });
    after(() => site?.close());

    it('the Connect flow offers four kinds of providers', async () => {
      const page = await openBrowser().open(authorizeUrl(site.application, { userId: 'kinds', mount }));

      for (const provider of ['Google', 'Microsoft', 'Apple', 'CalDAV']) {
        assert.match(textOf(page.body), new RegExp(`Connect ${provider}`));
      }
    });

    it('the Connect flow lets a user link one account after another', async () => {
      const browser = openBrowser();
      await browser.open(authorizeUrl(site.application, { userId: 'two', mount }));
      await linkAccount(browser, site.login);
      await linkAccount(browser, loginOf(site.calendars, 'grace'));

      const text = textOf(browser.page().body);

      assert.match(text, /ada/);
      assert.match(text, /grace/);
    });

    it('the Connect flow returns access_denied and the state when the user cancels, on either page', async () => {
      const user = { userId: 'shy', mount, parameters: { state: 'back' } };
      const selection = openBrowser();
      await selection.open(authorizeUrl(site.application, user));
      const consent = openBrowser();
      await consent.open(authorizeUrl(site.application, user));
      await linkAccount(consent, site.login);
      await linkAccount(consent, loginOf(site.calendars, 'grace'));
      await consent.press('Continue');

      for (const page of [await selection.press('Cancel'), await consent.press('Cancel')]) {
        const { error, state, code } = Object.fromEntries(page.destination?.searchParams ?? []);
        assert.deepEqual({ error, state, code }, { error: 'access_denied', state: 'back', code: undefined });
        assert.ok(page.destination?.href.startsWith(site.application.redirectUri));
      }
    });

    it('the Connect flow shows the pages in the language of lng, else of the browser, else in English', async () => {
      for (const [lng, acceptLanguage, language] of [
        ['es', 'fr', 'es'],
        ['fr', '', 'fr'],
        ['ar', '', 'ar'],
        ['en', 'fr', 'en'],
        ['FR_ca', '', 'fr'],
        ['', 'xx, es;q=0.5, fr;q=0.9', 'fr'],
        ['', '', 'en'],
        ['tlh', 'fr', 'en'],
      ] as const) {
        const headers: Record<string, string> = { 'accept-language': acceptLanguage };
        const parameters: Record<string, string> = lng === '' ? {} : { lng };
        const page = await openBrowser(headers).open(
          authorizeUrl(site.application, { userId: 'polyglot', mount, parameters }),
        );

        assert.match(page.body, new RegExp(`<html lang="${language}"`), `${lng} ${acceptLanguage}`);
      }
    });

    it('the Connect flow turns the page to the right for ar, he and fa, and for no other language', async () => {
      for (const [lng, direction] of Object.entries({
        ar: 'rtl',
        he: 'rtl',
        fa: 'rtl',
        en: 'ltr',
        es: 'ltr',
      })) {
        const user = { userId: 'polyglot', mount, parameters: { lng } };
        const page = await openBrowser().open(authorizeUrl(site.application, user));

        assert.match(page.body, new RegExp(`<html[^>]* dir="${direction}"`), lng);
      }
    });

    it('the Connect flow names the application by its display name, and with general words without one', async () => {
      const named = await openBrowser().open(authorizeUrl(site.other, { userId: 'reader', mount }));
      const nameless = await openBrowser().open(authorizeUrl(site.application, { userId: 'reader', mount }));
      const consent = await walkToConsent(site.other, { userId: 'reader', login: site.login, mount });

      assert.ok(textOf(named.body).includes(OTHER_NAME));
      assert.ok(textOf(consent.page().body).includes(OTHER_NAME));
      assert.match(textOf(nameless.body), /This application/);
      assert.doesNotMatch(textOf(nameless.body), /Acme/);
    });

    it('the Connect flow takes the display name from no parameter', async () => {
      const names = ['display_name', 'displayName', 'name', 'client_name', 'app_name'];
      const parameters = Object.fromEntries(names.map((name) => [name, 'Evil Corporation']));

      const page = await openBrowser().open(
        authorizeUrl(site.application, { userId: 'reader', mount, parameters }),
      );

      assert.doesNotMatch(textOf(page.body), /Evil Corporation/);
    });

    it('the Connect flow keeps two tabs of one browser apart, of two applications and users, and both can be completed', async () => {
      const browser = openBrowser();
      const earlier = await browser.open(
        authorizeUrl(site.application, { userId: 'tabs@users.example', mount }),
      );
      const later = await browser.open(authorizeUrl(site.other, { userId: 'else@users.example', mount }));

      for (const [{ url }, userId] of [
        [earlier, 'tabs@users.example'],
        [later, 'else@users.example'],
      ] as const) {
        await browser.open(url);
        await linkAccount(browser, site.login);
        assert.match(textOf(browser.page().body), new RegExp(`For user ${userId}`));
        const { destination } = await allow(browser);
        assert.equal(destination?.searchParams.get('code'), userId);
      }
    });

    it('the Connect flow ends the oldest of nine tabs of one browser, and no other', async () => {
      const browser = openBrowser();
      const tabs = [];
      for (let i = 0; i < 9; i++) {
        tabs.push(await browser.open(authorizeUrl(site.application, { userId: `tab ${i}`, mount })));
      }

      const statuses = [];
      for (const { url } of tabs) statuses.push((await browser.open(url)).status);

      assert.deepEqual(statuses, [400, ...Array<number>(8).fill(200)]);
    });

    it('the Connect flow answers a page without its cookie, or with an unknown transaction, 400 session_expired', async () => {
      const started = await openBrowser().open(authorizeUrl(site.application, { userId: 'lost', mount }));
      const unknown = new URL(started.url);
      unknown.searchParams.set('transaction', 'A'.repeat(22));
      for (const url of [started.url, unknown]) {
        const asProgram = await ask(url.href, { accept: 'application/json' });
        const asPerson = await openBrowser().open(url);

        assert.equal(asProgram.status, 400);
        const body = await jsonOf(asProgram);
        assert.equal(body.error, 'session_expired');
        assert.equal(asPerson.status, 400);
        assert.match(textOf(asPerson.body), /Start again/);
      }
    });

    it('the Connect flow takes an approval from its own page only', async () => {
      const browser = await walkToConsent(site.application, { userId: 'framed', login: site.login, mount });
      const fields = [...browser.page().body.matchAll(/name="(transaction|token)" value="([^"]*)"/g)];
      const form = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const approve = (body: Record<string, string>, headers: Record<string, string> = {}) =>
        fetch(`${site.program.url}/connect/approve`, {
          method: 'POST',
          redirect: 'manual',
          headers: { cookie, ...headers },
          body: new URLSearchParams(body),
        });

      const refused = [
        await approve({ transaction: form.transaction }),
        await approve({ ...form, token: 'x'.repeat(43) }),
        await approve(form, { 'sec-fetch-site': 'cross-site' }),
        await approve(form, { origin: 'https://evil.example' }),
        await approve(form, { cookie: '' }),
      ];
      const accepted = await approve(form, { origin: 'null', 'sec-fetch-site': 'same-origin' });

      for (const { status, headers } of refused) {
        assert.ok(status === 403 || status === 400, String(status));
        assert.equal(headers.get('location'), null);
      }
      assert.equal(accepted.status, 303);
      assert.equal((await exchange(site.application, 'framed', mount)).status, 200);
    });

    it('the Connect flow lets no cache keep, no frame show and no referrer tell what the pages carry', async () => {
      const browser = await walkToConsent(site.application, { userId: 'private', login: site.login, mount });
      const redirect = await ask(authorizeUrl(site.application, { userId: 'private', mount }));

      for (const { headers } of [browser.page(), redirect, await browser.press('Allow')]) {
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.equal(headers.get('referrer-policy'), 'no-referrer');
        const policy = headers.get('content-security-policy') ?? '';
        assert.match(policy, /default-src 'none'/);
        assert.match(policy, /frame-ancestors 'none'/);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
      }
    });
  });
}
