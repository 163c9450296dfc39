import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type AppKind, providerApps } from './provider-apps.ts';

const instance = { google: { clientId: 'g-instance', clientSecret: 'one' } };
const acme = { clientId: 'g-acme', clientSecret: 'two' };
const store = {
  findProviderApp: async (clientId: string, kind: AppKind) =>
    clientId === 'acme' && kind === 'google' ? acme : undefined,
};
const apps = providerApps(store, instance);

describe('providerApps', () => {
  it('the application’s own provider app is preferred to the instance’s', async () => {
    assert.deepEqual(await apps.find('acme', 'google'), acme);
  });

  it('the provider app falls back to the instance’s', async () => {
    assert.deepEqual(await apps.find('other', 'google'), instance.google);
  });

  it('there is no provider app where neither application nor instance has one, nor for providers that need none', async () => {
    assert.equal(await apps.find('acme', 'microsoft'), undefined);
    assert.equal(await apps.find('acme', 'caldav'), undefined);
  });

  it('the app that tokens were issued to is found, whichever would sign in now', async () => {
    assert.deepEqual(await apps.findIssuer('acme', 'google', 'g-instance'), instance.google);
    assert.deepEqual(await apps.findIssuer('acme', 'google', 'g-acme'), acme);
  });

  it('no issuer is found once its app is gone, nor in another application’s', async () => {
    assert.equal(await apps.findIssuer('acme', 'google', 'g-before'), undefined);
    assert.equal(await apps.findIssuer('other', 'google', 'g-acme'), undefined);
  });
});
