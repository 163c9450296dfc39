/** How long each side takes to start, and its memory after a fixed number of token calls behind each start. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { type CallSource, runLoad } from '../load/http-load.ts';
import { residentMegabytes, threadSeconds } from '../process-usage.ts';
import { refreshing } from '../rows/token-subjects.ts';
import type { Compared } from './compare-commits.ts';
import { emptyTurns, type Sides, type Terms } from './compare-loads.ts';

const PATIENCE_SECONDS = 60;

export async function compareStarts(sides: Sides, { folder, pace, comparison }: Terms): Promise<Compared[]> {
  const sources = { current: await seeded('current'), base: await seeded('base') };
  const times = emptyTurns();
  const processor = emptyTurns();
  const memory = emptyTurns();
  // The first start of each compiles what later ones find in the cache.
  for (let start = -1; start < comparison.starts; start++) {
    const order = start % 2 === 0 ? (['current', 'base'] as const) : (['base', 'current'] as const);
    for (const name of order) {
      const { process, port, milliseconds } = await sides[name].restart();
      const used = (threadSeconds(process.pid) ?? Number.NaN) * 1000;
      await load(sources[name], port);
      if (start < 0) continue;
      times[name].push(milliseconds);
      processor[name].push(used);
      memory[name].push(residentMegabytes(process.pid) ?? Number.NaN);
    }
  }
  await sides.current.stop();
  await sides.base.stop();
  return [
    { what: 'start', unit: 'ms', ...times },
    { what: 'start, processor', unit: 'ms', ...processor },
    { what: 'memory', unit: 'MB', ...memory },
  ];

  async function seeded(name: keyof Sides): Promise<CallSource> {
    const place = await mkdtemp(path.join(folder, 'start-'));
    const subject = await refreshing({ pace }, name, await sides[name].start({ folder: place }));
    return subject.prepare(0);
  }

  async function load(next: CallSource, port: number): Promise<void> {
    let left = comparison.calls;
    const options = { port, connections: pace.connections, seconds: PATIENCE_SECONDS, expectedStatus: 200 };
    await runLoad(options, () => (left-- > 0 ? next() : undefined));
  }
}
