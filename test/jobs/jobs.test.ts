/** The worker: what it does with jobs, with failures, and with being stopped. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProviderError } from '../../src/calendars/provider-error.ts';
import { createWakeUp } from '../../src/jobs/wake-up.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { jobHandlers } from '../../src/start/job-handlers.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, link, openCalendarServer, startWorker } from '../harness/calendar-server.ts';
import { untilWorked } from '../harness/until.ts';

const A_DAY = 24 * 3_600_000;

describe('the worker', () => {
  let server: CalendarServer;
  let worker: Worker | undefined;
  beforeEach(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar('/a/'));
    server.provider.put('/a/', resource('one', event('2026-11-10T09:00:00')));
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await server.close();
  });

  const start = () => {
    worker = startWorker(server);
  };
  const until = (isTrue: () => boolean | Promise<boolean>) => untilWorked(server.deps, isTrue);
  const jobOf = async (kind: string) =>
    server.db.get<{ runAt: number; attempts: number; leaseHolder: string | undefined }>(
      'SELECT run_at, attempts, lease_holder FROM job WHERE kind = :kind',
      { kind },
    );
  const isIdle = async (kind: string) => {
    const job = await jobOf(kind);
    return job === undefined || job.leaseHolder === undefined;
  };
  const events = async () => (await server.db.all('SELECT href FROM event')).length;

  it('the worker syncs an account as soon as it is linked, then schedules it again', async () => {
    const { wakeUp } = server.deps;
    let isWaiting = false;
    // It looks again only if it is notified.
    const wait = async () => {
      isWaiting = true;
      await wakeUp.wait(A_DAY);
      isWaiting = false;
    };
    worker = startWorker(server, { wakeUp: { ...wakeUp, wait } });
    while (!isWaiting || ((await jobOf('housekeeping'))?.runAt ?? 0) <= server.clock.now) await sleep(10);

    await link(server);
    while ((await events()) === 0) await sleep(10);

    await until(() => isIdle('sync-account'));
    const job = await jobOf('sync-account');
    const minutes = ((job?.runAt ?? 0) - server.clock.now) / 60_000;
    assert.ok(minutes >= 12 && minutes <= 18, `${minutes}`);
  });

  it('the worker finds what changed when the account is due again', async () => {
    await link(server);
    start();
    await until(async () => (await events()) === 1 && (await isIdle('sync-account')));
    server.provider.put('/a/', resource('two', event('2026-11-11T09:00:00')));

    server.clock.now += 20 * 60_000;

    await until(async () => (await events()) === 2);
  });

  it('the worker tries a failed account again later, later still each time, and recovers', async () => {
    await link(server);
    const down = new ProviderError('unavailable', 'down');
    server.provider.failures.push({ call: 'list', error: down }, { call: 'list', error: down });
    start();

    const waits: number[] = [];
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await until(async () => server.provider.calls.length === attempt && (await isIdle('sync-account')));
      const job = await jobOf('sync-account');
      waits.push((job?.runAt ?? 0) - server.clock.now);
      server.clock.now = job?.runAt ?? 0;
    }

    await until(async () => (await events()) === 1 && (await isIdle('sync-account')));
    const [first = 0, second = 0] = waits;
    assert.ok(first >= 7_500 && first <= 15_000, `${first}`);
    assert.ok(second >= 15_000 && second <= 30_000, `${second}`);
    const [account] = await server.deps.accounts.listAccounts('acme', 'ada');
    assert.equal(account?.health.state, 'active');
  });

  it('the worker makes a job of its own for the one calendar that failed', async () => {
    server.provider.addCalendar(calendar('/b/'));
    await link(server);
    server.provider.failures.push({ call: 'changes /b/', error: new ProviderError('unavailable', 'down') });
    start();

    await until(async () => (await jobOf('sync-calendar')) !== undefined && (await isIdle('sync-account')));
    server.clock.now = (await jobOf('sync-calendar'))?.runAt ?? 0;

    await until(async () => (await jobOf('sync-calendar')) === undefined);
    const changes = server.provider.calls.filter((call) => call === 'changes /b/ all');
    assert.equal(changes.length, 2);
  });

  it('the worker ends the jobs of an account that is gone', async () => {
    await server.deps.jobs.schedule('sync-account', 'nobody', server.clock.now);
    await server.deps.jobs.schedule('sync-calendar', 'nothing', server.clock.now);

    start();

    await until(async () => (await jobOf('sync-account')) === undefined);
    await until(async () => (await jobOf('sync-calendar')) === undefined);
  });

  it('the worker waits for the job under way when it is stopped, and starts no other', async () => {
    await link(server);
    server.provider.latency = 100;
    start();
    await until(() => server.provider.calls.length === 1);

    await worker?.stop();

    assert.equal(await events(), 1);
    assert.ok(await isIdle('sync-account'));
    const calls = server.provider.calls.length;
    await server.deps.jobs.schedule('sync-account', 'x', 0);
    await sleep(50);
    assert.equal(server.provider.calls.length, calls);
  });

  it('the worker continues after the database could not be reached', async () => {
    await link(server);
    let failures = 1;
    const nextRunAt = async () => {
      if (failures-- > 0) throw new Error('connection lost');
      return server.deps.jobs.nextRunAt();
    };
    worker = startWorker(server, { jobs: { ...server.deps.jobs, nextRunAt } });

    await until(async () => (await events()) === 1);

    assert.match(server.log.lines.join('\n'), /could not read its jobs/);
  });

  it('the worker works a job once when two workers are there', async () => {
    for (let i = 0; i < 12; i += 1) await link(server, { accountId: `a${i}` });
    start();
    const second = startWorker(server, { wakeUp: createWakeUp() });

    await until(async () => {
      const open = await server.db.all(
        'SELECT key FROM job WHERE run_at <= :now OR lease_holder IS NOT NULL',
        {
          now: server.clock.now,
        },
      );
      return open.length === 0 && (await events()) === 12;
    });
    await second.stop();

    assert.equal(server.provider.calls.filter((call) => call === 'list').length, 12);
  });

  it('the worker deletes what the request log has above its limit', async () => {
    const { requestLog } = server.deps;
    const entry = {
      method: 'GET',
      route: '/events',
      status: 403,
      durationMs: 1,
      repeated: 1,
      isClaimed: false,
    };
    const caller = { clientId: 'acme', userId: undefined, network: undefined, body: undefined };
    const at = server.clock.now;
    await requestLog.addRequests(
      ['oldest', 'r2', 'r3'].map((requestId, index) => ({
        ...entry,
        ...caller,
        requestId,
        at: at - 10 + index,
      })),
    );

    worker = startWorker(server, { handlers: jobHandlers({ ...server.deps, requestLogRows: 2 }) });
    const listed = () => requestLog.listRequests({}, { limit: 10 });
    await until(async () => (await listed()).length === 2);

    assert.deepEqual(
      (await listed()).map(({ requestId }) => requestId),
      ['r3', 'r2'],
    );
  });

  it('the worker deletes what outlived its use, and what is in use stays', async () => {
    const { db, clock, deps } = server;
    const day = 24 * 3_600_000;
    await server.token('read', 'ben');
    await db.write('UPDATE token_family SET ended_at = :now', { now: clock.now });
    await server.token('read', 'ada');
    await deps.requestLimits.takeSlot({ mailbox: 'm', slot: 0, holder: 'dead' }, clock.now, clock.now + 1);
    await deps.users.loadOrCreateUser('acme', 'idle', clock.now);
    await deps.users.loadOrCreateUser('acme', 'linked', clock.now);
    await link(server, { userId: 'linked' });
    start();
    const isDone = async () =>
      ((await jobOf('housekeeping'))?.runAt ?? 0) > clock.now && (await isIdle('housekeeping'));
    await until(isDone);
    const users = async () =>
      (await db.all<{ id: string }>("SELECT user_id AS id FROM application_user WHERE client_id = 'acme'"))
        .map(({ id }) => id)
        .sort();
    const families = async () => (await db.all('SELECT family_id FROM token_family')).length;
    const before = [await families(), await users()];

    clock.now += 2 * day;
    await until(async () => (await families()) === 1);
    const afterTwoDays = await users();
    clock.now += 29 * day;
    await until(async () => !(await users()).includes('idle'));

    assert.deepEqual(before, [2, ['ada', 'ben', 'idle', 'linked']]);
    assert.deepEqual(afterTwoDays, ['ada', 'ben', 'idle', 'linked']);
    assert.deepEqual(await db.all('SELECT slot FROM request_slot'), []);
    assert.deepEqual(await users(), ['ada', 'linked']);
  });
});

describe('waking the worker up', () => {
  it('ends its wait', async () => {
    const wakeUp = createWakeUp();
    const waited = wakeUp.wait(A_DAY);

    wakeUp.notify();

    await waited;
  });

  it('ends the next wait where none is under way, and no more', async () => {
    const wakeUp = createWakeUp();
    wakeUp.notify();
    wakeUp.notify();
    await wakeUp.wait(A_DAY);
    const startedAt = performance.now();
    await wakeUp.wait(60);

    assert.ok(performance.now() - startedAt >= 55);
  });
});
