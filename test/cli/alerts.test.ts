import assert from 'node:assert/strict';
import { it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { startSmtpServer, withSmtpServer } from '../harness/smtp-server.ts';
import { openCommandLine } from './cli-run.ts';

it('alert list has open alerts before resolved ones', async () => {
  const cli = await openCommandLine();
  assert.deepEqual((await cli.json('alert', 'list')).document, { alerts: [] });
  const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
  const problem = {
    kind: 'check_failed',
    severity: 'critical',
    summary: 'A problem',
    action: 'Fix it.',
  } as const;
  const evaluate = (now: number, ...subjects: string[]) =>
    storage.alerts.applyEvaluation(
      subjects.map((subject) => ({ ...problem, subject })),
      { kinds: ['check_failed'], recipients: [], now },
    );
  for (const now of [1, 2]) await evaluate(now, 'clock');
  for (const now of [3, 4]) await evaluate(now, 'clock', 'keys');
  for (const now of [5, 6]) await evaluate(now, 'clock');
  await storage.close();

  const alerts = (await cli.json('alert', 'list')).document.alerts as Record<string, unknown>[];
  assert.deepEqual(
    alerts.map(({ subject, resolved_at }) => [subject, resolved_at]),
    [
      ['clock', null],
      ['keys', '1970-01-01T00:00:00.006Z'],
    ],
  );
  await cli.close();
});

it('alert test fails without recipients', async () => {
  const cli = await openCommandLine();
  const { exitCode, document } = await cli.json('alert', 'test');
  assert.deepEqual([exitCode, document.error], [1, 'no_recipients']);
  await cli.close();
});

it('alert test reports each recipient and fails if one does', withSmtpServer, async (t) => {
  const server = await startSmtpServer();
  t.after(() => server.stop());
  const cli = await openCommandLine({
    KALENDS_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    KALENDS_MAIL_FROM: 'kalends@example.com',
    KALENDS_ALERT_EMAIL: 'ada@example.com,refused@example.com',
    KALENDS_ALERT_WEBHOOK_URL: 'http://127.0.0.1:9/s3cret',
    KALENDS_ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  });
  const { exitCode, document } = await cli.json('alert', 'test');
  const results = document.results as Record<string, unknown>[];
  assert.equal(exitCode, 1);
  assert.deepEqual(
    results.map(({ sent }) => sent),
    [true, false, false],
  );
  assert.equal((await server.mails()).length, 1);
  assert.doesNotMatch(JSON.stringify(document), /s3cret/);
  await cli.close();
});
