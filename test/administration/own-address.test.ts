import assert from 'node:assert/strict';
import { it } from 'node:test';

import { buildAdministration } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { onSqlite } from '../harness/databases.ts';
import { ENVIRONMENT_KEY, openAdministrationApp } from './administration-app.ts';

onSqlite((open) => {
  it('an address of its own has the administration API and nothing else', async () => {
    const { app, deps } = await openAdministrationApp(await open());
    const own = buildAdministration({ ...deps, ...deps.appChecking, trustProxy: undefined, secure: true });
    const authorization = `Bearer ${ENVIRONMENT_KEY}`;
    const get = async (url: string) => (await own.inject({ url, headers: { authorization } })).statusCode;

    assert.equal(await get('/admin/v1/applications'), 200);
    for (const path of ['/', '/health', '/dashboard', '/authorize']) assert.equal(await get(path), 404, path);
    const document = await own.inject('/admin/v1/openapi.json');
    assert.equal(document.json().openapi, '3.1.1');
    await Promise.all([app.close(), own.close()]);
  });
});

it('KALENDS_ADMIN_ADDRESS is the dashboard, off, or an address', () => {
  const read = (KALENDS_ADMIN_ADDRESS: string) => loadConfig({ KALENDS_ADMIN_ADDRESS }).adminAddress;
  assert.equal(loadConfig({}).adminAddress, 'dashboard');
  assert.equal(read('off'), 'off');
  assert.deepEqual(read('127.0.0.1:9465'), { host: '127.0.0.1', port: 9465 });
  assert.throws(() => read('somewhere'), /KALENDS_ADMIN_ADDRESS must be/);
});

it('KALENDS_ADMIN_KEY has 32 to 128 printable characters, and is not among the settings that are shown', () => {
  const read = (KALENDS_ADMIN_KEY: string) => loadConfig({ KALENDS_ADMIN_KEY });
  assert.equal(loadConfig({}).adminKey, undefined);
  assert.equal(read('k'.repeat(32)).adminKey, 'k'.repeat(32));
  for (const wrong of ['k'.repeat(31), 'k'.repeat(129), `${'k'.repeat(32)} `, `${'k'.repeat(32)}é`])
    assert.throws(() => read(wrong), /KALENDS_ADMIN_KEY must/);
  assert.doesNotMatch(JSON.stringify(read('k'.repeat(32)).settings), /kkk/);
});
