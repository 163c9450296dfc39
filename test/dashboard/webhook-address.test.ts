/** Where deliveries may go is one rule, whichever form sets it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { onSqlite } from '../harness/databases.ts';
import { leadsTo, openDashboardApp } from './dashboard-app.ts';

const URL_INSIDE = 'https://10.0.0.5/hooks';
const SETTINGS = '/dashboard/applications/acme';
const FORM = { name: 'Mine', redirect_uri: 'https://acme.example/callback', webhook_url: URL_INSIDE };

onSqlite((open) => {
  it('an address of the operator’s own network is an owner’s to set, in settings and for endpoints', async () => {
    const privateNetwork = { mode: 'hosts', hosts: ['10.0.0.5'] } as const;
    const { app, signedIn, stores } = await openDashboardApp(await open(), { privateNetwork });
    const [owner, developer] = [await signedIn('owner'), await signedIn('developer')];

    const inSettings = await developer.post(SETTINGS, FORM);
    const asEndpoint = await developer.post(`${SETTINGS}/webhooks/new`, { url: URL_INSIDE, hears: 'events' });

    for (const { status, body } of [inSettings, asEndpoint]) {
      assert.equal(status, 400);
      assert.match(body, /own network: an owner can set it/);
    }
    assert.deepEqual(await stores.endpoints.listEndpoints('acme'), []);
    assert.match((await owner.post(SETTINGS, FORM)).body, /whsec_/);
    // What an owner has set stays when a developer changes something else.
    assert.match(leadsTo(await developer.post(SETTINGS, { ...FORM, name: 'Ours' })), /done=saved/);
    assert.equal((await stores.clients.findClient('acme'))?.webhookUrl, URL_INSIDE);
    await app.close();
  });
});
