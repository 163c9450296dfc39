/** Traces: one from a request to what it asks of others and to its jobs, sent as OTLP, and of nobody in particular. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import type { TracingSettings } from '../../src/config/tracing-settings.ts';
import { createServer } from '../../src/http/server.ts';
import type { Egress, EgressRequest, EgressResponse } from '../../src/lib/egress/egress.ts';
import { type InstanceTracing, instanceTracing } from '../../src/start/instance-tracing.ts';
import { tracedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { openStores, type Stores } from '../../src/store/open-stores.ts';
import { startExporter } from '../../src/tracing/otlp-exporter.ts';
import type { EndedSpan } from '../../src/tracing/tracer.ts';
import { readTraceparent } from '../../src/tracing/tracer.ts';
import { NOW, sealer } from '../contract/calendar-rows.ts';
import { counterpart } from '../harness/counterpart.ts';
import { onSqlite } from '../harness/databases.ts';
import { FORMATS } from '../harness/published-formats.ts';
import { attributeOf, type Collector, openCollector } from '../servers/otlp-collector.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { asCollectorReads } from './otlp-protocol.ts';

const CANARY = 'canary-4711';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const FROM_PROXY = `00-${TRACE}-b7ad6b7169203331-01`;
const HEADERS = { authorization: 'Bearer of-the-collector' };

onSqlite((open) => {
  describe('Traces', () => {
    let collector: Collector;
    let stores: Stores;
    beforeEach(async () => {
      stores = openStores(tracedDatabase(await open()), { sealer });
      collector.spans.length = 0;
    });
    before(async () => {
      collector = await openCollector();
    });
    after(() => collector?.close());

    /** Requests that were sent to others. */
    const sent: EgressRequest[] = [];
    const egress: Egress = {
      async request(request) {
        sent.push(request);
        return { status: 207 } as EgressResponse; // nothing else of it is looked at
      },
      close: async () => {},
    };
    type Settings = Partial<Pick<TracingSettings, 'sampling' | 'followsParent' | 'tells'>> & {
      trustProxy?: string[];
    };
    /** Serves a request that asks a provider and makes a job, and works the job. */
    async function serve(settings: Settings, headers: Readonly<Record<string, string>> = {}) {
      const { sampling = 1, followsParent = true, tells = 'none', trustProxy } = settings;
      const url = `${collector.url}/v1/traces`;
      const attributes = { 'service.name': 'calendars' };
      const to = { url, headers: HEADERS, sampling, followsParent, attributes, tells };
      const { log } = recordingLog();
      const tracing = instanceTracing(to, trustProxy, { log, exportEnded: () => {} });
      const app = createServer({ log, trustProxy, secure: false, ...tracing.listeners });
      const toProvider = tracing.egressTo('caldav', egress);
      route(app, toProvider, tracing.egressTo('google', egress));
      sent.length = 0;
      await app.inject({
        method: 'POST',
        url: `/users/${CANARY}?token=${CANARY}`,
        headers: { ...headers, authorization: CANARY },
        payload: { title: CANARY },
        remoteAddress: '10.0.0.1',
      });
      await workJob(tracing, toProvider);
      await app.close();
      await tracing.stop();
      return collector.spans;
    }
    function route(app: FastifyInstance, toProvider: Egress, toGoogle: Egress): void {
      app.post('/users/:id', async (request) => {
        request.asker = { clientId: 'acme', userId: CANARY };
        await toProvider.request({ method: 'REPORT', url: `https://dav.example/${CANARY}`, headers: {} });
        await toGoogle.request({ method: 'GET', url: 'https://www.googleapis.com/calendar/v3' });
        await stores.jobs.schedule('sync-account', CANARY, NOW);
        return { title: CANARY };
      });
      app.get('/broken', () => {
        throw new Error(CANARY);
      });
    }
    async function workJob({ listeners }: InstanceTracing, toProvider: Egress): Promise<void> {
      const { jobs } = await stores.jobs.take({
        ...{ holder: 'h', kinds: ['sync-account'], limit: 1, now: NOW, leaseUntil: NOW + 60_000 },
        ...{ most: { ofAccount: 2, ofHost: 2, ofOwner: 2 }, running: [], abandoned: [] },
      });
      for (const job of jobs)
        await listeners.jobInTrace(job, async () => {
          await toProvider.request({ method: 'PROPFIND', url: 'https://dav.example/' });
          await stores.jobs.schedule('sync-calendar', CANARY, NOW);
          return { kind: 'unavailable', message: CANARY };
        });
    }

    it('one trace leads from a request to what it asked of a provider and to the job that it made', async () => {
      const spans = await serve({});

      const request = spans.find(({ name }) => name === 'POST /users/:id');
      const asked = spans.find(({ name }) => name === 'REPORT caldav');
      const job = spans.find(({ name }) => name === 'job sync-account');
      const inJob = spans.find(({ name }) => name === 'PROPFIND caldav');
      assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
      assert.deepEqual(
        [request, asked, job, inJob].map((span) => span?.parentSpanId),
        [undefined, request?.spanId, request?.spanId, job?.spanId],
      );
      assert.deepEqual(
        [request, asked, job].map((span) => [span?.kind, span?.status]),
        [
          [2, {}],
          [3, {}],
          [5, { code: 2 }],
        ],
      );
      assert.equal(request && attributeOf(request, 'http.response.status_code'), '200');
      assert.equal(request && attributeOf(request, 'kalends.application'), 'acme');
    });

    it('a trace has nothing that was called for, sent or answered, and goes to its collector alone', async () => {
      await serve({});

      assert.doesNotMatch(collector.bodies.join('\n'), new RegExp(CANARY));
      assert.equal(collector.headers.at(-1)?.authorization, HEADERS.authorization);
      assert.ok(sent.every(({ headers }) => headers?.traceparent === undefined));
    });

    it(
      'a trace is OTLP as OpenTelemetry defines it: every field and type is read as it was sent',
      counterpart('opentelemetry-proto', FORMATS),
      async () => {
        collector.bodies.length = 0;
        await serve({});

        assert.ok(collector.bodies.length > 0);
        for (const body of collector.bodies) assert.deepEqual(asCollectorReads(body), JSON.parse(body));
        const [body = ''] = collector.bodies;
        for (const [right, wrong] of Object.entries({ '"name"': '"title"', '"kind":2': '"kind":"two"' }))
          assert.notDeepEqual(
            asCollectorReads(body.replace(right, wrong)),
            JSON.parse(body.replace(right, wrong)),
          );
      },
    );

    const attributesOf = (spans: typeof collector.spans, name: string, keys: readonly string[]) => {
      const span = spans.find((one) => one.name === name);
      return keys.map((key) => span && attributeOf(span, key));
    };

    it('a request has its scheme and route, and its status as the type of an internal error', async () => {
      const { log } = recordingLog();
      const to = { url: `${collector.url}/v1/traces`, headers: {}, attributes: {} };
      const terms = { sampling: 1, followsParent: true, tells: 'none' } as const;
      const tracing = instanceTracing({ ...to, ...terms }, undefined, { log, exportEnded: () => {} });
      const app = createServer({ log, trustProxy: undefined, secure: false, ...tracing.listeners });
      route(app, egress, egress);
      await app.inject(`/broken?token=${CANARY}`);
      await app.inject({ method: 'POST', url: `/users/${CANARY}` });
      await app.close();
      await tracing.stop();

      const keys = ['url.scheme', 'url.path', 'error.type'];
      assert.deepEqual(attributesOf(collector.spans, 'GET /broken', keys), ['http', '/broken', '500']);
      const ok = attributesOf(collector.spans, 'POST /users/:id', keys);
      assert.deepEqual(ok, ['http', '/users/:id', undefined]);
    });

    it('a request to a provider names its server, except servers that users name', async () => {
      const spans = await serve({});

      const keys = ['server.address', 'server.port'];
      assert.deepEqual(attributesOf(spans, 'GET google', keys), ['www.googleapis.com', '443']);
      assert.deepEqual(attributesOf(spans, 'REPORT caldav', keys), [undefined, undefined]);
      assert.match(collector.bodies.at(-1) ?? '', /"key":"service.name","value":{"stringValue":"calendars"}/);
    });

    it('the decision of a proxy is ignored by a sampler that follows no parent', async () => {
      const headers = { traceparent: FROM_PROXY };
      const settings = { sampling: 0, followsParent: false, trustProxy: ['10.0.0.0/8'] };
      assert.deepEqual(await serve(settings, headers), []);
    });

    it('providers receive the trace context if the setting says so', async () => {
      const spans = await serve({ tells: 'all' });

      const asked = spans.find(({ name }) => name === 'REPORT caldav');
      const told = readTraceparent(sent[0]?.headers?.traceparent ?? '');
      assert.deepEqual([told?.traceId, told?.spanId], [asked?.traceId, asked?.spanId]);
    });

    it('a trace that a trusted proxy began is continued, and one from another client is not', async () => {
      const headers = { traceparent: FROM_PROXY };
      const trusted = await serve({ sampling: 0, trustProxy: ['10.0.0.0/8'] }, headers);
      assert.ok(trusted.length > 2 && trusted.every(({ traceId }) => traceId === TRACE));
      collector.spans.length = 0;

      const strangers = await serve({ trustProxy: ['192.0.2.0/24'] }, headers);
      assert.ok(strangers.length >= 2 && strangers.every(({ traceId }) => traceId !== TRACE));
    });

    it('what is not sampled is not sent, and leaves nothing in the rows of jobs', async () => {
      assert.deepEqual(await serve({ sampling: 0 }), []);
    });

    it('each polling job is one trace, which the jobs that it creates do not continue', async () => {
      await serve({});

      const { jobs } = await stores.jobs.take({
        ...{ holder: 'h', kinds: ['sync-calendar'], limit: 1, now: NOW, leaseUntil: NOW + 60_000 },
        ...{ most: { ofAccount: 2, ofHost: 2, ofOwner: 2 }, running: [], abandoned: [] },
      });
      assert.deepEqual(
        jobs.map(({ trace }) => trace),
        [undefined],
      );
    });
  });
});

describe('The export of traces', () => {
  const context = { traceId: TRACE, spanId: 'b7ad6b7169203331', isSampled: true, isOfJob: false };
  const span: EndedSpan = {
    ...{ context, parentSpanId: undefined, kind: 'internal', name: 'x', startedAt: NOW, endedAt: NOW + 1 },
    ...{ attributes: {}, isError: false },
  };

  it('drops, counts and logs once what a collector does not take, and continues once it does', async () => {
    const collector = await openCollector();
    const { log, entries } = recordingLog();
    const counts = { sent: 0, dropped: 0 };
    const exporter = startExporter({
      ...{
        url: `${collector.url}/v1/traces`,
        headers: {},
        program: { version: '1', instanceId: 'i' },
        log,
        everyMs: 5,
      },
      exportEnded: (outcome, spans) => {
        counts[outcome] += spans;
      },
    });
    const settled = async (total: number) => {
      while (counts.sent + counts.dropped < total) await new Promise(setImmediate);
    };
    collector.status = 503;
    exporter.add(span);
    exporter.add(span);
    await settled(2);
    exporter.add(span);
    await settled(3);
    collector.status = 200;
    exporter.add(span);
    await exporter.stop();
    collector.close();

    assert.deepEqual(counts, { sent: 1, dropped: 3 });
    assert.deepEqual(
      entries.map(({ fields }) => fields),
      [{ event: 'spans_dropped', dropped: 2, reason: 'the collector returned 503' }],
    );
  });

  it('holds no more spans than it may while a collector is away', async () => {
    const counts = { sent: 0, dropped: 0 };
    const exporter = startExporter({
      ...{ url: 'http://127.0.0.1:9', headers: {}, program: { version: '1', instanceId: 'i' } },
      log: recordingLog().log,
      exportEnded: (outcome, spans) => {
        counts[outcome] += spans;
      },
    });
    for (let index = 0; index < 20_000; index += 1) exporter.add(span);
    assert.ok(counts.dropped > 15_000);
    await exporter.stop();
    assert.equal(counts.sent, 0);
  });

  it('lets the program end although a collector never answers', async (t) => {
    const silent = createHttpServer(() => {}).listen(0, '127.0.0.1');
    t.after(() => {
      silent.closeAllConnections();
      silent.close();
    });
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // it listens on a port
    const counts = { sent: 0, dropped: 0 };
    const exporter = startExporter({
      ...{ url: `http://127.0.0.1:${port}`, headers: {}, program: { version: '1', instanceId: 'i' } },
      log: recordingLog().log,
      exportEnded: (outcome, spans) => {
        counts[outcome] += spans;
      },
      stopMs: 5,
    });
    exporter.add(span);
    await exporter.stop();
    // It was not waited for.
    assert.deepEqual(counts, { sent: 0, dropped: 0 });
  });
});

it('a traceparent is read as W3C Trace Context has it', () => {
  assert.deepEqual(readTraceparent(FROM_PROXY), {
    traceId: TRACE,
    spanId: 'b7ad6b7169203331',
    isSampled: true,
    isOfJob: false,
  });
  assert.equal(readTraceparent(FROM_PROXY.replace(/-01$/, '-00'))?.isSampled, false);
  assert.equal(readTraceparent(`${FROM_PROXY.replace(/^00/, '01')}-more`)?.traceId, TRACE);
  const wrong = [
    '',
    FROM_PROXY.toUpperCase(),
    `${FROM_PROXY}-more`,
    FROM_PROXY.replace(/^00/, 'ff'),
    FROM_PROXY.replace(TRACE, '0'.repeat(32)),
    FROM_PROXY.replace('b7ad6b7169203331', '0'.repeat(16)),
    ` ${FROM_PROXY}`,
  ];
  for (const text of wrong) assert.equal(readTraceparent(text), undefined, text);
});
