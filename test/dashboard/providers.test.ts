/** An application's own provider apps in the dashboard: set, never shown, removed, and checked at the provider. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { attemptLimit } from '../../src/http/attempt-limit.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  type DashboardApp,
  type DashboardBrowser,
  leadsTo,
  ORIGIN,
  openDashboardApp,
  registrationsAt,
} from './dashboard-app.ts';

const TAB = '/dashboard/applications/acme/providers';
const APP = { app_client_id: 'own-id', app_client_secret: 'own-secret-canary' };

onEachDatabase((database, open) => {
  describe(`an application's own apps in the dashboard, on ${database}`, () => {
    const egress = lazyEgress({ privateNetwork: { mode: 'loopback' } });
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let developer: DashboardBrowser;
    let issuer: Server;
    /** The error of the issuer's token endpoint, and the requests that it received. */
    let refusal = 'invalid_grant';
    const asked: URLSearchParams[] = [];
    before(async () => {
      issuer = createServer((request, response) => {
        const own = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
        if (request.url === '/.well-known/openid-configuration') {
          response.end(JSON.stringify({ token_endpoint: `${own}/token` }));
          return;
        }
        let body = '';
        request.on('data', (chunk) => {
          body += String(chunk);
        });
        request.on('end', () => {
          asked.push(new URLSearchParams(body));
          if (refusal === 'redirect') response.writeHead(307, { location: `${own}/elsewhere` });
          response.end(refusal === 'huge' ? 'x'.repeat(300_000) : JSON.stringify({ error: refusal }));
        });
      });
      await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
      dashboard = await openDashboardApp(await open(), {
        egress,
        appChecks: attemptLimit(9, 60),
        appRegistrations: registrationsAt({ google: url, microsoft: 'https://10.0.0.1' }),
      });
      owner = await dashboard.signedIn('owner');
      developer = await dashboard.signedIn('developer');
    });
    after(async () => {
      issuer.close();
      await egress.close();
      await dashboard.app.close();
    });

    const appOf = (kind: 'google' | 'microsoft' = 'google') =>
      dashboard.stores.providerApps.findProviderApp('acme', kind);
    const saidOf = async (kind = 'google') => {
      const { body } = await developer.post(`${TAB}/${kind}/check`);
      return /<div id="notice">([^<]*)</.exec(body)?.[1];
    };

    it('says what to register, and who serves users while none is set', async () => {
      const { body } = await developer.get(TAB);
      assert.ok(body.includes(`${ORIGIN}/connect/google/callback`) && body.includes('read.all'));
      assert.ok(body.includes('neither this application nor the deployment has a provider app'));
      assert.ok(!body.includes(`${TAB}/google/check`));
    });

    it('sets an app whose secret no page, header or audit entry has', async () => {
      assert.equal(leadsTo(await developer.post(`${TAB}/google`, APP)), `${TAB}?done=set`);

      assert.deepEqual({ ...(await appOf()) }, { clientId: 'own-id', clientSecret: APP.app_client_secret });
      for (const path of [TAB, `${TAB}/google`]) {
        const page = await developer.get(path);
        assert.ok(page.status === 200 && page.body.includes('own-id'));
        assert.ok(!page.body.includes('canary'), path);
      }
      const wrong = await developer.post(`${TAB}/google`, { ...APP, app_client_id: '' });
      assert.ok(wrong.status === 400 && !wrong.body.includes('canary'));
      const entries = await dashboard.stores.audit.listEntries({ clientId: 'acme' }, { limit: 5 });
      assert.deepEqual([entries[0]?.action, entries[0]?.subject], ['provider_app.set', 'google']);
      assert.ok(!JSON.stringify(entries).includes('canary'));
    });

    it('what cannot be stands at its field, and the app that is set stays', async () => {
      const cases: readonly (readonly [Record<string, string>, string])[] = [
        [{ app_client_id: ' ' }, 'app_client_id-wrong'],
        [{ app_client_id: 'x'.repeat(256) }, 'app_client_id-wrong'],
        [{ app_client_id: 'a b' }, 'app_client_id-wrong'],
        [{ app_client_secret: 'ü' }, 'app_client_secret-wrong'],
        [{ app_client_secret: 'x'.repeat(4097) }, 'app_client_secret-wrong'],
        [{ app_client_id: 'another', app_client_secret: '' }, 'app_client_secret-wrong'],
      ];
      for (const [form, wrong] of cases) {
        const answer = await developer.post(`${TAB}/google`, { ...APP, ...form });
        assert.equal(answer.status, 400, wrong);
        assert.ok(answer.body.includes(`id="${wrong}"`));
      }
      assert.equal((await developer.post(`${TAB}/microsoft`, { ...APP, app_client_secret: '' })).status, 400);
      assert.equal((await appOf())?.clientId, 'own-id');
      assert.equal(await appOf('microsoft'), undefined);
    });

    it('a secret alone takes the place of the one before; none keeps it', async () => {
      await developer.post(`${TAB}/google`, { app_client_id: 'own-id', app_client_secret: '' });
      assert.equal((await appOf())?.clientSecret, APP.app_client_secret);
      await developer.post(`${TAB}/google`, { app_client_id: 'own-id', app_client_secret: 'newer' });
      assert.equal((await appOf())?.clientSecret, 'newer');
    });

    it('a check asks the issuer of the instance alone, and tells what it says', async () => {
      const said: readonly (readonly [string, RegExp])[] = [
        ['invalid_grant', /^Google accepts the provider app/],
        ['invalid_client', /^Google rejects the provider app/],
        ['redirect_uri_mismatch', /does not know the redirect URI/],
        ['<b>odd</b>', /does not say/],
        ['huge', /does not say/],
      ];
      for (const [answer, sentence] of said) {
        refusal = answer;
        assert.match((await saidOf()) ?? '', sentence);
      }
      assert.deepEqual(
        [asked[0]?.get('client_id'), asked[0]?.get('client_secret'), asked[0]?.get('redirect_uri')],
        ['own-id', 'newer', `${ORIGIN}/connect/google/callback`],
      );
      const before = asked.length;
      refusal = 'redirect';
      assert.match((await saidOf()) ?? '', /does not say/);
      assert.equal(asked.length, before + 1); // the secret went nowhere else
    });

    it('an issuer within the network is asked nothing, and checks are counted', async () => {
      assert.match((await saidOf('microsoft')) ?? '', /no provider app at Microsoft/);
      await developer.post(`${TAB}/microsoft`, APP);
      assert.match((await saidOf('microsoft')) ?? '', /does not respond as expected/);
      await saidOf();
      const before = asked.length;
      const answer = await developer.post(`${TAB}/google/check`);
      assert.equal(answer.status, 429);
      assert.match(answer.body, /Try again in \d+ seconds/);
      assert.equal(asked.length, before);
    });

    it('takes a fresh sign-in to set and to remove, and a developer reaches no foreign application', async () => {
      dashboard.clock.now += 6 * 60_000;
      for (const path of [`${TAB}/google`, `${TAB}/google/remove`])
        assert.match(leadsTo(await developer.post(path, APP)), /^\/dashboard\/confirm/);
      for (const path of [`${TAB}/google`, `${TAB}/google/remove`])
        assert.match(leadsTo(await developer.get(path)), /^\/dashboard\/confirm/);
      assert.equal((await appOf())?.clientId, 'own-id');
      dashboard.clock.now -= 6 * 60_000;
      const foreign = TAB.replace('acme', 'other');
      for (const path of ['/google', '/google/remove', '/google/check'])
        assert.equal((await developer.post(foreign + path, APP)).status, 404);

      assert.equal(leadsTo(await owner.post(`${TAB}/google/remove`)), `${TAB}?done=removed`);
      assert.equal(await appOf(), undefined);
      assert.equal((await owner.get(`${TAB}/google/remove`)).status, 404);
    });
  });
});
