/**
 * Whole rows, by the command line of each side in turns and the figures that it writes. Rows and figures that the
 * base lacks run with the scenario of this commit, on the base's own server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Options } from '../options.ts';
import type { RowReport } from '../report.ts';
import type { RowName } from '../row.ts';
import { addCurrentRows, type Checkouts } from './checkouts.ts';
import type { Compared } from './compare-commits.ts';
import { endedWithBench, nodeOf } from './side-process.ts';

type Figure = { readonly value: number; readonly unit: string };
type Figures = ReadonlyMap<string, Figure>;

/** Resolves with each figure that both sides have. */
export async function compareRow(row: RowName, checkouts: Checkouts, options: Options): Promise<Compared[]> {
  const run = (checkout: string, bench: string) => runRow({ checkout, bench }, row, options.flags);
  const { current: ours, base } = checkouts;
  const runCurrent = () => run(ours, path.join(ours, 'bench'));
  const first = await runCurrent();
  let bench = path.join(base, 'bench');
  const own = await run(base, bench).catch((error: unknown): Figures => {
    console.log(`The row of the base did not run: ${String(error)}`);
    return new Map();
  });
  const missing = [...first.keys()].filter((name) => !own.has(name));
  if (missing.length > 0) {
    console.log(`The base has no ${missing.join('; ')}: it runs the row of this commit.`);
    bench = await addCurrentRows(checkouts);
  }
  const current: Figures[] = [first];
  const bases: Figures[] = missing.length > 0 ? [await run(base, bench)] : [own];
  while (current.length < options.comparison.runs) {
    // ABBA: the base was the last.
    if (current.length % 2 === 1) bases.push(await run(base, bench));
    current.push(await runCurrent());
    if (bases.length < current.length) bases.push(await run(base, bench));
  }
  return [...first].map(([what, { unit }]) => ({
    what: `${row}: ${what}`,
    unit,
    current: current.map((figures) => figures.get(what)?.value ?? Number.NaN),
    base: bases.map((figures) => figures.get(what)?.value ?? Number.NaN),
  }));
}

async function runRow(
  { checkout, bench }: { readonly checkout: string; readonly bench: string },
  row: RowName,
  flags: readonly string[],
): Promise<Figures> {
  const args = [path.join(bench, 'bench.ts'), '--only', row, ...flags];
  const child = endedWithBench(
    spawn(nodeOf(checkout), args, { cwd: checkout, stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  const [code]: [number | null] = (await once(child, 'close')) as [number | null]; // the event's first argument
  if (code !== 0) throw new Error(`${args.join(' ')} failed: ${errors}`);
  const file = path.join(checkout, 'artefacts/bench-results.json');
  const { reports }: { reports: RowReport[] } = JSON.parse(await readFile(file, 'utf8'));
  return figuresOf(reports);
}

/** A name without what was measured in it, such as the rate beside which a time was measured. */
const stableName = (text: string): string => text.replace(/\b\d{3,}\b/g, '…');

/** Rates, times and memory of Kalends; what is a ratio already is left out. */
function figuresOf(reports: readonly RowReport[]): Figures {
  const figures = new Map<string, Figure>();
  for (const { subjects, verdicts } of reports) {
    for (const { name, rate } of subjects)
      if (name.startsWith('Kalends')) figures.set(stableName(name), { value: rate, unit: '/s' });
    for (const { what, measured, unit } of verdicts)
      if (['/s', 'ms', 'MB'].includes(unit)) figures.set(stableName(what), { value: measured, unit });
  }
  return figures;
}
