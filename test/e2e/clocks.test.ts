/** Instances and the command line on one PostgreSQL while the clocks of their machines are wrong. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { counterpart } from '../harness/counterpart.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';
import { connect, read, refresh, tokensOf } from './flow.ts';
import { type Instances, openInstances } from './instances.ts';
import { WITHOUT_RADICALE } from './site.ts';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const CHILD = path.resolve(import.meta.dirname, 'take-jobs-child.ts');
const METRICS = 'a-token-for-scrapes';

/** The environment of a process whose clock is wrong by `offset`, such as `+5m`. Its timers run as usual. */
const wrongClock = (offset: string) => ({
  LD_PRELOAD: LIBRARY,
  FAKETIME: offset,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});
const AHEAD = wrongClock('+5m');
const BEHIND = wrongClock('-5m');

const issuedAt = (accessToken: string): number =>
  JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).iat;

/** The values of a metric with any labels. */
async function valuesOf(url: string, name: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${METRICS}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, 'gm'))].map(([, value]) =>
    Number(value),
  );
}

onEachDatabase((database, _open, place) => {
  if (database !== 'PostgreSQL') return;

  describe('Instances with wrong clocks', counterpart('faketime', LIBRARY), () => {
    let instances: Instances;
    before(async () => {
      if (WITHOUT_RADICALE) return;
      const env = { KALENDS_METRICS_TOKEN: METRICS };
      instances = await openInstances((await place()).databaseUrl ?? '', [
        { ...env, ...AHEAD },
        { ...env, ...BEHIND },
      ]);
    });
    after(() => instances?.close());

    it('do not take a job that another one has leased', async () => {
      const { databaseUrl = '', dataDir } = await place();
      const settings = {
        KALENDS_DATABASE_URL: databaseUrl,
        KALENDS_DATA_DIR: dataDir,
        KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
      };
      const storage = await openStorage(loadConfig(settings));
      await storage.jobs.schedule('housekeeping', 'job', storage.now());
      await storage.close();
      const take = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
        const child = promisify(execFile)(process.execPath, [CHILD], { env: { ...settings, ...env } });
        return JSON.parse((await child).stdout);
      };

      assert.deepEqual(await take(BEHIND), ['job']);
      assert.deepEqual(await take(AHEAD), []);
      assert.deepEqual(await take(BEHIND), []);
    });

    it('issue tokens by one clock, and each takes those of the other', {
      skip: WITHOUT_RADICALE,
    }, async () => {
      const [ahead, behind] = instances.applications;
      const first = await connect(ahead, { userId: 'ada', login: instances.login });
      const from = Date.now() / 1000;
      const second = await tokensOf(await refresh(behind, first.refreshToken));
      const third = await tokensOf(await refresh(ahead, second.refreshToken));
      const now = Date.now() / 1000;

      const [one, other] = [issuedAt(second.accessToken), issuedAt(third.accessToken)];
      for (const at of [one, other]) assert.ok(at >= from - 2 && at <= now + 2, `${at}: ${from} to ${now}`);
      assert.equal((await read(behind, '/connection-status', third.accessToken)).status, 200);
    });

    it('warn at their start and show the difference', { skip: WITHOUT_RADICALE }, async () => {
      for (const [at, seconds] of [-300, 300].entries()) {
        const { url = '', output } = instances.programs[at] ?? assert.fail();
        const [, logged] = /"event":"clock_skew","seconds":(-?\d+),/.exec(output().stderr) ?? [];
        const [skew = assert.fail()] = await valuesOf(url, 'kalends_clock_skew_seconds');
        // A slow response of the database is part of the difference.
        for (const seen of [Number(logged), skew]) assert.ok(Math.abs(seen - seconds) < 5, String(seen));
      }
    });

    it('measure by that clock how long a sync takes', { skip: WITHOUT_RADICALE }, async () => {
      const [ahead] = instances.applications;
      await connect(ahead, { userId: 'bob', login: instances.login });
      const durations = async () => {
        const all = instances.programs.map(({ url }) => valuesOf(url, 'kalends_sync_duration_seconds_sum'));
        return (await Promise.all(all)).flat();
      };

      await until('a sync was measured', async () => (await durations()).length > 0);

      for (const seconds of await durations()) assert.ok(seconds >= 0 && seconds < 60, String(seconds));
    });

    it('are joined by a command line whose changes are dated by that clock', async () => {
      const { databaseUrl = '', dataDir } = await place();
      const env = {
        KALENDS_DATABASE_URL: databaseUrl,
        KALENDS_DATA_DIR: dataDir,
        KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
      };
      const words = ['client', 'create', '--name', 'Acme', '--redirect-uri', 'http://localhost:9/callback'];
      await promisify(execFile)(process.execPath, [path.resolve('src/start.js'), ...words], {
        env: { ...env, ...AHEAD },
      });

      const storage = await openStorage(loadConfig(env));
      const [client] = await storage.clients.listClients();
      await storage.close();
      assert.ok(Math.abs(Number(client?.createdAt) - Date.now()) < 60_000);
    });
  });
});
