/** The text that Prometheus reads (exposition format 0.0.4). */
import { METRICS, type MetricName } from './metric-table.ts';

/** One value; `suffix` follows the family's name, as `_bucket` does. */
export type Sample = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  readonly suffix?: string;
};

export type MetricFamily = { readonly name: MetricName; readonly samples: readonly Sample[] };

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Renders all families, each with its help and type before its values. A family without values is left out. */
export const metricsText = (families: readonly MetricFamily[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(renderFamily)
    .join('');

function renderFamily({ name, samples }: MetricFamily): string {
  const { help, type } = METRICS[name];
  const lines = samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
  );
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

const escaped = (value: string): string => value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');

const numberText = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));
