import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { type Activity, HOUR_MS, startOfHour } from '../../src/activity/activity.ts';
import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

describe('kalends client load', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openCommandLine();
  });
  afterEach(() => cli.close());

  it('lists the applications of a period in an order, with what each of them caused', async () => {
    const id = String((await cli.json(...CREATE)).document.client_id);
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    const count = (activity: Activity, value: number) => ({ clientId: id, activity, count: value });
    const hour = startOfHour(Date.now()) - 3 * HOUR_MS;
    await storage.activity.addCounts([count('calls', 3), count('refusals', 1), count('call_ms', 12)], hour);
    await storage.close();

    const { document } = await cli.json('client', 'load');
    const text = (await cli.run(['client', 'load', '--period', '7d', '--by', 'time'])).stdout;
    const hourly = await cli.json('client', 'load', '--period', '1h');

    const [requests, others] = [
      { requests: 4, errors: 1, call_ms: 12 },
      { syncs: 0, sync_ms: 0 },
    ];
    assert.deepEqual(document.applications, [
      { client_id: id, name: 'My app', ...requests, ...others, deliveries: 0, failures: 0 },
    ]);
    assert.match(String(document.since), /:00:00\.000Z$/);
    assert.match(text, /Since .*\n\nCLIENT_ID .*CALL_MS.*\n.*My app +4 +1 +12 /);
    assert.deepEqual(hourly.document.applications, []);
  });

  it('refuses other periods and orders as wrong usage', async () => {
    for (const [option, value] of [
      ['--period', '30d'],
      ['--by', 'name'],
    ] as const)
      assert.equal((await cli.run(['client', 'load', option, value])).exitCode, 2, option);
  });
});
