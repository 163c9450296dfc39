/** The shipped program delivers changes at a real calendar server to a receiver, and survives being killed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { verifyWebhook, type WebhookKey } from '../../packages/client/src/webhook-verification.ts';
import { until as eventually } from '../harness/until.ts';
import { countOf, readMetrics } from '../http/prometheus-text.ts';
import { type Collector, openCollector } from '../servers/otlp-collector.ts';
import { openReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { type Authorization, connect, read } from './flow.ts';
import { openSite, putEvent, type Site, WITHOUT_RADICALE } from './site.ts';

/** Longer than a read waits before it asks the server again. */
const STALE_MS = 10_500;
const PATIENCE_MS = 30_000;
const METRICS_TOKEN = 'a-token-for-scrapes';

describe('webhooks of the running program', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  let receiver: Receiver;
  let collector: Collector;
  let token: string;
  before(async () => {
    collector = await openCollector();
    const env = {
      KALENDS_METRICS_TOKEN: METRICS_TOKEN,
      KALENDS_OTLP_ENDPOINT: collector.url,
      KALENDS_TRACE_SAMPLING: '1',
    };
    site = await openSite({ env });
    receiver = await openReceiver();
    await site.program.command('client', 'update', site.application.clientId, '--webhook-url', receiver.url);
    const authorization: Authorization = { userId: 'ada', login: site.login };
    token = (await connect(site.application, authorization)).accessToken;
    await read(site.application, '/events', token);
  });
  after(async () => {
    receiver?.close();
    collector?.close();
    await site?.close();
  });

  const until = async (found: () => Received | undefined): Promise<Received> => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) {
      const one = found();
      if (one !== undefined) return one;
    }
    throw new Error(`Not told; received: ${JSON.stringify(receiver.received.map(({ body }) => body))}`);
  };
  const telling = (title: string) => () =>
    receiver.received.findLast(({ body }) => body.events.some((event) => event.title === title));
  const put = async (title: string) => {
    const lines = [
      'UID:told',
      'DTSTAMP:20261101T000000Z',
      'DTSTART:20261201T090000Z',
      'DTEND:20261201T100000Z',
    ];
    await putEvent(site.calendars, 'told', ['BEGIN:VEVENT', ...lines, `SUMMARY:${title}`, 'END:VEVENT']);
    await sleep(STALE_MS);
    await read(site.application, '/events', token);
  };

  it('delivers the first sync, and then a change, signed by the published keys', async () => {
    const first = await until(() =>
      receiver.received.find(({ body }) => body.metadata.isInitialSync === true),
    );
    assert.deepEqual(first.body.events, []);

    await put('Told');
    const told = await until(telling('Told'));

    const { keys } = (await (await fetch(`${site.program.url}/.well-known/webhook-keys`)).json()) as {
      keys: WebhookKey[];
    };
    const headers = Object.fromEntries(
      Object.entries(told.headers).map(([name, value]) => [name, String(value)]),
    );
    const payload = await verifyWebhook(
      { headers, body: told.raw },
      { keys, clientId: site.application.clientId },
    );
    assert.equal(payload.userId, 'ada');
    assert.equal(told.body.changeType, 'created');
  });

  it('the load of the application has its requests, syncs and deliveries, and the time that they took', async () => {
    const counts = ['requests', 'call_ms', 'syncs', 'sync_ms', 'deliveries'];
    await eventually('the counts were written', async () => {
      const { applications } = (await site.program.command('client', 'load')) as {
        applications: readonly Readonly<Record<string, unknown>>[];
      };
      const load = applications.find(({ client_id: id }) => id === site.application.clientId);
      return counts.every((name) => Number(load?.[name]) > 0);
    });
  });

  it('GET /metrics of the running program has counted all of it', async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const answer = await fetch(`${site.program.url}/metrics`, { headers });
    const families = readMetrics(await answer.text());

    const counted: [name: string, labels: Record<string, string>][] = [
      ['kalends_token_requests_total', { grant_type: 'authorization_code', outcome: 'ok' }],
      ['kalends_http_request_duration_seconds', { route: '/events', status: '200' }],
      ['kalends_syncs_total', { provider: 'caldav', kind: 'sync-calendar', outcome: 'done' }],
      ['kalends_sync_age_seconds', { provider: 'caldav' }],
      ['kalends_provider_request_duration_seconds', { provider: 'caldav', outcome: 'ok' }],
      ['kalends_job_duration_seconds', { kind: 'housekeeping', outcome: 'done' }],
      ['kalends_webhook_attempts_total', { outcome: 'delivered' }],
      ['kalends_webhook_delivery_delay_seconds', {}],
      ['kalends_database_write_duration_seconds', {}],
      ['kalends_instances', { role: 'all' }],
    ];
    for (const [name, labels] of counted)
      assert.ok(Number(countOf(families, name, labels)) > 0, `${name} ${JSON.stringify(labels)}`);
    // The calls may be from before midnight in UTC.
    const calls = ['today', 'yesterday'].map((day) =>
      countOf(families, 'kalends_provider_calls_per_account', { provider: 'caldav', day, quantile: '0.5' }),
    );
    assert.ok(calls.some((count) => Number(count) > 0));
  });

  it('one trace leads from a request to the calendar server and to the delivery, and names nobody', async () => {
    const delivered = () =>
      collector.spans.find(
        ({ name, traceId }) =>
          name === 'POST webhook' &&
          collector.spans.some((span) => span.traceId === traceId && span.name === 'GET /events'),
      );
    for (const end = Date.now() + PATIENCE_MS; delivered() === undefined && Date.now() < end; )
      await sleep(50);

    const names = collector.spans
      .filter(({ traceId }) => traceId === delivered()?.traceId)
      .map(({ name }) => name);
    for (const name of ['GET /events', 'REPORT caldav', 'deliver', 'POST webhook'])
      assert.ok(names.includes(name), `${name}: ${names}`);
    // Random ids can have any letters in a row.
    const withoutIds = collector.bodies
      .join('\n')
      .replaceAll(/\b[0-9a-f]{12,32}\b/g, '')
      .replaceAll(site.application.clientId, '')
      .replaceAll(/"service\.instance\.id","value":\{"stringValue":"[\w-]+"/g, '');
    assert.doesNotMatch(withoutIds, /ada|Told|Bearer/);
    // Spans name the application's server, and no server of a user.
    const naming = collector.spans.filter((span) => JSON.stringify(span).includes('127.0.0.1'));
    assert.deepEqual([...new Set(naming.map(({ name }) => name))], ['POST webhook']);
    assert.ok(receiver.received.every(({ headers }) => headers.traceparent === undefined));
  });

  it('what was under way when the process was killed comes again under the same id', async () => {
    // The receiver gets the delivery, but its response never arrives.
    receiver.answer = () => 'never';
    await put('Killed');
    const first = await until(telling('Killed'));
    await site.program.kill();
    receiver.answer = () => ({ status: 204 });
    const before = receiver.received.length;
    await site.program.start();

    const again = await until(() => receiver.received.slice(before).find(() => true));

    assert.equal(again.headers['webhook-id'], first.headers['webhook-id']);
    assert.equal(again.raw, first.raw);
    await put('After');
    const after = await until(telling('After'));
    assert.equal(Number(after.body.metadata.sequence), Number(first.body.metadata.sequence) + 1);
  });
});
