import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { loadConfig } from '../config/config.ts';
import { checkPushes } from './doctor.ts';
import type { StorageReport, WatchedCalendars } from './storage-report.ts';

const reached = loadConfig({ KALENDS_URL: 'https://kalends.example' });

const having = (watched: readonly WatchedCalendars[]): StorageReport => ({
  state: 'reachable',
  engine: 'sqlite',
  pending: [],
  masterKey: { keyId: undefined, next: undefined, before: undefined },
  keyProblem: undefined,
  addresses: undefined,
  clockSkew: 0,
  newestInstant: undefined,
  sharedKeys: [],
  accountsWithoutTenant: 0,
  begunAt: undefined,
  lastBackup: undefined,
  watched,
});

describe('the check of pushes', () => {
  it('reports without a warning that push notifications cannot arrive if KALENDS_URL is not https', () => {
    const { status, message } = checkPushes(having([]), loadConfig({}));

    assert.equal(status, 'ok');
    assert.match(message, /KALENDS_URL is not https.*polled every 5 minutes/);
  });

  it('reports the address for push notifications while there is no watched calendar', () => {
    const { status, message } = checkPushes(having([]), reached);

    assert.equal(status, 'ok');
    assert.match(message, /https:\/\/kalends\.example\/.*no application waits for their calendars/);
  });

  it('counts watched and polled calendars with the reasons, and warns about reasons that can be fixed', () => {
    const live = { provider: 'google', state: 'live', reason: null, count: 3 } as const;
    const holidays = { ...live, state: 'unsupported', count: 1 };
    const refused = {
      ...live,
      provider: 'microsoft',
      state: 'failed',
      reason: 'Forbidden',
      count: 2,
    } as const;

    assert.equal(checkPushes(having([live, holidays]), reached).status, 'ok');
    const { status, message } = checkPushes(having([live, holidays, refused]), reached);

    assert.equal(status, 'warn');
    for (const text of [
      '3 of Google with push notifications',
      '1 of Google polled, because the provider cannot send push notifications for them',
      '2 of Microsoft polled, because the provider refuses push notifications (Forbidden)',
    ])
      assert.ok(message.includes(text), message);
  });
});
