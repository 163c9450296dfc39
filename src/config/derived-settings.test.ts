/** Values of `Config` that follow from several settings, and where each setting comes from. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import { ConfigError, loadConfig, OPTIONS } from './config.ts';

describe('settings in force', () => {
  it('lists every setting with its value and source, without secrets', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kalends-config-'));
    const file = path.join(folder, 'secret');
    writeFileSync(file, 'canary-secret');

    const { settings } = loadConfig({
      KALENDS_HOST: '::1',
      KALENDS_GOOGLE_CLIENT_ID: 'id.example',
      KALENDS_GOOGLE_CLIENT_SECRET_FILE: file,
      PORT: '4321',
    });

    await rm(folder, { recursive: true });
    const find = (name: string) => settings.find((setting) => setting.name === name);
    assert.deepEqual(
      settings.map(({ name }) => name),
      OPTIONS.map(({ name }) => name),
    );
    assert.deepEqual(find('KALENDS_HOST'), { name: 'KALENDS_HOST', value: '::1', from: 'environment' });
    assert.deepEqual(find('KALENDS_PORT'), { name: 'KALENDS_PORT', value: '4321', from: 'PORT' });
    assert.deepEqual(find('KALENDS_ROLE'), { name: 'KALENDS_ROLE', value: 'all', from: 'default' });
    assert.deepEqual(find('KALENDS_URL'), { name: 'KALENDS_URL', value: '', from: 'default' });
    assert.deepEqual(find('KALENDS_GOOGLE_CLIENT_SECRET'), {
      ...{ name: 'KALENDS_GOOGLE_CLIENT_SECRET', value: undefined, from: 'file' },
    });
    assert.deepEqual(find('KALENDS_MASTER_KEY'), {
      ...{ name: 'KALENDS_MASTER_KEY', value: '', from: 'default' },
    });
  });

  it('takes KALENDS_PORT before PORT', () => {
    const { port, settings } = loadConfig({ KALENDS_PORT: '1234', PORT: '4321' });

    assert.equal(port, 1234);
    assert.equal(settings.find(({ name }) => name === 'KALENDS_PORT')?.from, 'environment');
  });
});

describe('settings that follow from others', () => {
  const url = { KALENDS_URL: 'https://calendars.example.com' };
  const admin = { KALENDS_DASHBOARD_URL: 'https://admin.example.com' };

  it('puts the dashboard at the public URL, at its own URL, or nowhere', () => {
    const dashboardUrl = (env: Record<string, string>) => loadConfig(env).dashboardUrl;

    assert.equal(dashboardUrl(url), url.KALENDS_URL);
    assert.equal(dashboardUrl({ ...url, ...admin }), admin.KALENDS_DASHBOARD_URL);
    assert.equal(dashboardUrl({ ...url, ...admin, KALENDS_DASHBOARD: 'off' }), undefined);
  });

  it('derives the public URL from host and port, with an IPv6 address in brackets', () => {
    assert.equal(loadConfig({}).url, 'http://127.0.0.1:8080');
    assert.equal(loadConfig({ KALENDS_HOST: '::1', KALENDS_PORT: '81' }).url, 'http://[::1]:81');
  });

  it('opens loopback to requests only if host and public URL are loopback', () => {
    const mode = (env: Record<string, string>) => loadConfig(env).privateNetwork.mode;

    assert.deepEqual([mode({}), mode(url), mode({ KALENDS_HOST: '0.0.0.0' })], ['loopback', 'deny', 'deny']);
    assert.equal(mode({ ...url, KALENDS_PRIVATE_NETWORK: 'allow' }), 'allow');
  });

  it('keeps backups in the data folder unless a folder is set', () => {
    const folder = (env: Record<string, string>) => loadConfig(env).backups.folder;

    assert.equal(folder({ KALENDS_DATA_DIR: '/data' }), path.resolve('/data/backups'));
    assert.equal(folder({ KALENDS_DATA_DIR: '/data', KALENDS_BACKUP_DIR: '/other' }), path.resolve('/other'));
  });

  it('reports problems of single settings and of settings together, with an invalid port and no URL', () => {
    assert.throws(
      () =>
        loadConfig({
          KALENDS_APPLICATION_HOSTS: 'http://{client_id}.0.0.1',
          KALENDS_DASHBOARD_URL: 'https://admin.0.0.example.com/x',
          KALENDS_GOOGLE_CLIENT_ID: 'id',
          KALENDS_PORT: 'many',
        }),
      (reason: unknown) => {
        assert.ok(reason instanceof ConfigError);
        assert.deepEqual(
          reason.problems.map((problem) => problem.split(' ')[0]),
          [
            'KALENDS_PORT',
            'KALENDS_APPLICATION_HOSTS',
            'KALENDS_DASHBOARD_URL',
            'KALENDS_GOOGLE_CLIENT_SECRET',
          ],
        );
        return true;
      },
    );
  });

  it('accepts application hosts apart from the default URL, and reports them beside an invalid port', () => {
    const hosts = { KALENDS_APPLICATION_HOSTS: 'http://{client_id}.hooks.localhost' };

    assert.equal(loadConfig(hosts).applicationHosts, 'http://id.hooks.localhost');
    assert.throws(
      () => loadConfig({ ...hosts, KALENDS_PORT: '0' }),
      /has 1 problem\(s\):\n {2}- KALENDS_PORT must be/,
    );
  });
});
