import { toSeriesKey } from './counter.ts';
import { type HistogramName, type LabelsOf, METRICS, type Metric } from './metric-table.ts';
import type { MetricFamily, Sample } from './metrics-text.ts';

/** Counts values by size in memory, from the start of the process. */
export type Histogram<N extends HistogramName> = {
  observe(labels: LabelsOf<N>, value: number): void;
  /** Returns an observer for these labels, to avoid a look-up for each value. */
  of(labels: LabelsOf<N>): (value: number) => void;
  family(): MetricFamily;
};

type Series = {
  readonly labels: Readonly<Record<string, string>>;
  /** The number of values per bound, not cumulative. */
  readonly buckets: number[];
  sum: number;
  count: number;
};

export function histogram<N extends HistogramName>(name: N): Histogram<N> {
  const { bounds = [] }: Metric = METRICS[name];
  const all = new Map<string, Series>();
  const ensureSeries = (labels: LabelsOf<N>): Series => {
    const key = toSeriesKey(labels);
    let series = all.get(key);
    if (series === undefined) {
      series = { labels, buckets: bounds.map(() => 0), sum: 0, count: 0 };
      all.set(key, series);
    }
    return series;
  };
  const note = (series: Series, value: number): void => {
    const at = bounds.findIndex((bound) => value <= bound);
    if (at >= 0) series.buckets[at] = (series.buckets[at] ?? 0) + 1;
    series.sum += value;
    series.count += 1;
  };
  return {
    observe: (labels, value) => note(ensureSeries(labels), value),
    of(labels) {
      const series = ensureSeries(labels);
      return (value) => note(series, value);
    },
    family: () => ({
      name,
      samples: [...all.values()]
        .filter(({ count }) => count > 0)
        .flatMap((series) => toSamples(series, bounds)),
    }),
  };
}

function toSamples({ labels, buckets, sum, count }: Series, bounds: readonly number[]): Sample[] {
  let below = 0;
  const counted = bounds.map((bound, at) => {
    below += buckets[at] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
  });
  return [
    ...counted,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
