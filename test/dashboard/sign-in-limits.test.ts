/** Signing in beside those who guess: who is refused, who is not, and what the page says. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { attemptLimit } from '../../src/http/attempt-limit.ts';
import { invite, makeResetLink, makeSetupLink } from '../../src/people/invitations.ts';
import { passwordSlots } from '../../src/people/password.ts';
import { signInLimits } from '../../src/people/sign-in.ts';
import { onSqlite } from '../harness/databases.ts';
import { rounds } from '../harness/rounds.ts';
import { until } from '../harness/until.ts';
import { type DashboardApp, type DashboardBrowser, leadsTo, openDashboardApp } from './dashboard-app.ts';

const PASSWORD = 'seven kettles sing at noon';
const ADA = { name: 'Ada', login: 'ada@example.com', password: PASSWORD };
const EVE = { name: 'Eve', login: 'eve@example.com', password: PASSWORD };
const KNOWN = '__Host-kalends_known';
const SIGN_IN = '/dashboard/sign-in';
/** 5,000 in a soak. */
const ADDRESSES = rounds(250);

onSqlite((open) => {
  describe('sign-ins beside those who guess', () => {
    let dashboard: DashboardApp;
    let ada: DashboardBrowser;
    let slotsInUse = () => ({ held: 0, waiting: 0 });
    beforeEach(async () => {
      const ofLogin = attemptLimit(3, 60);
      dashboard = await openDashboardApp(await open(), {
        signInLimits: { ...signInLimits(), ofLogin },
        passwordSlots: passwordSlots({
          ...{ waited() {}, refused() {}, exhausted() {} },
          opened: (_, load) => (slotsInUse = load),
        }),
      });
      ada = dashboard.browser();
      await ada.post(`/dashboard/join/${(await makeSetupLink(dashboard.deps))?.token}`, ADA);
    });
    afterEach(() => dashboard.app.close());

    const guess = (browser: DashboardBrowser, login: string) =>
      browser.post(SIGN_IN, { login, password: 'a wrong password' });

    it('many addresses of a network and a member with many cookies keep nobody else out', async () => {
      const { token } = await invite('command line', { role: 'viewer', login: EVE.login }, dashboard.deps);
      const eve = dashboard.browser();
      await eve.post(`/dashboard/join/${token}`, EVE);
      const mark = eve.cookies.get(KNOWN) ?? '';
      const guesses = Array.from({ length: ADDRESSES }, (_, at) =>
        guess(
          dashboard.browser({}, '', `2001:db8:0:${at.toString(16)}::1`),
          `${at % 2 ? 'ada' : at}@example.com`,
        ),
      );
      for (let at = 0; at < 200; at += 1) {
        guesses.push(guess(dashboard.browser({ [KNOWN]: `${mark}${at}` }), EVE.login));
        guesses.push(eve.post('/dashboard/confirm', { password: 'a wrong password' }));
      }
      const known = dashboard.browser(Object.fromEntries(ada.cookies), '', '2001:db8::2');
      assert.equal(leadsTo(await known.post(SIGN_IN, ADA)), '/dashboard');
      const elsewhere = dashboard.browser({}, '', '198.51.100.1');
      assert.equal(leadsTo(await elsewhere.post(SIGN_IN, EVE)), '/dashboard');
      const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
      assert.deepEqual(statuses, new Set([401, 429]));
    });

    for (const login of [ADA.login, 'nobody@example.com'])
      it(`a login that many guess is refused in new browsers, with the ways that are left: ${login}`, async () => {
        for (let at = 0; at < 3; at += 1) await guess(dashboard.browser({}, '', `192.0.${at}.1`), login);
        const stranger = dashboard.browser({}, '', '198.51.100.1');
        const { status, headers, body } = await stranger.post(SIGN_IN, { ...ADA, login });
        assert.equal(status, 429);
        assert.ok(Number(headers['retry-after']) > 0);
        assert.match(body, /browser that you used before, or with a passkey, single sign-on or a reset link/);
        assert.equal(leadsTo(await ada.post(SIGN_IN, ADA)), '/dashboard');
      });

    const holdSlotOfStrangers = () =>
      dashboard.deps.passwordSlots.enter({ clientId: '', owner: 'others', host: '' });

    it('a member in a known browser, a session or with a link waits for no stranger', async () => {
      await holdSlotOfStrangers();
      assert.equal(leadsTo(await ada.post('/dashboard/confirm', ADA)), '/dashboard');
      const password = 'nine purple walruses dance';
      assert.match(leadsTo(await ada.post('/dashboard/account/password', { password })), /done=password/);
      assert.equal(leadsTo(await ada.post(SIGN_IN, { ...ADA, password })), '/dashboard');
      const { token } = await invite('command line', { role: 'viewer', login: EVE.login }, dashboard.deps);
      assert.equal(leadsTo(await dashboard.browser().post(`/dashboard/join/${token}`, EVE)), '/dashboard');
    });

    it('a request whose client is gone waits no longer, and counts for no limit', async () => {
      await holdSlotOfStrangers();
      const origin = await dashboard.app.listen({ port: 0, host: '127.0.0.1' });
      for (let at = 0; at < 4; at += 1) {
        const closed = new AbortController();
        const body = new URLSearchParams({ login: ADA.login, password: 'a wrong password' });
        const request = fetch(origin + SIGN_IN, { method: 'POST', body, signal: closed.signal });
        await until('it waits', () => slotsInUse().waiting === 1);
        closed.abort();
        await assert.rejects(request);
        await until('it has left', () => slotsInUse().waiting === 0);
      }
    });

    it('a reset link works while its login is refused', async () => {
      for (let at = 0; at < 4; at += 1) await guess(dashboard.browser(), ADA.login);
      const [person] = await dashboard.stores.people.listPeople();
      const link = await makeResetLink('command line', person?.personId ?? '', dashboard.deps);
      const password = 'nine purple walruses dance';
      const answer = await dashboard.browser().post(`/dashboard/join/${link?.token}`, { password });
      assert.equal(leadsTo(answer), '/dashboard');
    });
  });
});
