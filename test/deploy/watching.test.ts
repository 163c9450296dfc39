/** The Grafana dashboard and the alert rules: every metric and label that they name is there, and every alert says what to do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { METRICS, type Metric } from '../../src/metrics/metric-table.ts';
import { counterpart } from '../harness/counterpart.ts';
import { readYaml, YAML } from './read-yaml.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

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

function checkExpression(expr: string): readonly string[] {
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

type Panel = {
  readonly type: string;
  readonly title: string;
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
};

describe('deploy/grafana-dashboard.json', () => {
  // As Grafana has them; what is used of each is checked below.
  const { panels } = JSON.parse(textOf('deploy/grafana-dashboard.json')) as { panels: Panel[] };
  const shown = panels.filter(({ type }) => type !== 'row');

  it('the Grafana dashboard shows every metric there is, and names none that there is not', () => {
    const used = shown.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => checkExpression(expr)));

    assert.deepEqual(
      Object.keys(METRICS).filter((name) => !used.includes(name)),
      [],
    );
  });

  it('each panel of the Grafana dashboard has a title and a unit, and a place of its own', () => {
    const taken = new Set<string>();
    for (const { title, fieldConfig, gridPos } of shown) {
      assert.ok(title.length > 0);
      assert.ok(fieldConfig?.defaults.unit, title);
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(!taken.has(`${x} ${y}`), title);
          taken.add(`${x} ${y}`);
        }
    }
  });
});

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
};

describe('deploy/alerts.yaml', counterpart('python3-yaml', YAML), () => {
  it('each alert is of metrics that are there, says what is wrong, and has a line that says what to do', () => {
    // As Prometheus has them.
    const [{ groups }] = readYaml('deploy/alerts.yaml') as [{ groups: { rules: Rule[] }[] }];
    const rules = groups.flatMap((group) => group.rules);
    const runbook = textOf('docs/operations.md');

    assert.ok(rules.length >= 16);
    for (const { alert, expr, labels, annotations } of rules) {
      checkExpression(expr);
      assert.match(labels.severity, /^(page|ticket)$/);
      assert.match(annotations.summary, /\.$/);
      assert.match(runbook, new RegExp(`^\\| \`${alert}\` \\| .{20,} \\|$`, 'm'), alert);
    }
    const listed = [...runbook.matchAll(/^\| `(Kalends\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(listed.toSorted(), rules.map(({ alert }) => alert).toSorted());
  });
});
