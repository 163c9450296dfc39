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
  it('prefers the application’s own provider app to the instance’s', async () => {
    assert.deepEqual(await apps.find('acme', 'google'), acme);
  });

  it('falls back to the instance’s provider app', async () => {
    assert.deepEqual(await apps.find('other', 'google'), instance.google);
  });

  it('returns no app if neither the application nor the instance has one, or the provider needs none', async () => {
    assert.equal(await apps.find('acme', 'microsoft'), undefined);
    assert.equal(await apps.find('acme', 'caldav'), undefined);
  });

  it('finds the app that issued the tokens, whichever app signs users in now', async () => {
    assert.deepEqual(await apps.findIssuer('acme', 'google', 'g-instance'), instance.google);
    assert.deepEqual(await apps.findIssuer('acme', 'google', 'g-acme'), acme);
  });

  it('finds no issuer after its app was removed, or if it is another application’s', async () => {
    assert.equal(await apps.findIssuer('acme', 'google', 'g-before'), undefined);
    assert.equal(await apps.findIssuer('other', 'google', 'g-acme'), undefined);
  });
});
