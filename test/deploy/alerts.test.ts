/** The alert rules, loaded and tested by Prometheus itself: each fires only for its reason and says what to do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { counterpart } from '../harness/counterpart.ts';
import { PROMTOOL, promtoolComplaints } from '../harness/promtool.ts';
import { FORMATS } from '../harness/published-formats.ts';
import { ALERT_CASES, type AlertCase } from './alert-cases.ts';
import { ROOT } from './docs-blocks.ts';
import { checkExpression, openPromqlParser } from './promql.ts';
import { readYaml } from './read-yaml.ts';

const FILE = path.join(ROOT, 'deploy/alerts.yaml');

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
};

function alertRules(): readonly Rule[] {
  // As Prometheus has them; promtool reads the same file below.
  const [{ groups }] = readYaml('deploy/alerts.yaml') as [{ groups: { rules: Rule[] }[] }];
  return groups.flatMap(({ rules }) => rules);
}

describe('deploy/alerts.yaml', counterpart('lezer-promql', FORMATS), () => {
  it('each alert uses existing metrics, says what is wrong, and has a runbook line that says what to do', async () => {
    const parser = await openPromqlParser();
    const rules = alertRules();
    const runbook = readFileSync(path.join(ROOT, 'docs/operations.md'), 'utf8');

    assert.ok(rules.length >= 16);
    for (const { alert, expr, labels, annotations } of rules) {
      checkExpression(parser, expr);
      assert.match(labels.severity, /^(page|ticket)$/);
      assert.match(annotations.summary, /\.$/);
      assert.match(runbook, new RegExp(`^\\| \`${alert}\` \\| .{20,} \\|$`, 'm'), alert);
    }
    const listed = [...runbook.matchAll(/^\| `(Kalends\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(listed.toSorted(), rules.map(({ alert }) => alert).toSorted());
  });
});

describe('deploy/alerts.yaml in Prometheus', counterpart('promtool', PROMTOOL), () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-alerts-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('the alert rules are ones that Prometheus loads', async () => {
    const wrong = path.join(folder, 'wrong.yaml');
    await writeFile(wrong, readFileSync(FILE, 'utf8').replace('absent(', 'absence('));

    assert.equal(promtoolComplaints(['check', 'rules', FILE]), '');
    assert.match(promtoolComplaints(['check', 'rules', wrong]), /unknown function with name "absence"/);
  });

  it('each alert fires for its reason, with a text that names whom it is about, and not for what is most like it', async () => {
    const rules = alertRules();
    const tried = new Set(Object.keys(ALERT_CASES).map(alertOf));
    assert.deepEqual([...tried].toSorted(), rules.map(({ alert }) => alert).toSorted());
    for (const every of new Set(Object.values(ALERT_CASES).map(stepOf))) {
      const cases = Object.entries(ALERT_CASES).filter(([, its]) => stepOf(its) === every);
      const tests = cases.flatMap(([name, its]) => {
        const rule = rules.find(({ alert }) => alert === alertOf(name));
        return rule === undefined ? [] : [true, false].map((fires) => promtoolTest(rule, its, fires));
      });
      const file = path.join(folder, `${every}.yaml`);
      await writeFile(file, JSON.stringify({ rule_files: [FILE], evaluation_interval: every, tests }));

      assert.equal(promtoolComplaints(['test', 'rules', file]), '');
    }
  });
});

const alertOf = (name: string): string => name.replace(/,.*/, '');

/** Returns the evaluation interval: as long as the data allows, since a month of minutes takes long. */
const stepOf = ({ every = '1m' }: AlertCase): string => every;

/** Returns a test in promtool's form that the alert fires, or that it does not. */
function promtoolTest({ alert, labels, annotations }: Rule, its: AlertCase, fires: boolean): object {
  const summary = annotations.summary.replace(
    /\{\{ \$labels\.(\w+) \}\}/g,
    (_, name) => its.labels[name] ?? '',
  );
  const expected = { exp_labels: { ...its.labels, severity: labels.severity }, exp_annotations: { summary } };
  return {
    interval: stepOf(its),
    input_series: Object.entries(fires ? its.fires : its.isQuiet).map(([series, values]) => ({
      series,
      values,
    })),
    alert_rule_test: [{ eval_time: its.at, alertname: alert, exp_alerts: fires ? [expected] : [] }],
  };
}
