/** Where deliveries and logos may come from or go is one rule, whichever form sets it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it, type TestContext } from 'node:test';

import { createEgress } from '../../src/lib/egress/egress.ts';
import type { PrivateNetwork } from '../../src/lib/egress/private-network.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { onSqlite } from '../harness/databases.ts';
import { startCanary } from '../servers/canary.ts';
import { startDns } from '../servers/dns.ts';
import { type Answer, leadsTo, openDashboardApp } from './dashboard-app.ts';

const URL_INSIDE = 'https://10.0.0.5/hooks';
const SETTINGS = '/dashboard/applications/acme';
const FORM = { name: 'Mine', redirect_uris: 'https://acme.example/callback', webhook_url: URL_INSIDE };
const NOT_PUBLIC = /([^\s:>]+) is not a public host\b/;

/** The text of a page about a host, which is HOST. */
const textAbout = ({ body }: Answer, host: string): string | undefined =>
  NOT_PUBLIC.exec(body.replaceAll('&#58;', ':'))?.[0].replace(host, 'HOST');

onSqlite((open) => {
  const openInside = async (t: TestContext) => {
    const canary = await startCanary();
    const dns = await startDns({ 'intranet.test': [['127.0.0.1']], 'ten.test': [['10.0.0.5']] });
    const hosts = ['10.0.0.5', '127.0.0.1', 'intranet.test'];
    const privateNetwork: PrivateNetwork = { mode: 'hosts', hosts };
    const egress = createEgress({ privateNetwork, lookup: dns.lookup });
    const changes = { privateNetwork, egress, webhookEgress: egress };
    const dashboard = await openDashboardApp(await open(), changes);
    t.after(async () => {
      await dashboard.app.close();
      await Promise.all([canary.stop(), dns.stop()]);
    });
    const [owner, developer] = [await dashboard.signedIn('owner'), await dashboard.signedIn('developer')];
    return { ...dashboard, canary, owner, developer };
  };

  it('only an owner sets an address of the operator’s network, in settings and for endpoints', async (t) => {
    const { stores, owner, developer } = await openInside(t);

    for (const url of [URL_INSIDE, 'https://192.168.0.1/', 'http://127.0.0.1/', 'http://localhost:8080/']) {
      const inSettings = await developer.post(SETTINGS, { ...FORM, webhook_url: url });
      const asEndpoint = await developer.post(`${SETTINGS}/webhooks/new`, { url, hears: 'events' });
      for (const answer of [inSettings, asEndpoint]) {
        assert.equal(answer.status, 400);
        // It does not say which of them the setting opens.
        assert.equal(textAbout(answer, new URL(url).hostname), 'HOST is not a public host');
        assert.ok(!answer.body.includes('KALENDS_PRIVATE_NETWORK'));
      }
    }
    assert.deepEqual(await stores.endpoints.listEndpoints('acme'), []);
    assert.match((await owner.post(SETTINGS, FORM)).body, /whsec_/);
    // An owner's URL stays when a developer changes something else.
    assert.match(leadsTo(await developer.post(SETTINGS, { ...FORM, name: 'Ours' })), /done=saved/);
    assert.equal((await stores.clients.findClient('acme'))?.webhookUrl, URL_INSIDE);
    assert.equal((await stores.endpoints.findEndpoint('we_acme'))?.privateNetwork, 1);
  });

  it('a test of an endpoint says the same of a private and an unknown name, and connects to neither', async (t) => {
    const { canary, owner, developer } = await openInside(t);
    const test = `${SETTINGS}/webhooks/we_acme/test`;
    for (const host of ['intranet.test', 'ten.test', 'unknown.test']) {
      await developer.post(SETTINGS, { ...FORM, webhook_url: `https://${host}:${canary.port}/` });
      const answer = await developer.post(test);
      assert.deepEqual([answer.status, textAbout(answer, host)], [200, 'HOST is not a public host']);
      assert.match(answer.body, /Blocked, unless an owner sets the URL/);
    }
    assert.equal(canary.connections(), 0);

    await owner.post(SETTINGS, { ...FORM, webhook_url: `https://intranet.test:${canary.port}/moved` });
    assert.match((await developer.post(test)).body, /does not speak https/);
    assert.equal(canary.connections(), 1);
    assert.match(
      (await owner.get(`${SETTINGS}/webhooks/we_acme`)).body,
      /Allowed as KALENDS_PRIVATE_NETWORK/,
    );
  });

  it('a logo comes from the operator’s network for an owner, and for no developer', async (t) => {
    const { canary, owner, developer } = await openInside(t);
    const set = (browser: typeof owner, host: string) =>
      browser.post(`${SETTINGS}/branding/logo`, { url: `http://${host}:${canary.port}/logo.svg` });
    for (const host of ['127.0.0.1', 'intranet.test', 'ten.test', 'unknown.test', '169.254.169.254']) {
      const answer = await set(developer, host);
      assert.deepEqual([answer.status, textAbout(answer, host)], [400, 'HOST is not a public host'], host);
    }
    assert.equal(canary.connections(), 0);

    // The canary does not answer with a picture.
    assert.match((await set(owner, '127.0.0.1')).body, /must be a PNG, JPEG, WebP or SVG/);
    assert.equal(canary.connections(), 1);
  });

  it('an endpoint above the limit of an application is refused, as a further one and as its webhook URL', async () => {
    const db = await open();
    const stores = openStores(db, { sealer: createSealer(randomBytes(32)), endpointsPerApplication: 1 });
    const { app, signedIn } = await openDashboardApp(db, stores);
    const developer = await signedIn('developer');
    const add = (path: string) =>
      developer.post(`${SETTINGS}/webhooks/new`, { url: `https://acme.example/${path}`, hears: 'events' });

    assert.match((await add('first')).body, /whsec_/);
    const inSettings = { ...FORM, webhook_url: 'https://acme.example/third' };
    for (const { status, body } of [await add('second'), await developer.post(SETTINGS, inSettings)]) {
      assert.equal(status, 409);
      assert.match(body, /has 1 webhook endpoints/);
    }
    await app.close();
  });
});
