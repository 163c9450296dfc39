/** docs/metrics.md, from the table of metrics. */
import { METRICS, type Metric } from '../src/metrics/metric-table.ts';

export function metricsDocument(): string {
  const rows = Object.entries(METRICS).map(([name, metric]: [string, Metric]) => {
    const labels = metric.labels.map((label) => `\`${label}\``).join(', ') || '–';
    return `| \`${name}\` | ${metric.type} | ${labels} | ${metric.isShared ? 'database' : 'instance'} | ${metric.help} |`;
  });
  return `# Metrics

What [\`GET /metrics\`](operations.md#metrics) shows, in the text of Prometheus. Nothing that a caller sends is a label, and no user, account or
host. What is *of* the instance is summed over instances; what is of the database is the same from each: take \`max\`. A counter or
histogram of which nothing was counted yet is left out.

| Metric | Type | Labels | Of | What it says |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

This page is generated from \`src/metrics/metric-table.ts\` by \`npm run docs\`.
`;
}
