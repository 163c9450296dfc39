/** GET /metrics: off without its setting, closed without its token, and in the text that Prometheus reads. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { metricsRoute } from '../../src/http/metrics.route.ts';
import { metricsText } from '../../src/http/metrics-text.ts';
import { requestMetrics } from '../../src/http/request-metrics.ts';
import { createServer } from '../../src/http/server.ts';
import { instanceMetrics } from '../../src/instance-metrics.ts';
import { databaseSize } from '../../src/store/drivers/database-size.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { recordingLog } from '../servers/recording-log.ts';

const TOKEN = 'a-token-for-scrapes';
/** A line of the exposition format: a comment, or a name, its labels and a number. */
const LINE =
  /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="([^"\\\n]|\\.)*"(,[a-z_]+="([^"\\\n]|\\.)*")*\})? (\+Inf|-?\d+(\.\d+)?(e-?\d+)?))$/;

let app: FastifyInstance;
let due: number | undefined;
before(async () => {
  const requests = requestMetrics();
  app = createServer({
    log: recordingLog().log,
    trustProxy: undefined,
    secure: false,
    requestMetrics: requests,
  });
  const stores = {
    readiness: async () => 'ready' as const,
    jobs: { nextRunAt: async () => due } as Parameters<typeof instanceMetrics>[2]['jobs'],
    databaseSize: async () => 4096,
    now: () => 70_000,
  };
  app.register(metricsRoute(instanceMetrics(TOKEN, requests, stores)));
  app.get('/users/:id', async () => ({}));
  await app.ready();
});
after(() => app?.close());

async function scrape(): Promise<string> {
  const answer = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(answer.statusCode, 200);
  assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
  return answer.body;
}

describe('GET /metrics', () => {
  it('GET /metrics is for whoever has its token', async () => {
    for (const authorization of ['', 'Bearer ', `Bearer ${TOKEN}x`, TOKEN])
      assert.equal((await app.inject({ url: '/metrics', headers: { authorization } })).statusCode, 401);
  });

  it('GET /metrics counts requests by route and status, and by nothing that a caller sent', async () => {
    for (const id of ['ada', 'ben']) await app.inject({ url: `/users/${id}?secret=1` });
    for (const path of ['/nothing', '/at-all']) await app.inject({ url: path });

    const text = await scrape();

    assert.match(text, /_count\{method="GET",route="\/users\/:id",status="200"\} 2\n/);
    assert.match(text, /_bucket\{method="GET",route="\/users\/:id",status="200",le="\+Inf"\} 2\n/);
    assert.match(text, /_count\{method="GET",route="",status="404"\} 2\n/);
    assert.doesNotMatch(text, /ada|ben|secret|nothing/);
  });

  it('GET /metrics says how late the background work is, and how large the database', async () => {
    due = 10_000;
    const text = await scrape();

    assert.match(text, /^kalends_jobs_late_seconds 60$/m);
    assert.match(text, /^kalends_database_bytes 4096$/m);
    assert.match(text, /^kalends_ready 1$/m);
    for (const line of text.trimEnd().split('\n')) assert.match(line, LINE);
  });

  it('a label may hold any text', () => {
    const family = {
      name: 'a',
      type: 'gauge',
      help: 'b',
      samples: [{ labels: { c: '"\\\n' }, value: 1 }],
    } as const;

    assert.ok(metricsText([family]).endsWith('a{c="\\"\\\\\\n"} 1\n'));
  });

  it('every metric that the alert rules name is there', async () => {
    const rules = await readFile(path.resolve(import.meta.dirname, '../../deploy/alerts.yaml'), 'utf8');
    const names = new Set(rules.match(/\bkalends_[a-z_]+/g));
    const text = await scrape();

    assert.ok(names.size >= 5);
    for (const name of names) assert.match(text, new RegExp(`^${name}[ {]`, 'm'));
  });
});

onEachDatabase((database, open) => {
  it(`the size of the database is known, on ${database}`, async () => {
    assert.ok((await databaseSize(await open())) > 10_000);
  });
});
