/** The cost of metrics: the same servers with metrics, and as they are shipped, without. */
import type { LoadRow } from '../row.ts';
import { kalends, refreshing } from './token-subjects.ts';

const WITH = 'refresh, with metrics';
const WITHOUT = 'refresh, without them';
const ON = { env: { KALENDS_METRICS_TOKEN: 'a-token-for-scrapes' } };

export const metricsRow: LoadRow = {
  name: 'metrics',
  title: 'What metrics cost',
  comparisons: [{ ours: WITH, theirs: WITHOUT, unit: '%', required: 0.98, outFor: 0.99 }],
  async subjects(context) {
    return [
      await refreshing(context, WITH, await kalends(context, ON)),
      await refreshing(context, WITHOUT, await kalends(context)),
    ];
  },
};
