/** docs/metrics.md, from the table of metrics. */
import { METRICS, type Metric } from '../src/metrics/metric-table.ts';

export function metricsDocument(): string {
  const rows = Object.entries(METRICS).map(([name, metric]: [string, Metric]) => {
    const labels = metric.labels.map((label) => `\`${label}\``).join(', ') || '–';
    return `| \`${name}\` | ${metric.type} | ${labels} | ${metric.isShared ? 'database' : 'instance'} | ${metric.help} |`;
  });
  return `# Metrics

[\`GET /metrics\`](operations.md#metrics) returns these metrics in the text format of Prometheus. Labels never contain values from callers, users,
accounts or hosts. Sum metrics of scope *instance* over all instances. Metrics of scope *database* are the same on each instance: take \`max\`.
Counters and histograms are omitted until their first value.

| Metric | Type | Labels | Scope | Meaning |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

This page is generated from \`src/metrics/metric-table.ts\` by \`npm run docs\`.
`;
}
