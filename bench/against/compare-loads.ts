/** Rows of requests to one server: both sides run at once and are loaded in turns, by this process. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { runLoad } from '../load/http-load.ts';
import type { Pace, Subject } from '../measure.ts';
import { threadSeconds } from '../process-usage.ts';
import type { RowName } from '../row.ts';
import { LISTING } from '../rows/listing-row.ts';
import { exchanging, getWith, presenting, refreshing } from '../rows/token-subjects.ts';
import type { Compared, ComparisonPace } from './compare-commits.ts';
import type { Scenario } from './side.ts';
import type { Side, SideServer } from './side-process.ts';

export type Sides = { readonly current: Side; readonly base: Side };
export type Terms = { readonly folder: string; readonly pace: Pace; readonly comparison: ComparisonPace };

type Load = {
  readonly scenario: (pace: Pace) => Omit<Scenario, 'folder'>;
  readonly subject: (name: string, server: SideServer, pace: Pace) => Promise<Subject>;
};

const presents = (at: string) => (name: string, server: SideServer, pace: Pace) =>
  presenting({ pace }, { name, server }, getWith(at));

export const LOADS: Partial<Record<RowName, Load>> = {
  refresh: {
    scenario: () => ({}),
    subject: (name, server, pace) => refreshing({ pace }, name, server),
  },
  exchange: { scenario: () => ({}), subject: async (name, server) => exchanging(name, server) },
  bearer: { scenario: () => ({ isBearer: true }), subject: presents('/protected') },
  listing: { scenario: ({ users }) => ({ mirrored: users }), subject: presents(LISTING) },
};

/** More than a slice takes on a machine that has much else to do. */
const PATIENCE_SECONDS = 120;
/** As `exchanging` counts on. */
const CALLS_PER_SECOND = 12_000;

/** Compares requests per second and the server's processor time for a request, block by block. */
export async function compareLoad(
  row: RowName,
  { scenario, subject }: Load,
  { sides, terms }: { readonly sides: Sides; readonly terms: Terms },
): Promise<Compared[]> {
  const { folder, pace, comparison } = terms;
  const start = async (side: Side, name: string) => {
    const place = await mkdtemp(path.join(folder, `${row}-`));
    return subject(name, await side.start({ ...scenario(pace), folder: place }), pace);
  };
  const subjects = { current: await start(sides.current, 'current'), base: await start(sides.base, 'base') };
  const slice = (name: keyof Sides, calls: number) => measureCalls(subjects[name], calls, pace.connections);
  for (const name of ['current', 'base'] as const) await slice(name, comparison.warmUpCalls);
  const rates = emptyTurns();
  const processor = emptyTurns();
  for (let block = 0; block < comparison.blocks; block++) {
    const slices = { current: [] as Slice[], base: [] as Slice[] };
    for (const name of orderOf(block)) slices[name].push(await slice(name, comparison.sliceCalls));
    for (const name of ['current', 'base'] as const) {
      const calls = comparison.sliceCalls * slices[name].length;
      rates[name].push(calls / sumOf(slices[name].map(({ seconds }) => seconds)));
      processor[name].push((sumOf(slices[name].map(({ processor }) => processor)) * 1e6) / calls);
    }
  }
  await sides.current.stop();
  await sides.base.stop();
  return [
    { what: row, unit: '/s', ...rates },
    { what: `${row}, processor`, unit: 'µs', ...processor },
  ];
}

/** In seconds. */
type Slice = { readonly seconds: number; readonly processor: number };

/** A number of requests, not a time: a server that gets little of its core then does as much as the other. */
async function measureCalls(
  { pid, port, prepare }: Subject,
  calls: number,
  connections: number,
): Promise<Slice> {
  const next = await prepare(calls / CALLS_PER_SECOND);
  let left = calls;
  const before = threadSeconds(pid) ?? Number.NaN;
  const load = { port, connections, seconds: PATIENCE_SECONDS, expectedStatus: 200 };
  const { answers, seconds } = await runLoad(load, () => (left-- > 0 ? next() : undefined));
  if (answers < calls) throw new Error(`Only ${answers} of ${calls} requests were answered`);
  return { seconds, processor: (threadSeconds(pid) ?? Number.NaN) - before };
}

export const emptyTurns = (): { readonly [name in keyof Sides]: number[] } => ({ current: [], base: [] });

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** ABBA, and BAAB in every other block: a drift of the machine falls on both sides alike. */
function orderOf(block: number): readonly (keyof Sides)[] {
  return block % 2 === 0 ? ['current', 'base', 'base', 'current'] : ['base', 'current', 'current', 'base'];
}
