/** The traces of refused sign-ins, for the operator and for the member whose login was used. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { attemptLimit } from '../../src/http/attempt-limit.ts';
import { makeSetupLink } from '../../src/people/invitations.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';
import { type DashboardApp, openDashboardApp } from './dashboard-app.ts';

const PASSWORD = 'seven kettles sing at noon';
const ADA = { name: 'Ada', login: 'ada@example.com', password: PASSWORD };

onEachDatabase((database, open) => {
  describe(`traces of sign-ins, on ${database}`, () => {
    let dashboard: DashboardApp;
    const counted: string[] = [];
    beforeEach(async () => {
      counted.length = 0;
      dashboard = await openDashboardApp(await open(), {
        signInEnded: (way, outcome) => counted.push(`${way} ${outcome}`),
      });
    });
    afterEach(() => dashboard.app.close());

    const registered = async () => {
      const browser = dashboard.browser();
      await browser.post(`/dashboard/join/${(await makeSetupLink(dashboard.deps))?.token}`, ADA);
      return browser;
    };
    const guess = (login = ADA.login, browser = dashboard.browser()) =>
      browser.post('/dashboard/sign-in', { login, password: 'a wrong password' });
    const refusals = () =>
      dashboard.stores.audit.listEntries({ action: 'person.sign_in_refused' }, { limit: 10 });
    const logged = () =>
      dashboard.log.lines
        .filter((line) => line.includes('dashboard_sign_in_refused'))
        .map((line) => JSON.parse(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)));

    it('a wrong password is counted, logged with its network, and audited as done by nobody', async () => {
      await registered();
      await guess();
      await until('it is audited', async () => (await refusals()).length === 1);
      const [entry] = await refusals();
      const { personId } = (await dashboard.stores.people.listPeople())[0] ?? {};
      const { actor, address, subject, after } = entry ?? {};
      assert.deepEqual(
        { actor, address, subject, after },
        {
          ...{ actor: { kind: 'system' }, address: '127.0.0.1', subject: personId },
          after: { count: 1, known_browser: false },
        },
      );
      const line = { event: 'dashboard_sign_in_refused', way: 'password', reason: 'wrong_login', personId };
      assert.deepEqual(logged(), [{ ...line, network: '127.0.0.0/24', count: 1 }]);
      assert.deepEqual(counted, ['link ok', 'password refused']);
    });

    it('many from one network are one line a minute, which has no login', async () => {
      await registered();
      for (const login of [ADA.login, 'eve@example.com', ADA.login]) await guess(login);
      assert.equal(logged().length, 1);
      assert.doesNotMatch(dashboard.log.lines.join(), /@example.com/);
    });

    it('nothing is audited about a login that nobody has', async () => {
      await registered();
      await guess('eve@example.com');
      await guess();
      await until('the other one is audited', async () => (await refusals()).length === 1);
      assert.equal(logged()[0]?.personId, undefined);
    });

    it('the member sees how many there were since the sign-in before', async () => {
      const browser = await registered();
      assert.doesNotMatch((await browser.get('/dashboard/account')).body, /failed sign-in/);
      for (let time = 0; time < 7; time += 1) await guess();
      await browser.post('/dashboard/sign-in', ADA);
      await until('all are counted', async () =>
        (await browser.get('/dashboard/account')).body.includes('7 failed sign-in attempts since'),
      );
      await browser.post('/dashboard/sign-in', ADA);
      assert.doesNotMatch((await browser.get('/dashboard/account')).body, /failed sign-in/);
    });

    it('what a limit refused is no wrong password of the member', async () => {
      Object.assign(dashboard.deps.signInLimits, { ofLogin: attemptLimit(1, 60) });
      const browser = await registered();
      for (let time = 0; time < 3; time += 1) await guess();
      assert.deepEqual(counted.slice(-2), ['password too_many', 'password too_many']);
      await guess(ADA.login, browser);
      const failed = async () =>
        /(\d+) failed/.exec((await browser.get('/dashboard/account')).body)?.[1] ?? '0';
      await until('both are counted', async () => Number(await failed()) >= 2);
      assert.equal(await failed(), '2');
    });

    it('a wrong password for confirmation counts as one of a known browser', async () => {
      const browser = await registered();
      assert.equal((await browser.post('/dashboard/confirm', { password: 'wrong' })).status, 401);
      await until('it is audited', async () => (await refusals()).length === 1);
      assert.deepEqual((await refusals())[0]?.after, { count: 1, known_browser: true });
    });

    it('a link that has ended is a refused sign-in when it is used', async () => {
      const answer = await dashboard.browser().post(`/dashboard/join/${'A'.repeat(43)}`, ADA);
      assert.equal(answer.status, 410);
      assert.deepEqual(counted, ['link refused']);
      assert.deepEqual([logged()[0]?.way, logged()[0]?.reason], ['link', 'link_ended']);
    });

    it('a passkey that is none is a refused sign-in', async () => {
      await dashboard.browser().post('/dashboard/sign-in/passkey', { credential: '{}' });
      assert.deepEqual(counted, ['passkey refused']);
    });
  });
});
