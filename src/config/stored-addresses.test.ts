import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Addresses, loadWithAddresses } from './stored-addresses.ts';

const URL = 'https://kalends.example';
const ADMIN = 'https://admin.example';
const DEFAULT = 'http://127.0.0.1:8080';

/** Returns the addresses that a command prints in `env`. */
function resolve(env: Readonly<Record<string, string>>, stored: Addresses | undefined) {
  const { config, isDefault } = loadWithAddresses(env, stored);
  return { url: config.url, dashboardUrl: config.dashboardUrl, isDefault };
}
const addresses = (url: string, dashboardUrl: string | undefined = url) => ({
  url,
  dashboardUrl,
  isDefault: false,
});

describe('the addresses that commands print', () => {
  it('are the stored ones if the environment sets none', () => {
    const rows = [
      { url: URL, dashboardUrl: URL },
      { url: URL, dashboardUrl: ADMIN },
      { url: URL, dashboardUrl: undefined },
    ];
    for (const row of rows)
      for (const env of [{}, { PORT: '1' }, { KALENDS_HOST: '0.0.0.0' }])
        assert.deepEqual(resolve(env, row), { ...row, isDefault: false });
  });

  it('are those of the environment if it sets them', () => {
    const stored = { url: URL, dashboardUrl: ADMIN };
    const other = 'https://other.example';
    assert.deepEqual(resolve({ KALENDS_URL: other }, stored), addresses(other));
    assert.deepEqual(resolve({ KALENDS_PORT: '9' }, stored), addresses('http://127.0.0.1:9'));
    assert.deepEqual(resolve({ KALENDS_DASHBOARD_URL: other }, stored), addresses(URL, other));
    assert.equal(resolve({ KALENDS_DASHBOARD: 'off' }, stored).dashboardUrl, undefined);
  });

  it('have the stored dashboard if the environment has the stored public address only', () => {
    const env = { KALENDS_URL: URL };
    assert.deepEqual(resolve(env, { url: URL, dashboardUrl: ADMIN }), addresses(URL, ADMIN));
    assert.equal(resolve(env, { url: URL, dashboardUrl: undefined }).dashboardUrl, undefined);
    const isOn = { ...env, KALENDS_DASHBOARD: 'on' };
    assert.deepEqual(resolve(isOn, { url: URL, dashboardUrl: undefined }), addresses(URL));
  });

  it('are the default if neither has one', () => {
    assert.deepEqual(resolve({}, undefined), { ...addresses(DEFAULT), isDefault: true });
    assert.deepEqual(resolve({ KALENDS_URL: URL }, undefined), addresses(URL));
  });
});
