/** The text that Prometheus reads (exposition format 0.0.4). */

export type Labels = Readonly<Record<string, string>>;

/** One value; `suffix` stands behind the family's name, as `_bucket` does. */
export type Sample = { readonly labels?: Labels; readonly value: number; readonly suffix?: string };

/** Values of one name. */
export type MetricFamily = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
};

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** All families, each with its help and type before its values. */
export const metricsText = (families: readonly MetricFamily[]): string => families.map(textOf).join('');

function textOf({ name, type, help, samples }: MetricFamily): string {
  const lines = samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
  );
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

const escaped = (value: string): string => value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');

const numberText = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));
