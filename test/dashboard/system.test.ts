/** The page of the system: what it shows, and what its buttons do. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import { type Activity, HOUR_MS, startOfHour } from '../../src/activity/activity.ts';
import { loadConfig } from '../../src/config/config.ts';
import { backupsIn } from '../../src/system/backups.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { leadsTo, openDashboardApp, programForTests } from './dashboard-app.ts';
import { type Noted, noting } from './noting-database.ts';

const SYSTEM = '/dashboard/system';

onEachDatabase((database, open) => {
  describe(`the system’s page, on ${database}`, () => {
    it('shows what runs, what waits and where each setting comes from, and no secret', async () => {
      const { settings } = loadConfig({
        KALENDS_PORT: '4321',
        KALENDS_GOOGLE_CLIENT_ID: 'id.example',
        KALENDS_GOOGLE_CLIENT_SECRET: 'canary-secret',
        KALENDS_DATABASE_URL: 'postgres://me:canary-password@db.example/kalends',
      });
      const program = programForTests({ settings });
      const dashboard = await openDashboardApp(await open(), { program });
      const { stores, clock, signedIn } = dashboard;
      const instance = {
        ...{ host: '<b>host', version: '9.9.9', role: 'worker' as const, startedAt: 1 },
        ...{ keyIds: ['k'], keyId: 'k' },
      };
      await stores.system.noteInstance({ ...instance, instanceId: 'i', seenAt: clock.now }, 0);
      await stores.jobs.schedule('sync-account', 'a', clock.now - 120_000);
      const budget = { bucket: 'app google id.example', cost: 3_000, burst: 6_667 };
      await stores.requestLimits.takeTokens(budget, clock.now);

      const owner = await signedIn('owner');
      const { body } = await owner.get(SYSTEM);
      const { body: configuration } = await owner.get(`${SYSTEM}/configuration`);

      await dashboard.app.close();
      assert.match(body, /Kalends 1\.2\.3/);
      assert.match(body, /&#60;b&#62;host|&lt;b&gt;host/);
      assert.match(body, /Other version/);
      assert.match(body, /Account syncs/);
      assert.match(body, /55%/);
      assert.match(configuration, /4321/);
      assert.match(configuration, /Set, not shown/);
      assert.doesNotMatch(body + configuration, /canary/);
    });

    it('lists the applications with the most load of a period, in the chosen order', async () => {
      const dashboard = await openDashboardApp(await open());
      const { stores, clock, signedIn } = dashboard;
      const hour = startOfHour(clock.now);
      const count = (clientId: string, activity: Activity, count: number) => ({ clientId, activity, count });
      await stores.activity.addCounts([count('acme', 'calls', 1_234), count('acme', 'call_ms', 5_650)], hour);
      await stores.activity.addCounts([count('other', 'refusals', 9)], hour - 30 * HOUR_MS);
      const owner = await signedIn('owner');
      const read = async (query = '') => (await owner.get(`${SYSTEM}/load${query}`)).body;

      const day = await read();
      assert.match(day, /applications\/acme".*1,234.*5\.7 s/s);
      assert.doesNotMatch(day, /applications\/other"/);
      assert.match(await read('?period=7d&by=errors'), /applications\/other"/);
      assert.match(await read('?by=errors'), /No application has caused such load/);
      assert.equal(await read('?period=x&by=__proto__'), day);
      await dashboard.app.close();
    });

    it('each of the five pages reads only what it shows', async () => {
      const noted: Noted = new Map();
      const dashboard = await openDashboardApp(noting(await open(), noted));
      const owner = await dashboard.signedIn('owner');
      const tables = [
        'activity_count',
        'instance',
        'job',
        'request_budget',
        'database_size',
        'signing_key',
        'webhook_key',
      ];
      const read = async (page: string) => {
        noted.clear();
        assert.equal((await owner.get(`${SYSTEM}${page}`)).status, 200);
        const texts = [...noted.keys()].join();
        return tables.filter((name) => new RegExp(`(?:FROM|JOIN) ${name}\\b`).test(texts));
      };

      assert.deepEqual(await read(''), ['instance', 'job', 'request_budget']);
      assert.deepEqual(await read('/load'), ['activity_count']);
      assert.deepEqual(await read('/database'), ['database_size']);
      assert.deepEqual(await read('/keys'), ['signing_key', 'webhook_key']);
      assert.deepEqual(await read('/configuration'), []);
      await dashboard.app.close();
    });

    it('the checks run by a button, and what is wrong stands on an owner’s overview', async () => {
      const bad = { name: 'clock', status: 'fail', message: 'It <i>lies</i> in the past' } as const;
      const good = { name: 'server', status: 'ok', message: 'It answers' } as const;
      const program = programForTests({ check: async () => [good, bad] });
      const dashboard = await openDashboardApp(await open(), { program });
      const [owner, viewer] = [await dashboard.signedIn('owner'), await dashboard.signedIn('viewer')];
      const before = await owner.get(SYSTEM);

      const answer = await owner.post(`${SYSTEM}/check`);

      assert.match(before.body, /No checks have run yet/);
      const { body } = await owner.get(leadsTo(answer));
      assert.ok(body.indexOf('in the past') < body.indexOf('It answers'), 'what is wrong comes first');
      assert.ok(!body.includes('<i>lies'));
      assert.match((await owner.get('/dashboard')).body, /in the past/);
      assert.doesNotMatch((await viewer.get('/dashboard')).body, /in the past/);
      const [entry] = await dashboard.stores.audit.listEntries({}, { limit: 1 });
      await dashboard.app.close();
      assert.equal(entry?.action, 'system.checked');
    });

    it('one failed check runs again from the overview and keeps the results of the others', async () => {
      let isFixed = false;
      const asked: (string | undefined)[] = [];
      const check = async (name?: string) => {
        asked.push(name);
        const status = isFixed ? ('ok' as const) : ('fail' as const);
        return ['google', 'clock'].map((one) => ({ name: one, status, message: `${one}: ${status}` }));
      };
      const dashboard = await openDashboardApp(await open(), { program: programForTests({ check }) });
      const owner = await dashboard.signedIn('owner');
      await owner.post(`${SYSTEM}/check`);
      const first = await owner.get('/dashboard');
      isFixed = true;

      const answer = await owner.post(`${SYSTEM}/check`, { check: 'google', back: '/dashboard' });

      assert.match(first.body, /action="\/dashboard\/system\/check"/);
      assert.match(first.body, /name="check" value="google"/);
      assert.equal(leadsTo(answer), '/dashboard?done=checked');
      assert.deepEqual(asked, [undefined, 'google']);
      const { body } = await owner.get(leadsTo(answer));
      assert.match(body, /clock: fail/);
      assert.doesNotMatch(body, /google/);
      const last = await dashboard.stores.system.lastChecks();
      await dashboard.app.close();
      assert.deepEqual(
        last?.checks.map(({ name, status }) => `${name} ${status}`),
        ['clock fail', 'google ok'],
      );
    });

    it('a check keeps the time of its first failure, and leads back to no page but two', async () => {
      const check = async () => [{ name: 'clock', status: 'fail' as const, message: 'It lies' }];
      const dashboard = await openDashboardApp(await open(), { program: programForTests({ check }) });
      const owner = await dashboard.signedIn('owner');
      const since = dashboard.clock.now;
      await owner.post(`${SYSTEM}/check`);
      dashboard.clock.now += 60_000;

      for (const form of [{ check: 'clock' }, { check: 'unknown' }, { back: 'https://evil.example/' }, {}])
        assert.equal(leadsTo(await owner.post(`${SYSTEM}/check`, form)), `${SYSTEM}?done=checked`);

      const last = await dashboard.stores.system.lastChecks();
      const developer = await dashboard.signedIn('developer');
      assert.equal((await developer.post(`${SYSTEM}/check`, { check: 'clock' })).status, 403);
      assert.doesNotMatch((await developer.get('/dashboard')).body, /It lies/);
      await dashboard.app.close();
      assert.deepEqual(last, { at: since + 60_000, checks: [{ ...(await check())[0], since }] });
    });

    it('the master key that is in use is named, and the one that takes its place', async () => {
      const dashboard = await openDashboardApp(await open());
      const { stores, clock, db } = dashboard;
      const owner = await dashboard.signedIn('owner');
      await db.write(`INSERT INTO setting (name, value) VALUES ('master_key', 'aaaa')`);
      const before = await owner.get(`${SYSTEM}/keys`);
      await stores.masterKey.announceKey('bbbb', clock.now);
      const meanwhile = await owner.get(`${SYSTEM}/keys`);
      await stores.masterKey.useKey('bbbb');
      await stores.masterKey.finishKey('bbbb', clock.now, undefined);
      const after = await owner.get(`${SYSTEM}/keys`);

      await dashboard.app.close();
      assert.match(before.body, /encrypted with master key .*aaaa/);
      assert.match(meanwhile.body, /being changed from .*aaaa.* to .*bbbb/);
      assert.match(after.body, /encrypted with master key .*bbbb.*It replaced .*aaaa/s);
    });

    it('keys are rotated once by a form that is sent twice, after a fresh sign-in, and audited', async () => {
      const dashboard = await openDashboardApp(await open());
      const { stores, clock } = dashboard;
      const owner = await dashboard.signedIn('owner');
      const active = async () => ({
        signing:
          (await stores.signingKeys.listSigningKeys()).find(({ status }) => status === 'active')?.kid ?? '',
        webhook: (await stores.webhookKeys.listWebhookKeys(clock.now))[0]?.keyId ?? '',
      });
      const first = await active();

      for (const kind of ['signing', 'webhook'] as const)
        for (const _ of [1, 2])
          leadsTo(await owner.post(`${SYSTEM}/${kind}-keys/rotate`, { active: first[kind] }));

      const second = await active();
      assert.notEqual(second.signing, first.signing);
      assert.notEqual(second.webhook, first.webhook);
      const entries = await stores.audit.listEntries({}, { limit: 9 });
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['webhook_keys.rotated', 'signing_keys.rotated'],
      );
      clock.now += 6 * 60_000;
      const late = await owner.post(`${SYSTEM}/signing-keys/rotate`, { active: second.signing });
      const third = await active();
      await dashboard.app.close();
      assert.match(leadsTo(late), /^\/dashboard\/confirm/);
      assert.deepEqual(third, second);
    });

    it('PostgreSQL’s backups are made elsewhere, which is said', async () => {
      const dashboard = await openDashboardApp(await open());
      const owner = await dashboard.signedIn('owner');
      const { body } = await owner.get(`${SYSTEM}/database`);
      const answer = await owner.post(`${SYSTEM}/backup`);
      await dashboard.app.close();
      assert.match(body, /pg_dump/);
      assert.equal(answer.status, 404);
    });
  });
});

describe('backups of the dashboard', () => {
  const prepare = async (bytes = 100) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'kalends-backups-'));
    const clock = { now: Date.UTC(2026, 10, 15, 12) };
    const backup = (file: string) => writeFile(file, 'a copy');
    const backups = backupsIn(path.join(dataDir, 'backups'), {
      backup,
      databaseBytes: async () => bytes,
      now: () => clock.now,
    });
    return { backups, clock, dataDir, end: () => rm(dataDir, { recursive: true }) };
  };

  it('are their owner’s alone, listed newest first, and twenty at most', async () => {
    const { backups, clock, end } = await prepare();
    for (let made = 0; made < 20; made += 1, clock.now += 1_000) await backups.make();

    const refused = await backups.make();

    const found = await backups.list();
    const modes = await Promise.all(
      ['', found[0]?.name ?? ''].map(
        async (name) => (await stat(path.join(backups.folder, name))).mode & 0o777,
      ),
    );
    await end();
    assert.equal(refused, 'full');
    assert.equal(found.length, 20);
    assert.equal(found[0]?.name, 'kalends-2026-11-15T120019Z.db');
    assert.deepEqual(modes, [0o700, 0o600]);
  });

  it('are made one at a time, and not where the disk could fill up', async () => {
    const { backups, end } = await prepare();
    const [one, other] = await Promise.all([backups.make(), backups.make()]);
    const full = await prepare(Number.MAX_SAFE_INTEGER);
    const refused = await full.backups.make();
    const left = await readdir(full.backups.folder);
    await Promise.all([end(), full.end()]);
    assert.equal(one, other);
    assert.equal(refused, 'no_room');
    assert.deepEqual(left, []);
  });
});
