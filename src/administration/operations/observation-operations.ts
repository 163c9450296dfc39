/** The operations that show how the deployment does: alerts, the load of applications and metrics. */
import { LOAD_ORDERS } from '../../activity/activity-store.ts';
import { oneOf, thousands } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { METRICS } from '../../metrics/metric-table.ts';
import { mustBeAllowed } from '../../people/permission.ts';
import { ALERT } from '../../system/alert-document.ts';
import { toDocument, toTime } from '../documents/field.ts';
import { LOAD, LOAD_PERIODS, readLoad } from '../load.ts';
import { ADMINISTRATION } from './administration-error.ts';
import { lists, operation, PAGE, toPage } from './operation.ts';

const GROUP = 'Observation';
const MOST_ALERTS = 1_000;

export const listAlerts = operation({
  ...{ id: 'listAlerts', method: 'get', path: '/alerts', group: GROUP },
  summary: 'List open alerts, then resolved ones of the last 90 days',
  description: `At most ${thousands(MOST_ALERTS)}.`,
  permission: 'system.read',
  ...{ pathFields: {}, fields: PAGE, command: 'alert list', ...lists('alerts', ALERT) },
  run: async (page, { alerts }) =>
    toPage(await alerts.listAlerts(MOST_ALERTS), ({ alertId }) => alertId, page),
});

export const testAlerts = operation({
  ...{ id: 'testAlerts', method: 'post', path: '/alerts/test', group: GROUP },
  ...{ summary: 'Send a test to each recipient of alerts', permission: 'system.change' },
  errors: [ADMINISTRATION.no_recipients],
  ...{ pathFields: {}, fields: {}, command: 'alert test', result: ['results'] },
  async run(_, { actor, testAlerts }) {
    mustBeAllowed(actor, 'system.change');
    const results = await testAlerts();
    if (results.length === 0) throw new ApiError(ADMINISTRATION.no_recipients);
    return results;
  },
  toDocument: (results) => ({
    results: results.map(({ problem = null, channel, recipient }) => ({
      ...{ channel, recipient, sent: problem === null, problem },
    })),
  }),
});

export const showLoad = operation({
  ...{ id: 'showLoad', method: 'get', path: '/load', group: GROUP },
  ...{ summary: 'List the 20 applications that cause the most load', permission: 'system.read' },
  pathFields: {},
  fields: {
    period: oneOf(LOAD_PERIODS, { doc: 'The whole hours until now; 24h by default.', example: '24h' }),
    by: oneOf(LOAD_ORDERS, { doc: 'The order, the most first; requests by default.', example: 'errors' }),
  },
  ...{ command: 'client load', result: ['since', 'applications'] },
  run: ({ period = '24h', by = 'requests' }, deps) => readLoad({ period, by }, deps),
  toDocument: ({ since, applications }) => ({
    ...{ since: toTime(since), applications: applications.map((load) => toDocument(LOAD, load)) },
  }),
});

export const showMetrics = operation({
  ...{ id: 'showMetrics', method: 'get', path: '/metrics', group: GROUP },
  summary: 'Show the metrics of the instance that responds',
  description: 'A sample has the name of its metric with `suffix`. A value that is no finite number is null.',
  permission: 'system.read',
  errors: [ADMINISTRATION.metrics_off],
  ...{ pathFields: {}, fields: {}, command: undefined, result: ['metrics'] },
  run(_, { readMetrics }) {
    if (readMetrics === undefined) throw new ApiError(ADMINISTRATION.metrics_off);
    return readMetrics();
  },
  toDocument: (families) => ({
    metrics: families.map(({ name, samples }) => ({
      ...{ name, type: METRICS[name].type, help: METRICS[name].help },
      samples: samples.map(({ labels = {}, suffix = '', value }) => ({ labels, suffix, value })),
    })),
  }),
});

export const OBSERVATION_OPERATIONS = [listAlerts, testAlerts, showLoad, showMetrics];
