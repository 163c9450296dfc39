/**
 * GET /authorize and the way to the callback, on the running program: docs/wire.md O1, O2.7, O2.8, O3.4,
 * O4.1.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';

import { openBrowser, textOf } from './browser.ts';
import {
  allow,
  authorize,
  authorizeUrl,
  connect,
  jsonOf,
  linkAccount,
  MOUNTS,
  read,
  refresh,
} from './flow.ts';
import { loginOf, openSite, type Site, WITHOUT_RADICALE, withOwnApplications } from './site.ts';

const ask = (url: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  fetch(url, { redirect: 'manual', headers });

/** One program answers at both mounts. */
let shared: Promise<Site> | undefined;
after(async () => (await shared)?.close());

for (const mount of MOUNTS) {
  describe(`GET ${mount}/authorize`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      shared ??= openSite();
      site = await withOwnApplications(await shared);
    });

    const start = (parameters: Record<string, string>, headers?: Record<string, string>) =>
      ask(`${site.program.url}${mount}/authorize?${new URLSearchParams(parameters)}`, headers);
    const query = (parameters: Record<string, string> = {}) => ({
      client_id: site.application.clientId,
      user_id: 'ada',
      ...parameters,
    });

    it('GET /authorize redirects with 302 to /authorize with every parameter kept and the stored redirect URI', async () => {
      const sent = query({ scope: 'read', state: 'a b', lng: 'fr', response_type: 'code', extra: 'é' });

      const answer = await start({ ...sent, redirect_uri: 'https://evil.example/' });

      assert.equal(answer.status, 302);
      const location = new URL(answer.headers.get('location') ?? '', site.program.url);
      assert.equal(location.pathname, '/authorize');
      assert.equal(location.origin, site.program.url);
      const { transaction, ...rest } = Object.fromEntries(location.searchParams);
      assert.deepEqual(rest, { ...sent, redirect_uri: site.application.redirectUri });
      assert.match(transaction ?? '', /^[\w-]{22}$/);
      assert.deepEqual(location.searchParams.getAll('redirect_uri').length, 1);
    });

    it('GET /authorize sets oauth_req to a JSON object with client_id and user_id', async () => {
      const answer = await start(query({ user_id: 'ü; "x"=1' }));

      const [pair = ''] = answer.headers.getSetCookie();
      const value = /^oauth_req=([^;]*)/.exec(pair)?.[1] ?? '';
      const { transaction, ...cookie } = JSON.parse(decodeURIComponent(value));
      assert.deepEqual(cookie, { client_id: site.application.clientId, user_id: 'ü; "x"=1' });
      assert.ok(String(answer.headers.get('location')).includes(`transaction=${transaction}`));
    });

    it('GET /authorize keeps oauth_req HttpOnly, for every path, two hours, SameSite Lax', async () => {
      const answer = await start(query());

      const [set = ''] = answer.headers.getSetCookie();
      const attributes = set.split('; ').slice(1).sort();
      assert.deepEqual(attributes, ['HttpOnly', 'Max-Age=7200', 'Path=/', 'SameSite=Lax']);
    });

    it('GET /authorize answers a client_id that is missing, empty or unknown 401 with an error page, before all else', async () => {
      for (const client of [{}, { client_id: '' }, { client_id: 'nobody' }, { client_id: '\0' }]) {
        const answer = await start({ ...client, scope: 'unknown', state: 'x'.repeat(3000) });

        assert.equal(answer.status, 401);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        assert.match(textOf(await answer.text()), /application that sent you here is unknown/);
        assert.equal(answer.headers.get('location'), null);
        assert.deepEqual(answer.headers.getSetCookie(), []);
      }
    });

    it('GET /authorize tells programs in JSON what it tells people on a page', async () => {
      for (const accept of ['application/json', '*/*']) {
        const answer = await start({ client_id: 'nobody' }, { accept });

        assert.equal(answer.status, 401);
        const body = await jsonOf(answer);
        assert.equal(body.error, 'invalid_client');
        assert.ok(body.error_description);
        assert.equal(body.message, body.error_description);
      }
    });

    it('GET /authorize refuses a user_id that is missing or unusable with 400, and redirects nowhere', async () => {
      const { user_id: _, ...without } = query();
      const unusable = ['', '\0', 'a\nb', 'a\u007fb', 'x'.repeat(513), 'é'.repeat(257)];
      for (const parameters of [without, ...unusable.map((user_id) => query({ user_id }))]) {
        const answer = await start(parameters);

        assert.equal(answer.status, 400, JSON.stringify(parameters));
        assert.equal(answer.headers.get('location'), null);
        assert.match(textOf(await answer.text()), /user_id/);
      }
    });

    it('GET /authorize refuses an unknown scope, response_type or an over-long state with 400, and redirects nowhere', async () => {
      for (const wrong of [
        { scope: 'write' },
        { scope: 'read write-all' },
        { response_type: 'token' },
        { state: 'x'.repeat(2049) },
      ]) {
        const answer = await start(query(wrong));

        assert.equal(answer.status, 400, JSON.stringify(wrong));
        assert.equal(answer.headers.get('location'), null);
      }
    });

    it('GET /authorize takes the first of a parameter that is repeated', async () => {
      const { clientId } = site.application;
      const query = `client_id=${clientId}&client_id=nobody&user_id=first&user_id=second&scope=read&scope=x`;

      const answer = await ask(`${site.program.url}${mount}/authorize?${query}`);

      assert.equal(answer.status, 302);
      const cookie = decodeURIComponent(answer.headers.getSetCookie()[0] ?? '');
      assert.match(cookie, /"user_id":"first"/);
    });

    it('GET /authorize creates the user at the first call and finds the same one at later ones', async () => {
      const users = async () => {
        const { users: listed } = await site.program.command('user', 'list', site.application.clientId);
        // The command's documented document.
        return (listed as { user_id: string; created_at: string }[]).filter((u) => u.user_id === 'new-user');
      };
      assert.deepEqual(await users(), []);

      await start(query({ user_id: 'new-user' }));
      const created = await users();
      await start(query({ user_id: 'new-user' }));
      const again = await users();

      assert.equal(created.length, 1);
      assert.deepEqual(
        again.map(({ created_at: at }) => at),
        created.map(({ created_at: at }) => at),
      );
    });

    it('GET /authorize keeps users of one name at two applications apart', async () => {
      await connect(site.application, { userId: 'same', login: site.login, mount });

      const page = await openBrowser().open(authorizeUrl(site.other, { userId: 'same', mount }));

      assert.equal(page.status, 200);
      assert.doesNotMatch(textOf(page.body), /Connected accounts/);
    });

    it('GET /authorize leads from the choice of a provider over its login and the consent to the callback', async () => {
      const browser = openBrowser();
      const user = { userId: 'walker', mount, parameters: { state: 'xyz' } };
      await browser.open(authorizeUrl(site.application, user));
      await linkAccount(browser, site.login);
      await linkAccount(browser, loginOf(site.calendars, 'grace'));
      assert.match(textOf(browser.page().body), /Connected accounts/);
      await browser.press('Continue');
      assert.match(textOf(browser.page().body), /Allow access to your calendars\?/);

      const page = await browser.press('Allow');

      assert.ok([302, 303].includes(page.status));
      assert.equal(page.destination?.href, `${site.application.redirectUri}?code=walker&state=xyz`);
    });

    it('GET /authorize sends the user id as code, whatever characters it has, to the stored redirect URI', async () => {
      const userId = "Ünï cödé+&%/😀 'q'";

      const { callback } = await authorize(site.other, { userId, login: site.login, mount });

      assert.equal(callback.href.startsWith(`${site.other.redirectUri}&code=`), true, callback.href);
      assert.equal(callback.searchParams.get('code'), userId);
      assert.equal(callback.searchParams.has('state'), false);
    });

    it('GET /authorize returns the state byte for byte, and none when none came', async () => {
      const spelling = 'a+b%20c%2Bd%7E~%C3%A9%26%3D/?%F0%9F%98%80';
      const browser = openBrowser();
      const user = { userId: 'stateful', mount, browser };
      await connect(site.application, { ...user, login: site.login });
      await browser.open(`${authorizeUrl(site.application, user)}&state=${spelling}`);

      const withState = await allow(browser);
      const { callback } = await authorize(site.application, user);

      assert.equal(withState.destination?.search, `?code=stateful&state=${spelling}`);
      assert.equal(callback.search, '?code=stateful');
    });

    it('GET /authorize grants the scope that is asked for, its aliases, and read-write when none is', async () => {
      const user = { userId: 'scoped', mount, browser: openBrowser() };
      await connect(site.application, { ...user, login: site.login });
      for (const [scope, granted] of [
        ['free-busy', 'free-busy'],
        ['read', 'read'],
        ['read-write', 'read-write'],
        ['', 'read-write'],
        [undefined, 'read-write'],
        ['calendar', 'read-write'],
        ['calendar.readonly', 'read'],
        ['free-busy,read', 'read'],
      ]) {
        const parameters = scope === undefined ? {} : { scope };
        const { accessToken } = await connect(site.application, { ...user, parameters });

        assert.equal(decodeJwt(accessToken).scope, granted);
      }
    });

    it('GET /authorize revokes nothing when a user authorizes again, and shows what is linked already', async () => {
      const user = { userId: 'again', login: site.login, mount, browser: openBrowser() };
      const first = await connect(site.application, user);
      const page = await user.browser.open(authorizeUrl(site.application, user));
      const elsewhere = await openBrowser().open(authorizeUrl(site.application, user));
      const second = await connect(site.application, user);

      assert.match(textOf(page.body), /Connected accounts ada \(/);
      assert.match(textOf(elsewhere.body), /Other accounts .* a••• CalDAV Confirm it is yours/);
      for (const { accessToken, refreshToken } of [first, second]) {
        assert.equal((await read(site.application, '/calendars', accessToken)).status, 200);
        assert.equal((await refresh(site.application, refreshToken, mount)).status, 200);
      }
    });
  });
}
