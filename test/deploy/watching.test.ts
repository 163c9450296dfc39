/** The Grafana dashboard: every metric and label that it names is there, and every panel says what it shows. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import { METRICS } from '../../src/metrics/metric-table.ts';
import { counterpart } from '../harness/counterpart.ts';
import { PROMTOOL, promtoolComplaints } from '../harness/promtool.ts';
import { FORMATS } from '../harness/published-formats.ts';
import { checkExpression, openPromqlParser } from './promql.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

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

  // The one variable of Grafana that stands outside of texts.
  const expressions = shown.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')),
  );

  it(
    'the Grafana dashboard shows every metric there is, and names none that there is not',
    counterpart('lezer-promql', FORMATS),
    async () => {
      const parser = await openPromqlParser();
      const used = expressions.flatMap((expr) => checkExpression(parser, expr));

      assert.deepEqual(
        Object.keys(METRICS).filter((name) => !used.includes(name)),
        [],
      );
      for (const wrong of ['kalends_reader', 'kalends_ready{pool="read"}', 'sum by (pool) (kalends_ready)'])
        assert.throws(() => checkExpression(parser, wrong), wrong);
    },
  );

  it(
    'each query of the Grafana dashboard is one that Prometheus takes',
    counterpart('promtool', PROMTOOL),
    async (t) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'kalends-dashboard-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      const complaints = async (queries: readonly string[]) => {
        const file = path.join(folder, 'rules.yaml');
        const rules = queries.map((expr, index) => ({ record: `query_${index}`, expr }));
        await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
        return promtoolComplaints(['check', 'rules', file]);
      };

      assert.equal(await complaints(expressions), '');
      assert.match(await complaints(['rate(kalends_ready)']), /expected type range vector/);
    },
  );

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
