import type { CounterName, GaugeName, LabelsOf, METRICS } from './metric-table.ts';
import type { MetricFamily, Sample } from './metrics-text.ts';

/** Counts in memory, from the start of the process. */
export type Counter<N extends CounterName> = {
  add(labels: LabelsOf<N>, by?: number): void;
  family(): MetricFamily;
};

export function counter<N extends CounterName>(name: N): Counter<N> {
  const series = new Map<string, { readonly labels: LabelsOf<N>; value: number }>();
  return {
    add(labels, by = 1) {
      const key = toSeriesKey(labels);
      const entry = series.get(key);
      if (entry === undefined) series.set(key, { labels, value: by });
      else entry.value += by;
    },
    family: () => ({ name, samples: [...series.values()] }),
  };
}

/** Returns the family of values that are looked up at each scrape. */
export const gauge = <N extends GaugeName>(
  name: N,
  samples: readonly (Sample & { readonly labels: LabelsOf<N> })[],
): MetricFamily => ({ name, samples });

/** Returns the family of one value without labels. */
export const figure = (
  name: { [N in GaugeName | CounterName]: (typeof METRICS)[N]['labels'] extends readonly [] ? N : never }[
    | GaugeName
    | CounterName],
  value: number,
): MetricFamily => ({ name, samples: [{ value }] });

/** Returns a series' key. Label values identify it, because a metric's labels are always in the same order. */
export const toSeriesKey = (labels: Readonly<Record<string, string>>): string =>
  Object.values(labels).join('\n');
