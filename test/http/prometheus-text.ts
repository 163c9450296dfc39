/** A strict reader of Prometheus's text format (0.0.4): what it refuses, a scrape may lose. */
import assert from 'node:assert/strict';

export type Series = { readonly labels: Readonly<Record<string, string>>; readonly value: number };
export type Family = {
  readonly help: string;
  readonly type: string;
  readonly samples: Map<string, Series[]>;
};

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\+Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const PARTS: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] };

/** Every family by its name. Throws for what is not of the format. */
export function readMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  assert.ok(text.endsWith('\n'), 'the last line ends');
  let name = '';
  let help: string | undefined;
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') [name, help] = [about, rest];
    else if (kind === 'TYPE') {
      assert.equal(about, name, 'TYPE follows its own HELP');
      assert.ok(help !== undefined && !families.has(name), `${name} comes once`);
      assert.match(rest, /^(counter|gauge|histogram|summary)$/);
      families.set(name, { help, type: rest, samples: new Map() });
      help = undefined;
    } else readSample(line, name, { families, seen });
  }
  for (const [each, family] of families) if (family.type === 'histogram') checkHistogram(each, family);
  return families;
}

function readSample(
  line: string,
  name: string,
  { families, seen }: { readonly families: Map<string, Family>; readonly seen: Set<string> },
): void {
  const [, sampled = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  const family = families.get(name);
  assert.ok(family !== undefined && sampled.startsWith(name), `no sample of ${name}: ${line}`);
  const suffix = sampled.slice(name.length);
  assert.ok((PARTS[family.type] ?? ['']).includes(suffix), line);
  const series = { labels: readLabels(labels), value: value === '+Inf' ? Infinity : Number(value) };
  const key = JSON.stringify([sampled, Object.entries(series.labels).sort()]);
  assert.ok(!seen.has(key), `twice: ${line}`);
  seen.add(key);
  assert.equal('quantile' in series.labels, family.type === 'summary', line);
  if (family.type === 'counter') assert.ok(series.value >= 0 && name.endsWith('_total'), line);
  family.samples.set(suffix, [...(family.samples.get(suffix) ?? []), series]);
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ''; ) {
    const [all = '', label = '', value = ''] = LABEL.exec(rest) ?? [];
    assert.ok(all !== '' && !(label in labels), `no label: ${rest}`);
    labels[label] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
    rest = rest.slice(all.length);
  }
  return labels;
}

/** Buckets grow up to +Inf, which is the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const keyOf = ({ le: _, ...labels }: Series['labels']) => JSON.stringify(labels);
  const buckets = Map.groupBy(samples.get('_bucket') ?? [], ({ labels }) => keyOf(labels));
  const counts = samples.get('_count') ?? [];
  assert.equal(counts.length, buckets.size, name);
  assert.equal(samples.get('_sum')?.length, buckets.size, name);
  for (const { labels, value } of counts) {
    const steps = buckets.get(keyOf(labels)) ?? [];
    const bounds = steps.map((step) => Number(step.labels.le?.replace('+Inf', 'Infinity')));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      name,
    );
    assert.equal(bounds.at(-1), Infinity, name);
    steps.reduce((below, step) => {
      assert.ok(step.value >= below, name);
      return step.value;
    }, 0);
    assert.equal(steps.at(-1)?.value, value, name);
  }
}

/** The value of the one series with these labels; of a histogram its count. */
export function countOf(
  families: Map<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const { type, samples } = families.get(name) ?? { type: '', samples: new Map<string, Series[]>() };
  const all = samples.get(type === 'histogram' ? '_count' : '') ?? [];
  return all.find((series) =>
    Object.entries(labels).every(([label, value]) => series.labels[label] === value),
  )?.value;
}
