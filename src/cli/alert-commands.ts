/** `kalends alert …`: problems that operators are notified of. */
import { listAlerts, testAlerts } from '../administration/operations/observation-operations.ts';
import { ALERT } from '../system/alert-document.ts';
import type { Alert } from '../system/alert-store.ts';
import type { Command } from './command.ts';
import { tabulate } from './help.ts';
import { listOutput, operationCommand } from './operation-command.ts';

const STATE = {
  name: 'state',
  value: (alert: Alert) => (alert.resolvedAt === undefined ? 'open' : 'resolved'),
};
const COLUMNS = ['state', 'kind', 'opened_at', 'resolved_at', 'summary'];

const list = operationCommand({
  name: 'alert list',
  summary: 'List open alerts, then resolved ones of the last 90 days',
  notes: ['At most 1,000. Alerts are evaluated each minute while a worker runs.'],
  operation: listAlerts,
  input: () => ({}),
  render: ({ subjects }) => listOutput([...ALERT, STATE], { columns: COLUMNS, none: 'No alerts.' }, subjects),
});

const test = operationCommand({
  name: 'alert test',
  summary: 'Send a test to each recipient of alerts',
  notes: ['Recipients are KALENDS_ALERT_EMAIL and KALENDS_ALERT_WEBHOOK_URL. Exit code 1 if one fails.'],
  operation: testAlerts,
  input: () => ({}),
  render: (results) => ({
    text: tabulate(results.map((one) => [one.channel, one.recipient, one.problem ?? 'sent'])),
    exitCode: results.every(({ problem }) => problem === undefined) ? 0 : 1,
  }),
});

export const alertCommands: readonly Command[] = [list, test];
