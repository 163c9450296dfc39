/** PromQL expressions, parsed with Prometheus' own grammar and checked against the existing metrics. */
import assert from 'node:assert/strict';
import path from 'node:path';

import { METRICS, type Metric } from '../../src/metrics/metric-table.ts';
import { FORMATS } from '../harness/published-formats.ts';

/** A series that Prometheus itself adds for each target. */
const UP: Metric = { type: 'gauge', help: 'Whether the last scrape succeeded.', labels: [] };
/** Labels that a series has besides those of its metric. */
const ADDED = ['job', 'instance', 'le'];

/** The used part of a Lezer syntax tree. */
type SyntaxNode = {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly type: { readonly isError: boolean };
  readonly node: { readonly parent: { readonly name: string } | null };
};
export type PromqlParser = {
  parse(expr: string): { iterate(visit: { enter(node: SyntaxNode): void }): void };
};

export async function openPromqlParser(): Promise<PromqlParser> {
  const { parser } = await import(path.join(FORMATS, '@prometheus-io/lezer-promql/dist/index.es.js'));
  return parser;
}

type Selected = { metric: string; readonly labels: string[] };

/**
 * Returns the metrics that the expression selects. Throws for an unknown metric or label, and if the expression does
 * not parse.
 */
export function checkExpression(parser: PromqlParser, expr: string): readonly string[] {
  const { selected, grouping } = partsOf(parser, expr);
  assert.ok(selected.length > 0, expr);
  const offered = new Set(ADDED);
  for (const { metric, labels } of selected) {
    const known = tableOf(metric);
    assert.ok(known !== undefined, `there is no ${metric}: ${expr}`);
    for (const label of labels) assert.ok([...known.labels, ...ADDED].includes(label), `${label}: ${expr}`);
    for (const label of known.labels) offered.add(label);
  }
  for (const label of grouping) assert.ok(offered.has(label), `${label}: ${expr}`);
  return selected.map(({ metric }) => metric);
}

function partsOf(parser: PromqlParser, expr: string) {
  const selected: Selected[] = [];
  const grouping: string[] = [];
  parser.parse(expr).iterate({
    enter({ name, from, to, type, node }) {
      const text = expr.slice(from, to);
      assert.ok(!type.isError, `no PromQL at ${from}: ${expr}`);
      if (name === 'VectorSelector') selected.push({ metric: '', labels: [] });
      else if (name === 'Identifier') Object.assign(selected.at(-1) ?? {}, { metric: familyOf(text) });
      else if (name === 'LabelName')
        (node.parent?.name === 'GroupingLabels' ? grouping : selected.at(-1)?.labels)?.push(text);
    },
  });
  return { selected, grouping };
}

/** Returns the metric of a series; a histogram has several series. */
function familyOf(series: string): string {
  const family = series.replace(/_(bucket|sum|count)$/, '');
  return tableOf(family)?.type === 'histogram' ? family : series;
}

const TABLE: Readonly<Record<string, Metric>> = { ...METRICS, up: UP };

const tableOf = (name: string): Metric | undefined => (Object.hasOwn(TABLE, name) ? TABLE[name] : undefined);
