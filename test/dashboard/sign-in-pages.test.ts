/** Signing in to the dashboard and out of it: links, sign-in, sessions, and people who must not get in. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { invite, makeResetLink, makeSetupLink } from '../../src/people/invitations.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type Answer, type DashboardApp, leadsTo, openDashboardApp } from './dashboard-app.ts';

const PASSWORD = 'seven kettles sing at noon';
const ADA = { name: 'Ada', login: 'ada@example.com', password: PASSWORD };
const SESSION = '__Host-kalends_session';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

onEachDatabase((database, open) => {
  describe(`the door of the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    beforeEach(async () => {
      dashboard = await openDashboardApp(await open());
    });
    afterEach(() => dashboard.app.close());

    const setupPath = async () => `/dashboard/join/${(await makeSetupLink(dashboard.deps))?.token}`;
    const registered = async () => {
      const browser = dashboard.browser();
      assert.equal(leadsTo(await browser.post(await setupPath(), ADA)), '/dashboard');
      return browser;
    };
    const signIn = (browser = dashboard.browser(), password = PASSWORD): Promise<Answer> =>
      browser.post('/dashboard/sign-in', { login: 'Ada@Example.com ', password, next: '/dashboard/account' });

    it('a setup link is opened as often as one likes and completed once, by the first', async () => {
      const path = await setupPath();
      const [one, other] = [dashboard.browser(), dashboard.browser()];
      for (const browser of [one, other, one]) assert.equal((await browser.get(path)).status, 200);
      const answers = await Promise.all([
        one.post(path, ADA),
        other.post(path, { ...ADA, login: 'eve@example.com' }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 410]);
      assert.match(answers.find(({ status }) => status === 410)?.body ?? '', /This link has expired/);
      assert.equal((await dashboard.stores.people.listPeople()).length, 1);
      assert.equal(await makeSetupLink(dashboard.deps), undefined);
    });

    it('a setup link ends after 30 minutes, and a form that was not right spends nothing', async () => {
      const path = await setupPath();
      const browser = dashboard.browser();
      const bad = await browser.post(path, { name: '‮', login: 'ada', password: 'short' });
      assert.equal(bad.status, 400);
      assert.match(bad.body, /must not contain control characters/);
      assert.match(bad.body, /The email address is not valid/);
      assert.match(bad.body, /at least 12 characters/);
      dashboard.clock.now += 30 * MINUTE;
      assert.equal((await browser.post(path, ADA)).status, 410);
      assert.equal((await browser.get('/dashboard/join/nonsense')).status, 410);
    });

    it('names with markup are shown as text', async () => {
      const browser = dashboard.browser();
      await browser.post(await setupPath(), { ...ADA, name: '<script>alert(1)</script>"\'&' });
      const { body } = await browser.get('/dashboard');
      assert.ok(!body.includes('<script>alert'));
      assert.match(body, /&#60;script&#62;alert/);
    });

    it('signs in with the right password, in a session that nobody set before', async () => {
      await registered();
      const planted = 'A'.repeat(43);
      const browser = dashboard.browser({ [SESSION]: planted });
      assert.equal(leadsTo(await signIn(browser)), '/dashboard/account');
      assert.notEqual(browser.cookies.get(SESSION), planted);
      assert.equal((await browser.get('/dashboard/account')).status, 200);
      const before = browser.cookies.get(SESSION) ?? '';
      await signIn(browser);
      const old = await dashboard.browser({ [SESSION]: before }).get('/dashboard');
      assert.match(leadsTo(old), /sign-in/);
    });

    it('gives the same response to a wrong password and to an unknown address', async () => {
      await registered();
      const wrong = await signIn(dashboard.browser(), 'something else entirely');
      const unknown = await dashboard
        .browser()
        .post('/dashboard/sign-in', { login: 'eve@example.com', password: PASSWORD });
      assert.deepEqual([wrong.status, unknown.status], [401, 401]);
      const said = 'The email address or the password is wrong. Check both and try again.';
      for (const { body } of [wrong, unknown]) assert.ok(body.includes(said));
    });

    it('repeated wrong guesses lock out the guesser, and not a browser that signed in before', async () => {
      const browser = await registered();
      await browser.post('/dashboard/sign-out');
      const guesser = dashboard.browser();
      const statuses: number[] = [];
      for (let guess = 0; guess < 12; guess += 1)
        statuses.push((await signIn(guesser, `wrong guess number ${guess}`)).status);
      assert.deepEqual([statuses.slice(0, 10), statuses.at(-1)], [Array(10).fill(401), 429]);
      // The browser has the same address, but also the cookie of an earlier sign-in.
      assert.equal((await signIn(browser)).status, 303);
      assert.equal((await signIn(dashboard.browser())).status, 429);
    });

    it('a session ends after 12 idle hours, and after 7 days however much it is used', async () => {
      const browser = await registered();
      dashboard.clock.now += 12 * HOUR - MINUTE;
      assert.equal((await browser.get('/dashboard')).status, 200);
      dashboard.clock.now += 12 * HOUR;
      assert.equal((await browser.get('/dashboard')).status, 303);
      await signIn(browser);
      for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
        dashboard.clock.now += 6 * HOUR;
        assert.equal((await browser.get('/dashboard')).status, 200);
      }
      dashboard.clock.now += 6 * HOUR;
      assert.equal((await browser.get('/dashboard')).status, 303);
    });

    it('the cookie is of this host alone, for no script and no other site', async () => {
      const answer = await dashboard.browser().post(await setupPath(), ADA);
      const [session = ''] = [answer.headers['set-cookie']].flat().map(String);
      assert.match(session, /^__Host-kalends_session=[\w-]{43}; /);
      for (const part of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict'])
        assert.ok(session.includes(part), part);
      assert.ok(!session.includes('Domain'));
    });

    it('signing out ends the session itself', async () => {
      const browser = await registered();
      const held = browser.cookies.get(SESSION) ?? '';
      assert.equal(leadsTo(await browser.post('/dashboard/sign-out')), '/dashboard/sign-in');
      assert.equal((await dashboard.browser({ [SESSION]: held }).get('/dashboard')).status, 303);
    });

    it('a dangerous action requires a fresh sign-in, and then returns to its page', async () => {
      const browser = await registered();
      const page = '/dashboard/people/invite';
      assert.equal((await browser.get(page)).status, 200);
      dashboard.clock.now += 5 * MINUTE;
      const to = leadsTo(await browser.get(page));
      assert.equal(to, `/dashboard/confirm?next=${encodeURIComponent(page)}`);
      const wrong = await browser.post('/dashboard/confirm', { password: 'no', next: page });
      assert.equal(wrong.status, 401);
      assert.equal((await browser.get(page)).status, 303);
      const right = await browser.post('/dashboard/confirm', { password: PASSWORD, next: page });
      assert.equal(leadsTo(right), page);
      assert.equal((await browser.get(page)).status, 200);
    });

    it('leads on to pages of its own only', async () => {
      await registered();
      for (const next of [
        'https://evil.example/',
        '//evil.example',
        '/dashboard//evil',
        '/dashboard/\\evil',
        '/',
      ]) {
        const form = { login: 'ada@example.com', password: PASSWORD, next };
        assert.equal(leadsTo(await dashboard.browser().post('/dashboard/sign-in', form)), '/dashboard');
      }
    });

    it('a form of another site signs nobody in', async () => {
      await registered();
      const form = { login: 'ada@example.com', password: PASSWORD };
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const answer = await dashboard.browser().post('/dashboard/sign-in', form, headers);
        assert.equal(answer.status, 403);
        assert.equal(answer.headers['set-cookie'], undefined);
      }
    });

    it('an invitation gives what it says, and a way back in a new password', async () => {
      await registered();
      const { deps } = dashboard;
      const invited = { role: 'developer', login: 'Ben@example.com', clientIds: ['acme'] } as const;
      const { token } = await invite('command line', invited, deps);
      const ben = dashboard.browser();
      const form = { name: 'Ben', login: 'eve@example.com', password: PASSWORD };
      assert.equal(leadsTo(await ben.post(`/dashboard/join/${token}`, form)), '/dashboard');
      const person = (await deps.people.findByLogin('ben@example.com'))?.person;
      assert.deepEqual([person?.role, person?.clientIds], ['developer', ['acme']]);

      const reset = await makeResetLink('command line', person?.personId ?? '', deps);
      const password = 'nine purple walruses dance';
      await dashboard.browser().post(`/dashboard/join/${reset?.token}`, { password });
      assert.equal((await ben.get('/dashboard')).status, 303);
      const login = { login: 'ben@example.com', password };
      assert.equal((await ben.post('/dashboard/sign-in', login)).status, 303);
    });

    it('what happened is in the audit log, with who and from where, and no password or link', async () => {
      const browser = await registered();
      await signIn(browser);
      const entries = await dashboard.stores.audit.listEntries({}, { limit: 100 });
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['person.signed_in', 'person.signed_in', 'person.registered'],
      );
      for (const { actor, address } of entries)
        assert.deepEqual(
          [actor.kind, 'name' in actor && actor.name, address],
          ['person', 'Ada', '127.0.0.1'],
        );
      const all = JSON.stringify(entries) + dashboard.log.lines.join('\n');
      assert.ok(!all.includes(PASSWORD) && !all.includes(browser.cookies.get(SESSION) ?? ''));
    });
  });
});
