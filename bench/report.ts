/** The table, and whether each target holds. */
import { ratioOf, type SubjectResult } from './measure.ts';
import type { Comparison, LoadRow, Target } from './row.ts';

type Figure = {
  readonly measured: number;
  readonly unit: '×' | '%' | '/s' | 'ms' | 'µs' | 'MB' | '× as much' | 'waits' | 'failures';
};

/** A figure beside its target, as it goes into the JSON too. */
export type Verdict = Figure & {
  readonly what: string;
  readonly target: Target | undefined;
  readonly verdict: 'both' | 'required' | 'no' | 'no target';
};

export type RowReport = {
  readonly title: string;
  readonly subjects: readonly SubjectResult[];
  readonly verdicts: readonly Verdict[];
};

type Compared = Pick<LoadRow, 'title' | 'comparisons'>;

export function reportOf(row: Compared, subjects: readonly SubjectResult[]): RowReport {
  return { title: row.title, subjects, verdicts: row.comparisons.map((each) => compare(each, subjects)) };
}

function compare(comparison: Comparison, subjects: readonly SubjectResult[]): Verdict {
  const find = (name: string): SubjectResult => {
    const subject = subjects.find((subject) => subject.name === name);
    if (subject === undefined) throw new Error(`No subject is called ${name}`);
    return subject;
  };
  const { ours, theirs, unit, required, outFor } = comparison;
  const measured = ratioOf(find(ours), find(theirs));
  return verdictOf(`${ours} / ${theirs}`, { measured, unit }, { required, outFor });
}

const MORE_IS_BETTER: readonly string[] = ['×', '%', '/s'];

/** Compares a figure with its target: for ratios and rates more is better, for times and memory less is better. */
export function verdictOf(what: string, { measured, unit }: Figure, target: Target | undefined): Verdict {
  const figure = { what, measured, unit, target };
  if (target === undefined) return { ...figure, verdict: 'no target' };
  const reaches = (limit: number) => (MORE_IS_BETTER.includes(unit) ? measured >= limit : measured < limit);
  const verdict = reaches(target.outFor) ? 'both' : reaches(target.required) ? 'required' : 'no';
  return { ...figure, verdict: reaches(target.required) ? verdict : 'no' };
}

/** Renders rows of text with aligned columns; all but the first column are aligned to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  const cell = (text: string, column: number) => {
    const fill = ' '.repeat((widths[column] ?? 0) - [...text].length);
    return column === 0 ? text + fill : fill + text;
  };
  return rows.map((row) => `  ${row.map(cell).join('  ')}`.trimEnd()).join('\n');
}

/** Renders one row for people. */
export function textOf({ title, subjects, verdicts }: RowReport): string {
  const head = ['', 'requests/s', 'CPU µs', 'p50 ms', 'p99 ms', 'RSS MB'];
  const measured = subjects.map((subject) => [
    subject.name,
    Math.round(subject.rate).toLocaleString('en'),
    figure(subject.cpuMicroseconds, 0),
    figure(subject.p50, 1),
    figure(subject.p99, 1),
    figure(subject.residentMegabytes, 0),
  ]);
  const judged = verdicts.map(({ what, measured: value, unit, target, verdict }) => [
    what,
    formatFigure(value, unit),
    target === undefined
      ? ''
      : `${formatFigure(target.required, unit)} / ${formatFigure(target.outFor, unit)}`,
    { both: 'met, both', required: 'met', no: 'NOT MET', 'no target': '' }[verdict],
  ]);
  return [
    `${title}`,
    ...(measured.length > 0 ? [aligned([head, ...measured])] : []),
    ...(judged.length > 0 ? [aligned([['', 'measured', 'required / out for', ''], ...judged])] : []),
    '',
  ].join('\n');
}

const figure = (value: number | undefined, digits: number): string =>
  value === undefined ? '–' : value.toFixed(digits);

function formatFigure(value: number, unit: Verdict['unit']): string {
  if (unit === '%') return `${(value * 100).toFixed(0)} %`;
  const digits = { '×': 1, '× as much': 2, '/s': 0, ms: 0, µs: 0, MB: 0, waits: 0, failures: 0 }[unit];
  return `${value.toFixed(digits)} ${unit}`;
}
