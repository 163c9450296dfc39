/** What happens at the provider after an account was disconnected here: a job's work, which nobody waits for. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ProviderError } from '../../src/calendars/provider-error.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import {
  type CalendarServer,
  link,
  openCalendarServer,
  START,
  startWorker,
} from '../harness/calendar-server.ts';
import { APP, FakeRedirectProvider } from '../harness/fake-redirect-provider.ts';
import { untilWorked } from '../harness/until.ts';

const HOUR = 3_600_000;

describe('access to a disconnected account', () => {
  let server: CalendarServer;
  let google: FakeRedirectProvider;
  let worker: Worker | undefined;
  const clock = { now: START };
  beforeEach(async () => {
    clock.now = START;
    google = new FakeRedirectProvider('google', () => clock.now);
    server = await openCalendarServer({ clock, google: google.asProvider(), apps: { google: APP } });
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await server.close();
  });

  const linkGoogle = (userId = 'ada') =>
    link(server, { provider: 'google', accountId: 'ada@example.com', userId, credentials: google.issue() });
  const disconnect = async (userId = 'ada') => {
    for (const { accountKey } of await server.deps.accounts.listAccounts('acme', userId)) {
      await server.deps.accounts.removeAccount(accountKey, clock.now, undefined);
    }
  };
  const start = () => {
    worker = startWorker(server);
  };
  const until = (isTrue: () => boolean | Promise<boolean>) => untilWorked(server.deps, isTrue);
  const remaining = async () => (await server.db.all('SELECT account_key FROM ended_access')).length;
  const job = async () => {
    const [row] = await server.db.all<{ runAt: number; leaseHolder: string | undefined }>(
      "SELECT run_at, lease_holder FROM job WHERE kind = 'end-access'",
    );
    return row;
  };
  const isIdle = async () => {
    const row = await job();
    return row !== undefined && row.leaseHolder === undefined;
  };
  const down = () => new ProviderError('unavailable', 'Down');

  it('access to a disconnected account is ended at the provider, and its credentials are forgotten', async () => {
    await linkGoogle();
    await disconnect();

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.deepEqual(google.owners, ['acme ']);
    assert.deepEqual(google.revocations, ['refresh-1']);
  });

  it('access to a disconnected account holds the disconnect up in no way when the provider is down', async () => {
    await linkGoogle();
    google.revocationFailures.push(down());
    const token = await server.token();

    const answer = await server.app.inject({
      method: 'POST',
      url: '/disconnect?provider=google',
      headers: { authorization: `Bearer ${token}` },
    });

    assert.deepEqual([answer.statusCode, google.revocations.length], [200, 0]);
  });

  it('access to a disconnected account is tried again later, by whatever process is there then', async () => {
    await linkGoogle();
    await disconnect();
    google.revocationFailures.push(down(), down());
    start();
    await until(async () => google.revocations.length === 1 && (await isIdle()));
    await worker?.stop();

    start();
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      clock.now = (await job())?.runAt ?? clock.now;
      await until(
        async () => google.revocations.length === attempt && (await job())?.leaseHolder === undefined,
      );
    }

    await until(async () => (await remaining()) === 0 && (await job()) === undefined);
  });

  it('access to a disconnected account is given up after a day, with a word in the log', async () => {
    await linkGoogle();
    await disconnect();
    clock.now += 25 * HOUR;
    google.revocationFailures.push(down());

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.equal(google.revocations.length, 1);
    assert.match(server.log.lines.join('\n'), /given up/);
  });

  it('access to a disconnected account is given up after a day even where it is our own fault', async () => {
    await linkGoogle();
    await disconnect();
    clock.now += 25 * HOUR;
    google.revocationFailures.push(new TypeError('Ours'));

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.match(server.log.lines.join('\n'), /given up/);
  });

  it('access to a disconnected account counts as ended when the provider knows it no longer', async () => {
    await linkGoogle();
    await disconnect();
    google.revocationFailures.push(new ProviderError('unauthorized', 'Unknown token'));

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.equal(google.revocations.length, 1);
  });

  it('access to a disconnected account is left alone while another account lives on the same grant, or the user is back', async () => {
    await linkGoogle();
    await linkGoogle('ben');
    await disconnect();
    await disconnect('ben');
    await linkGoogle();

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.deepEqual(google.revocations, []);
  });

  it('access to a disconnected account is left alone while another account lives on it through another app of the same owner', async () => {
    await link(server, {
      provider: 'google',
      accountId: 'ada@example.com',
      userId: 'ben',
      // The fake tells an app's owner by what its id begins with.
      credentials: { ...google.issue(), appClientId: 'app-another' },
    });
    await linkGoogle();
    await disconnect();

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.deepEqual(google.revocations, []);
  });

  it('access to an account is ended for a deleted application too, where it was given to the app of the instance', async () => {
    await linkGoogle();
    await server.deps.clients.deleteClient('acme', clock.now, undefined);

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.deepEqual(google.revocations, ['refresh-1']);
  });

  it('access to an account is ended for a deleted user too', async () => {
    await linkGoogle();
    await server.deps.users.deleteUser('acme', 'ada', { now: clock.now, by: undefined });

    start();
    await until(async () => (await remaining()) === 0 && (await job()) === undefined);

    assert.deepEqual(google.revocations, ['refresh-1']);
  });
});
