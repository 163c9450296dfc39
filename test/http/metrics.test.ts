/** Metrics: off without a setting, closed without the token, in the text that Prometheus reads, and of nobody in particular. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { FastifyInstance } from 'fastify';

import { metricsRoute } from '../../src/http/metrics.route.ts';
import { startMetricsServer } from '../../src/http/metrics-server.ts';
import { createServer } from '../../src/http/server.ts';
import type { Egress, EgressResponse } from '../../src/lib/egress/egress.ts';
import { EgressError } from '../../src/lib/egress/egress-error.ts';
import { METRICS } from '../../src/metrics/metric-table.ts';
import { metricsText } from '../../src/metrics/metrics-text.ts';
import { type InstanceMeters, instanceMeters } from '../../src/start/instance-meters.ts';
import { instanceMetrics } from '../../src/start/instance-metrics.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { databaseStates } from '../../src/store/drivers/migrate.ts';
import { timedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { SystemStore } from '../../src/system/system-store.ts';
import { sealer } from '../contract/calendar-rows.ts';
import { counterpart } from '../harness/counterpart.ts';
import { onSqlite } from '../harness/databases.ts';
import { PROMTOOL, promtoolComplaints } from '../harness/promtool.ts';
import { until } from '../harness/until.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { workHere } from '../servers/work-here.ts';
import { countOf, readMetrics } from './prometheus-text.ts';

const TOKEN = 'a-token-for-scrapes';
const NOW = Date.UTC(2026, 10, 1);
const BACKUP_EVERY_MS = 6 * 3_600_000;
const CANARY = 'canary-4711';

onSqlite((open) => {
  describe('GET /metrics', () => {
    let app: FastifyInstance;
    let meters: InstanceMeters;
    let scrape: () => Promise<string>;
    let scrapeWith: (backupEveryMs: number | undefined) => () => Promise<string>;
    let db: Database;
    let system: SystemStore;
    before(async () => {
      meters = instanceMeters(() => NOW);
      db = timedDatabase(await open(), meters.wrote);
      const stores = openStores(db, { sealer });
      await stores.jobs.schedule('sync-account', CANARY, NOW - 300_000);
      const pools = { syncWork: workHere(), readWork: workHere() };
      const deps = {
        ...stores,
        ...pools,
        readiness: databaseStates(db),
        now: () => NOW,
        clockOffset: () => -1500,
        commitsWaiting: () => 0,
      };
      system = stores.system;
      scrapeWith = (backupEveryMs) => {
        const read = instanceMetrics(meters, { ...deps, backupEveryMs });
        return async () => metricsText(await read());
      };
      scrape = scrapeWith(BACKUP_EVERY_MS);
      app = createServer({
        log: recordingLog().log,
        trustProxy: undefined,
        secure: false,
        ...meters.listeners,
      });
      app.register(metricsRoute({ token: TOKEN, scrape }));
      app.register(async (routes) => {
        routes.get('/users/:id', async () => ({}));
      });
      await app.ready();
    });
    after(() => app?.close());

    const scraped = async () => readMetrics(await scrape());

    it('GET /metrics requires its token', async () => {
      for (const authorization of ['', 'Bearer ', `Bearer ${TOKEN}x`, TOKEN])
        assert.equal((await app.inject({ url: '/metrics', headers: { authorization } })).statusCode, 401);
      const answer = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } });
      assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
      assert.ok(readMetrics(answer.body).size > 10);
    });

    it('a separate port shows metrics without a token, and nothing else', async () => {
      const { log } = recordingLog();
      const server = await startMetricsServer({ host: '127.0.0.1', port: 0 }, scrape, log);
      const get = (path: string, method = 'GET') =>
        fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      const answers = [await get('/metrics'), await get('/users/1'), await get('/metrics', 'POST')];
      await server.close();

      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 404, 405],
      );
      assert.equal(answers[2]?.headers.get('allow'), 'GET');
    });

    it('a scrape that fails at a port of its own is logged, and its reason is not shown', async () => {
      const { log, entries } = recordingLog();
      const failing = () => Promise.reject(new Error(CANARY));
      const server = await startMetricsServer({ host: '127.0.0.1', port: 0 }, failing, log);
      const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
      const text = await answer.text();
      await server.close();

      assert.equal(answer.status, 500);
      assert.doesNotMatch(text, new RegExp(CANARY));
      assert.match(JSON.stringify(entries.map(({ fields }) => fields)), /metrics_failed/);
    });

    it('GET /metrics counts requests by route and status, and by nothing that a caller sent', async () => {
      for (const id of ['1', '2']) await app.inject({ url: `/users/${CANARY}${id}?secret=${CANARY}` });
      for (const path of ['a', 'b']) await app.inject({ url: `/${CANARY}/${path}` });

      const families = await scraped();
      const counted = (route: string, status: string) =>
        countOf(families, 'kalends_http_request_duration_seconds', { method: 'GET', route, status });
      assert.deepEqual([counted('/users/:id', '200'), counted('', '404')], [2, 2]);
      assert.doesNotMatch(await scrape(), new RegExp(CANARY));
    });

    it('GET /metrics shows what the database says: jobs that are late, writes, its size', async () => {
      const families = await scraped();

      const late = { kind: 'sync-account' };
      assert.equal(countOf(families, 'kalends_jobs_late', late), 1);
      assert.equal(countOf(families, 'kalends_jobs_late_seconds', late), 300);
      assert.equal(countOf(families, 'kalends_jobs_late', { kind: 'housekeeping' }), 0);
      assert.equal(countOf(families, 'kalends_provider_budget_left_ratio', { provider: 'google' }), 1);
      assert.equal(countOf(families, 'kalends_ready'), 1);
      assert.equal(countOf(families, 'kalends_clock_skew_seconds'), -1.5);
      assert.ok(Number(countOf(families, 'kalends_database_write_duration_seconds')) > 0);
      assert.ok(Number(countOf(families, 'kalends_database_bytes')) > 10_000);
    });

    it('a database without a backup counts as old as it is, and otherwise its last backup counts', async () => {
      await db.write('UPDATE migration SET applied_at = :at', { at: NOW - 100_000_000 });
      const neverMade = await scraped();
      await system.noteBackup({ name: 'kalends.db', bytes: 1, at: NOW - 50_000 }, undefined);
      const made = await scraped();

      assert.equal(countOf(neverMade, 'kalends_backup_age_seconds'), 100_000);
      assert.equal(countOf(made, 'kalends_backup_age_seconds'), 50);
      assert.equal(countOf(made, 'kalends_backup_interval_seconds'), BACKUP_EVERY_MS / 1_000);
    });

    it('GET /metrics has nothing about backups if none are scheduled', async () => {
      assert.doesNotMatch(await scrapeWith(undefined)(), /kalends_backup_/);
    });

    it('requests to providers are counted by outcome, and for each account by no series of its own', async () => {
      const answers: (number | Error)[] = [200, 404, 503, new EgressError('timeout', 'Too slow')];
      const egress: Egress = {
        async request() {
          const answer = answers.shift() ?? 200;
          if (answer instanceof Error) throw answer;
          return { status: answer } as EgressResponse; // nothing else of it is looked at
        },
        close: async () => {},
      };
      const metered = meters.egressTo('caldav', egress);
      for (let call = 0; call < 5; call += 1)
        await metered.request({ method: 'GET', url: CANARY, account: CANARY }).catch(() => {});

      const families = await scraped();
      const counted = ['ok', 'not_found', 'server_error', 'timeout'].map((outcome) =>
        countOf(families, 'kalends_provider_request_duration_seconds', { provider: 'caldav', outcome }),
      );
      assert.deepEqual(counted, [2, 1, 1, 1]);
      const today = { provider: 'caldav', day: 'today', quantile: '1' };
      assert.equal(countOf(families, 'kalends_provider_calls_per_account', today), 5);
      assert.doesNotMatch(await scrape(), new RegExp(CANARY));
    });

    it('every metric of the table is shown once something was counted', async () => {
      const { tokenAnswered, syncEnded, attemptEnded, workWaited } = meters.listeners;
      workWaited('sync', 0.2);
      meters.slots.opened('sync', () => ({ held: 1, waiting: 0 }));
      meters.slots.waited('sync', 0.2);
      tokenAnswered('refresh_token', 'invalid_grant');
      const sync = {
        clientId: 'acme',
        provider: 'google',
        kind: 'sync-calendar',
        startedAt: NOW - 2_000,
      } as const;
      syncEnded({ ...sync, outcome: 'done', syncedAt: NOW - 62_000 });
      attemptEnded({ outcome: 'failed', attempt: 1, delayMs: 100 });
      attemptEnded({ outcome: 'delivered', attempt: 2, delayMs: 6_000 });
      meters.jobsTaken(0.02);
      meters.spansEnded('sent', 3);
      meters.listeners.databaseRefused('full');
      meters.listeners.signInEnded('password', 'ok');
      meters.noticesEnded('mail', 'sent');
      const handler = async () => undefined;
      const handlers = meters.timedJobs({
        'sync-account': handler,
        'sync-calendar': handler,
        'finish-splits': handler,
        'end-access': handler,
        housekeeping: handler,
      });
      await handlers.housekeeping('', new AbortController().signal);

      setFlagsFromString('--expose-gc');
      runInNewContext('gc')();
      await until('it is counted', async () => (await scraped()).has('nodejs_gc_duration_seconds'));
      const families = await scraped();
      const missing = Object.keys(METRICS).filter((name) => !families.has(name));
      assert.deepEqual(
        missing.filter((name) => name !== 'process_open_fds'),
        [],
      );
      const refused = { grant_type: 'refresh_token', outcome: 'invalid_grant' };
      assert.equal(countOf(families, 'kalends_token_requests_total', refused), 1);
      assert.equal(families.get('kalends_sync_age_seconds')?.samples.get('_sum')?.[0]?.value, 60);
      assert.equal(
        families.get('kalends_webhook_delivery_delay_seconds')?.samples.get('_sum')?.[0]?.value,
        6,
      );
      for (const [name, { type, labels }] of Object.entries(METRICS)) {
        assert.equal(families.get(name)?.type ?? type, type);
        const series = [...(families.get(name)?.samples.values() ?? [])].flat();
        for (const one of series)
          assert.deepEqual(
            Object.keys(one.labels).filter((label) => label !== 'le'),
            labels,
          );
      }
    });

    it(
      'GET /metrics is what Prometheus reads, by its own tool and without a warning',
      counterpart('promtool', PROMTOOL),
      async () => {
        const text = await scrape();
        const wrong = text.replaceAll('kalends_token_requests_total', 'kalends_token_requests');

        assert.equal(promtoolComplaints(['check', 'metrics'], text), '');
        assert.match(promtoolComplaints(['check', 'metrics'], wrong), /should have "_total" suffix/);
      },
    );

    it('a label may hold any text', () => {
      const value = '"\\\n}';
      const text = metricsText([
        { name: 'kalends_work_waiting', samples: [{ labels: { pool: value }, value: 1 }] },
      ]);

      assert.equal(countOf(readMetrics(text), 'kalends_work_waiting', { pool: value }), 1);
    });
  });
});
