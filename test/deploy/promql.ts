/** Expressions of PromQL, held to the metrics that there are. */
import assert from 'node:assert/strict';

import { METRICS, type Metric } from '../../src/metrics/metric-table.ts';

/** What Prometheus adds to each series. */
const ADDED = ['job', 'instance', 'le'];

type Used = { readonly metric: string; readonly labels: readonly string[] };

/** What an expression of PromQL selects. */
function selected(expr: string): Used[] {
  return [...expr.matchAll(/\b((?:kalends|process)_[a-z_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', inside = '']) => {
      const family = name.replace(/_(bucket|sum|count)$/, '');
      const isPart = Object.hasOwn(METRICS, family) && tableOf(family)?.type === 'histogram';
      const labels = [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);
      return { metric: isPart ? family : name, labels };
    },
  );
}

const tableOf = (name: string): Metric | undefined => (METRICS as Readonly<Record<string, Metric>>)[name];

/** Answers the metrics that it selects; throws for one that there is not, or has no such label. */
export function checkExpression(expr: string): readonly string[] {
  const used = selected(expr);
  assert.ok(used.length > 0, expr);
  for (const { metric, labels } of used) {
    const known = tableOf(metric);
    assert.ok(known !== undefined, `there is no ${metric}: ${expr}`);
    for (const label of labels) assert.ok([...known.labels, ...ADDED].includes(label), `${label}: ${expr}`);
  }
  const offered = new Set([...ADDED, ...used.flatMap(({ metric }) => tableOf(metric)?.labels ?? [])]);
  for (const [, by = ''] of expr.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of by.split(/,\s*/)) assert.ok(offered.has(label), `${label}: ${expr}`);
  return used.map(({ metric }) => metric);
}
