/** The operations on the audit log, alerts, load and metrics, besides what the matrix tests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Activity, HOUR_MS, startOfHour } from '../../src/activity/activity.ts';
import type { AlertCondition } from '../../src/system/alert-store.ts';
import { onEachDatabase, onSqlite } from '../harness/databases.ts';
import { ENVIRONMENT_KEY as key, NOW, openAdministrationApp } from './administration-app.ts';

type Entry = { readonly number: number; readonly client_id: string | null; readonly action: string };
const entriesIn = (document: Readonly<Record<string, unknown>>) => document.entries as Entry[];

onEachDatabase((database, open) => {
  const opened = async () => {
    const at = await openAdministrationApp(await open());
    for (const clientId of ['acme', 'other', 'acme'])
      await at.send('post', `/applications/${clientId}/secrets/rotate`, { key, body: {} });
    return at;
  };

  it(`pages of the audit log have each entry once, and end, on ${database}`, async () => {
    const { app, send } = await opened();
    for (const [path, ascending] of [
      ['/audit', false],
      ['/audit/export', true],
    ] as const) {
      const numbers: number[] = [];
      for (let after = ''; after !== 'null'; ) {
        const query = after === '' ? '' : `&after=${after}`;
        const { document, status } = await send('get', `${path}?limit=2${query}`, { key });
        assert.equal(status, 200);
        numbers.push(...entriesIn(document).map(({ number }) => number));
        after = String(document.next);
      }
      const sorted = numbers.toSorted((a, b) => (ascending ? a - b : b - a));
      assert.deepEqual(numbers, sorted);
      assert.equal(new Set(numbers).size, numbers.length);
      assert.ok(numbers.length >= 3, path);
    }
    await app.close();
  });

  it(`a developer reads only entries of its applications, on ${database}`, async () => {
    const { app, send, createKey } = await opened();
    const { secret } = await createKey('developer');
    for (const path of ['/audit', '/audit/export']) {
      const entries = entriesIn((await send('get', path, { key: secret })).document);
      assert.deepEqual([...new Set(entries.map(({ client_id }) => client_id))], ['acme'], path);
      assert.equal(entries.length, 2);
    }
    const foreign = await send('get', '/audit?client_id=other', { key: secret });
    assert.deepEqual([foreign.status, foreign.document.code], [404, 'not_there']);
    const own = await send('get', '/audit?client_id=acme', { key: secret });
    assert.equal(entriesIn(own.document).length, 2);
    await app.close();
  });
});

onSqlite((open) => {
  it('the audit log is filtered by action and time, and wrong filters are refused', async () => {
    const { app, send, clock } = await openAdministrationApp(await open());
    await send('post', '/applications/acme/secrets/rotate', { key, body: {} });
    clock.now += 60_000;
    await send('post', '/applications/acme/secrets/rotate', { key, body: {} });
    const at = new Date(clock.now).toISOString();
    const list = async (query: string) =>
      entriesIn((await send('get', `/audit?${query}`, { key })).document).length;
    assert.equal(await list('action=client.secret_rotated'), 2);
    assert.equal(await list(`action=client.secret_rotated&from=${at}`), 1);
    assert.equal(await list(`action=client.secret_rotated&to=${at}`), 1);
    for (const query of ['action=none', 'from=yesterday', 'after=x', 'limit=201', 'actor=me'])
      assert.equal((await send('get', `/audit?${query}`, { key })).status, 400, query);
    await app.close();
  });

  it('alerts have pages, open ones first', async () => {
    const { app, send, stores } = await openAdministrationApp(await open());
    const condition = (subject: string): AlertCondition => ({
      ...{ kind: 'check_failed', subject, severity: 'critical', summary: 'S', action: 'A' },
    });
    const terms = { kinds: ['check_failed'], recipients: [], now: NOW } as const;
    for (let i = 0; i < 2; i++) await stores.alerts.applyEvaluation(['a', 'b', 'c'].map(condition), terms);
    for (let i = 0; i < 2; i++) await stores.alerts.applyEvaluation(['b', 'c'].map(condition), terms);
    const first = (await send('get', '/alerts?limit=2', { key })).document;
    const second = (await send('get', `/alerts?limit=2&after=${first.next}`, { key })).document;
    const alerts = [first, second].flatMap(({ alerts }) => alerts as Record<string, unknown>[]);
    assert.deepEqual(alerts.map(({ subject }) => subject).toSorted(), ['a', 'b', 'c']);
    assert.deepEqual([alerts[2]?.subject, alerts[2]?.client_id], ['a', null]);
    assert.equal(second.next, null);
    await app.close();
  });

  it('a test of alerts reports each recipient, or that there is none', async () => {
    const { app, send, deps } = await openAdministrationApp(await open());
    const sent = await send('post', '/alerts/test', { key, body: {} });
    const result = { channel: 'mail', recipient: 'operator@example.com', sent: true, problem: null };
    assert.deepEqual(sent.document, { results: [result] });
    Object.assign(deps.alertChannels, { length: 0 });
    const none = await send('post', '/alerts/test', { key, body: {} });
    assert.deepEqual([none.status, none.document.code], [409, 'no_recipients']);
    await app.close();
  });

  it('load and metrics are shown as JSON', async () => {
    const { app, send, stores } = await openAdministrationApp(await open());
    const hour = startOfHour(NOW);
    const count = (activity: Activity, count: number) => ({ clientId: 'acme', activity, count });
    await stores.activity.addCounts([count('calls', 3), count('refusals', 1)], hour);
    const { document } = await send('get', '/load?period=1h&by=errors', { key });
    assert.equal(document.since, new Date(hour - HOUR_MS).toISOString());
    const [load] = document.applications as Record<string, unknown>[];
    assert.deepEqual([load?.client_id, load?.requests, load?.errors], ['acme', 4, 1]);
    assert.equal((await send('get', '/load?period=2h', { key })).status, 400);

    const [metric] = (await send('get', '/metrics', { key })).document.metrics as Record<string, unknown>[];
    assert.deepEqual([metric?.name, metric?.type], ['kalends_ready', 'gauge']);
    assert.deepEqual(metric?.samples, [{ labels: {}, suffix: '', value: 1 }]);
    await app.close();
  });
});
