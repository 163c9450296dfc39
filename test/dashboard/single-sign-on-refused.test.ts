/** Single sign-on against oidc-provider as a real server: sign-ins that are refused, and an issuer that fails. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { makeSetupLink } from '../../src/people/invitations.ts';
import { onSqlite } from '../harness/databases.ts';
import { close, freePort, listen } from '../harness/loopback.ts';
import { leadsTo } from './dashboard-app.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { onwardIn, singleSignOnBench } from './single-sign-on-app.ts';

const PASSWORD = 'seven kettles sing at noon';
const SESSION = '__Host-kalends_session';
const KNOWN = '__Host-kalends_known';
const PENDING = '__Host-kalends_single_sign_on';
const MINUTE = 60_000;

onSqlite((open) => {
  describe('single sign-on that is refused', () => {
    let issuer: Issuer;
    before(async () => {
      issuer = await startIssuer();
    });
    after(() => issuer.close());
    const { withDashboard } = singleSignOnBench(open, () => issuer);

    for (const [what, claims] of [
      ['another issuer', { iss: 'https://evil.example' }],
      ['another nonce', { nonce: 'of-another-sign-in' }],
      ['another audience', { aud: 'somebody-else' }],
      ['a name of which ours is a part', { aud: 'kalends x' }],
      ['an end in the past', { exp: Math.floor(Date.now() / 1000) - 3600 }],
      ['no end', { exp: undefined }],
      ['no subject', { sub: '' }],
    ] satisfies [string, Readonly<Record<string, unknown>>][])
      it(
        `an ID token with ${what} signs nobody in`,
        withDashboard(async ({ leave, browser: openBrowser, people, log }) => {
          issuer.accounts.set('a', { groups: ['admins'] });
          const browser = openBrowser();
          const back = await leave(browser, 'a');
          issuer.wire.claims = claims;
          const { status, body } = await browser.get(back);
          assert.equal(status, 401);
          assert.match(body, /could not be confirmed/);
          assert.ok(!browser.cookies.has(SESSION));
          assert.deepEqual(await people(), []);
          assert.match(log.lines.join(), /A single sign-on failed/);
        }),
      );

    const [ours, foreign] = ['eve@example.com', 'eve@other.example'];
    for (const [idToken, userInfo, isIn] of [
      [{ email: ours }, { email: foreign, email_verified: true }, false],
      [{ email_verified: true }, { email: ours, email_verified: false }, false],
      [{ email_verified: true }, { email: ours }, false],
      [{ email: ours, email_verified: false }, { email: ours, email_verified: true }, false],
      [{ email: ours, email_verified: true }, { email: foreign, email_verified: false }, true],
      [{ email: foreign }, { email: ours, email_verified: true }, true],
    ] as const)
      it(
        `${JSON.stringify(idToken)} of the ID token beside ${JSON.stringify(userInfo)} of UserInfo: ${isIn ? 'lets in' : 'verifies no address'}`,
        withDashboard(async ({ leave, browser: openBrowser, people }) => {
          issuer.accounts.set('eve', userInfo);
          const browser = openBrowser();
          const back = await leave(browser, 'eve');
          issuer.wire.claims = idToken;
          assert.equal((await browser.get(back)).status, isIn ? 200 : 403);
          assert.deepEqual(
            (await people()).map(({ login }) => login),
            isIn ? [ours] : [],
          );
        }),
      );

    it(
      'an ID token that another key signed signs nobody in',
      withDashboard(async ({ signIn }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        issuer.wire.key = 'another';
        assert.equal((await signIn('a')).status, 401);
      }),
    );

    it(
      'a return is answered once, in the browser that left, within ten minutes',
      withDashboard(async ({ leave, browser, clock, people }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        const [one, other] = [browser(), browser()];
        const back = await leave(one, 'a');
        const held = one.cookies.get(PENDING) ?? '';
        // An attacker sends their own return to another person's browser, so that the person works in the attacker's
        // account.
        const refused = await other.get(back);
        assert.equal(refused.status, 409);
        assert.match(refused.body, /started in another browser/);
        await leave(other, 'a');
        assert.equal((await other.get(back)).status, 409);
        assert.equal((await one.get(back.replace(/state=[^&]*/, 'state=another'))).status, 409);
        assert.equal((await people()).length, 0);

        assert.equal((await one.get(back)).status, 200);
        assert.equal((await browser({ [PENDING]: held }).get(back)).status, 409);

        const late = browser();
        const lateBack = await leave(late, 'a');
        clock.now += 10 * MINUTE;
        assert.equal((await late.get(lateBack)).status, 409);
      }),
    );

    it(
      'a code of another sign-in is of no use',
      withDashboard(async ({ leave, browser }) => {
        issuer.accounts.set('victim', { groups: ['admins'] });
        issuer.accounts.set('eve', {});
        const stolen = /code=([^&]*)/.exec(await leave(browser(), 'victim'))?.[1] ?? '';
        const eve = browser();
        const back = await leave(eve, 'eve');
        const { status } = await eve.get(back.replace(/code=[^&]*/, `code=${stolen}`));
        assert.equal(status, 401);
        assert.ok(!eve.cookies.has(SESSION));
      }),
    );

    it(
      'a sign-in that is cancelled at the issuer gets a page that says so',
      withDashboard(async ({ signIn }) => {
        const { status, body } = await signIn('');
        assert.equal(status, 401);
        assert.match(body, /sign-in at the other site was cancelled/);
      }),
    );

    it(
      'what the browser leaves with is for no script and this host alone, and comes back from another site',
      withDashboard(async ({ browser }) => {
        const answer = await browser().post('/dashboard/sign-in/single-sign-on');
        const [cookie = ''] = [answer.headers['set-cookie']].flat().map(String);
        for (const part of ['__Host-', 'Max-Age=600', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
          assert.ok(cookie.includes(part), part);
        const url = new URL(onwardIn(answer));
        assert.deepEqual(
          ['response_type', 'code_challenge_method', 'scope'].map((name) => url.searchParams.get(name)),
          ['code', 'S256', 'openid profile email groups'],
        );
        assert.ok(!cookie.includes(url.searchParams.get('nonce') ?? 'none'));
        const foreign = await browser().post(
          '/dashboard/sign-in/single-sign-on',
          {},
          { 'sec-fetch-site': 'cross-site' },
        );
        assert.equal(foreign.status, 403);
      }),
    );

    it('an issuer that is away, huge or slow has a clear page, and the other ways in work', async () => {
      const huge = Buffer.alloc(1_000_000, ' ');
      const server = createServer((request, response) => {
        if (request.url?.startsWith('/huge'))
          response.setHeader('content-type', 'application/json').end(huge);
      });
      const planted = await listen(server);
      const away = `http://127.0.0.1:${await freePort()}`;
      for (const issuerUrl of [away, `${planted}/huge`, `${planted}/slow`])
        await withDashboard(
          async ({ browser: openBrowser, deps }) => {
            const setup = await makeSetupLink(deps);
            const form = { name: 'Ada', login: 'ada@example.com', password: PASSWORD };
            await openBrowser().post(`/dashboard/join/${setup?.token}`, form);
            const browser = openBrowser();
            const { status, body } = await browser.post('/dashboard/sign-in/single-sign-on');
            assert.equal(status, 503, issuerUrl);
            assert.match(body, /Single sign-on does not respond as expected/);
            assert.match(body, /type="password"/);
            assert.equal(leadsTo(await browser.post('/dashboard/sign-in', form)), '/dashboard');
          },
          { issuerUrl },
        )();
      await close(server);
    });

    it(
      'an issuer that fails on the way back signs nobody in',
      withDashboard(async ({ leave, browser: openBrowser }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        const away = `http://127.0.0.1:${await freePort()}/`;
        for (const part of ['/token', '/jwks', '/me']) {
          const browser = openBrowser();
          const back = await leave(browser, 'a');
          issuer.wire.answer = (url) => (url.endsWith(part) ? away : undefined);
          const { status } = await browser.get(back);
          issuer.wire.answer = undefined;
          assert.equal(status, part === '/jwks' ? status : 503, part);
          assert.ok(browser.cookies.has(SESSION) === (status === 200), part);
        }
      }),
    );

    it(
      'returns that fail are counted, and lock nobody out who was here before',
      withDashboard(async ({ leave, browser: openBrowser, signIn }) => {
        issuer.accounts.set('a', { groups: ['admins'] });
        const known = (await signIn('a')).browser;
        let asked = 0;
        issuer.wire.answer = (url) => {
          if (url.endsWith('/token')) asked += 1;
          return undefined;
        };
        const statuses: number[] = [];
        for (let attempt = 0; attempt < 22; attempt += 1) {
          const browser = openBrowser({ [KNOWN]: `made-up-${attempt}.x.y` });
          const { body } = await browser.post('/dashboard/sign-in/single-sign-on');
          const state = new URL(onwardIn({ body })).searchParams.get('state');
          const iss = encodeURIComponent(issuer.issuer);
          const path = `/dashboard/sign-in/callback?code=guessed&state=${state}&iss=${iss}`;
          statuses.push((await browser.get(path)).status);
        }
        assert.deepEqual([...new Set(statuses)], [401, 429]);
        assert.equal(asked, 20);
        // A SameSite=Strict cookie is not sent with a return from another site.
        known.cookies.delete(SESSION);
        const back = await leave(known, 'a');
        known.cookies.delete(KNOWN);
        assert.equal((await known.get(back)).status, 200);
        assert.ok(known.cookies.has(SESSION));
        // Passwords are counted separately.
        const wrong = await openBrowser().post('/dashboard/sign-in', { login: 'x@x.example', password: 'x' });
        assert.equal(wrong.status, 401);
      }),
    );

    it(
      'an issuer that is away is asked once in five seconds, however many press the button',
      withDashboard(async ({ browser: openBrowser, clock }) => {
        const away = `http://127.0.0.1:${await freePort()}/`;
        let asked = 0;
        issuer.wire.answer = (url) => {
          if (!url.includes('/.well-known/')) return undefined;
          asked += 1;
          return away;
        };
        const press = async () => (await openBrowser().post('/dashboard/sign-in/single-sign-on')).status;
        assert.deepEqual(await Promise.all([press(), press(), press()]), [503, 503, 503]);
        assert.equal(await press(), 503);
        assert.equal(asked, 1);
        issuer.wire.answer = undefined;
        clock.now += 5_000;
        assert.equal(await press(), 200);
      }),
    );
  });
});
