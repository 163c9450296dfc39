/**
 * `npm run bench -- --against COMMIT`: this checkout beside another commit, measured in short alternating turns, so that
 * what else the machine does affects both alike.
 */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { median } from '../measure.ts';
import type { Options } from '../options.ts';
import { pinToLoadCore } from '../pinned-process.ts';
import { aligned } from '../report.ts';
import type { RowName } from '../row.ts';
import { type Checkouts, checkOut, ROOT } from './checkouts.ts';
import { compareLoad, LOADS } from './compare-loads.ts';
import { compareRow } from './compare-rows.ts';
import { compareStarts } from './compare-starts.ts';
import { startSide } from './side-process.ts';

const RESULTS = path.join(ROOT, 'artefacts/bench-against.json');

export type ComparisonPace = {
  /** Blocks of four slices in the order ABBA, whose ratio is one of the row's. */
  readonly blocks: number;
  readonly warmUpCalls: number;
  readonly sliceCalls: number;
  /** Starts of each side, and token calls after each start. */
  readonly starts: number;
  readonly calls: number;
  /** Runs of a whole row on each side. */
  readonly runs: number;
};

/** Figures of both sides from the same turns: entries with one index belong together. */
export type Compared = {
  readonly what: string;
  /** More is better if it is `/s`, otherwise less. */
  readonly unit: string;
  readonly current: readonly number[];
  readonly base: readonly number[];
};

type Report = Compared & {
  readonly ratio: number;
  readonly range: readonly [number, number];
  /** The standard error of the ratio: it is large if the machine is busy. */
  readonly error: number;
};

/** The largest error of a steady ratio. */
const MOST_ERROR = 0.01;

/** Compares this checkout with `commit` and resolves with whether no ratio is below the limit. */
export async function compareCommits(commit: string, options: Options): Promise<boolean> {
  const checkouts = await checkOut(commit);
  console.log(`Current: this checkout with its uncommitted changes. Base: ${checkouts.subject}`);
  console.log(`${MEANING}\n`);
  const reports: Report[] = [];
  for await (const compared of compare(checkouts, options)) {
    const rows = compared.map(reportOf);
    reports.push(...rows);
    console.log(`${aligned([HEAD, ...rows.map(cellsOf)])}\n`);
  }
  await mkdir(path.dirname(RESULTS), { recursive: true });
  await writeFile(RESULTS, `${JSON.stringify({ base: checkouts.subject, reports }, null, 2)}\n`);
  const below = reports.filter((one) => isBelow(one, options.atLeast)).map(({ what }) => what);
  if (below.length > 0) console.log(`Below ${options.atLeast}: ${below.join('; ')}`);
  return below.length === 0;
}

/** Yields what was compared, row by row. */
async function* compare(checkouts: Checkouts, options: Options): AsyncGenerator<readonly Compared[]> {
  const { rows, pace, comparison } = options;
  const isStart = (row: RowName) => row === 'start' || row === 'memory';
  for (const row of rows)
    if (LOADS[row] === undefined && !isStart(row)) yield await compareRow(row, checkouts, options);
  // Removed with the checkouts.
  const folder = await mkdtemp(`${checkouts.base}-data-`);
  const sides = { current: startSide(checkouts.current), base: startSide(checkouts.base) };
  // Not before the sides run: they would inherit the one core, and their servers with them.
  if (!pinToLoadCore()) console.log('Nothing is pinned to a core.');
  const terms = { folder, pace, comparison };
  try {
    for (const row of rows) {
      const load = LOADS[row];
      if (load !== undefined) yield await compareLoad(row, load, { sides, terms });
    }
    const starts = rows.filter(isStart);
    if (starts.length > 0)
      yield (await compareStarts(sides, terms)).filter(({ what }) =>
        starts.some((row) => what.startsWith(row)),
      );
  } finally {
    sides.current.end();
    sides.base.end();
  }
}

const MEANING = `A ratio says how fast the current code is compared with the base, as the median of turns with its range:
above 1 it is faster, or takes less memory; below 1 it is slower, or takes more. A ratio whose turns disagree
is unsteady: repeat it on a quiet machine.`;
const HEAD = ['', 'current', 'base', 'ratio', 'range', ''];

/** Returns whether the ratio is below `atLeast`, or no number. */
export const isBelow = ({ ratio }: Report, atLeast: number): boolean => !(ratio >= atLeast);

/** Works out the median ratio, its range and its error. */
export function reportOf(compared: Compared): Report {
  const { current, base, unit } = compared;
  const ratios = current.map((value, turn) => {
    const other = base[turn] ?? Number.NaN;
    return unit === '/s' ? value / other : other / value;
  });
  const ratio = median(ratios);
  const range = [Math.min(...ratios), Math.max(...ratios)] as const;
  return { ...compared, ratio, range, error: errorOf(ratios, ratio) };
}

/** The standard error of the median, from the median deviation: an outlier does not change it. */
function errorOf(values: readonly number[], middle: number): number {
  const deviation = 1.4826 * median(values.map((value) => Math.abs(value - middle)));
  return (1.2533 * deviation) / Math.sqrt(values.length);
}

const cellsOf = ({ what, unit, current, base, ratio, range, error }: Report): string[] => [
  what,
  `${median(current).toFixed(0)} ${unit}`,
  `${median(base).toFixed(0)} ${unit}`,
  ratio.toFixed(3),
  range.map((value) => value.toFixed(2)).join('–'),
  error > MOST_ERROR ? `unsteady: ±${(2 * error).toFixed(2)}` : '',
];
