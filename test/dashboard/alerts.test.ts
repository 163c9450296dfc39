/** The alerts on the system page. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type AlertChannel, AlertSendError } from '../../src/system/alert-channels.ts';
import { onSqlite } from '../harness/databases.ts';
import { leadsTo, openDashboardApp } from './dashboard-app.ts';

const PATH = '/dashboard/system/alerts/test';

const channel = (test: AlertChannel['test']): AlertChannel => ({
  ...{ channel: 'mail', recipient: 'ops@example.com', paceMs: 0, batch: 1 },
  send: async () => undefined,
  test,
});

onSqlite((open) => {
  it('an owner sends a test to all recipients, nobody else can', async () => {
    let sent = 0;
    const alertChannels = [channel(async () => void sent++), channel(async () => void sent++)];
    const { app, signedIn } = await openDashboardApp(await open(), { alertChannels });
    const owner = await signedIn('owner');
    assert.match((await owner.get('/dashboard/system')).body, /Sent to ops@example\.com/);
    assert.equal(leadsTo(await owner.post(PATH)), '/dashboard/system?done=alert_test');
    assert.equal(sent, 2);
    for (const role of ['developer', 'viewer'] as const)
      assert.equal((await (await signedIn(role)).post(PATH)).status, 403);
    assert.equal(sent, 2);
    await app.close();
  });

  it('shows why a test failed, and the text of an alert as text', async () => {
    const fails = channel(() => Promise.reject(new AlertSendError('The mail server cannot be reached.')));
    const { app, signedIn, stores, clock } = await openDashboardApp(await open(), { alertChannels: [fails] });
    const owner = await signedIn('owner');
    const { status, body } = await owner.post(PATH);
    assert.deepEqual([status, /The mail server cannot be reached/.test(body)], [409, true]);
    const problem = { kind: 'check_failed', subject: 'a', severity: 'critical', action: 'Fix it.' } as const;
    const conditions = [{ ...problem, summary: '<b>bold' }];
    for (const now of [clock.now, clock.now + 1])
      await stores.alerts.applyEvaluation(conditions, { kinds: ['check_failed'], recipients: [], now });
    const page = (await owner.get('/dashboard/system')).body;
    assert.ok(page.includes('&#60;b&#62;bold') && !page.includes('<b>bold'));
    await app.close();
  });
});
