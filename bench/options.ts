/** The bench's command line. */
import { parseArgs } from 'node:util';

import type { ComparisonPace } from './against/compare-commits.ts';
import type { Pace } from './measure.ts';
import { ROWS, type RowName } from './row.ts';
import type { CostsPace } from './rows/costs-row.ts';
import type { DashboardPace } from './rows/dashboard-row.ts';
import type { GrowthPace } from './rows/growth-row.ts';
import type { JobsPace } from './rows/jobs-row.ts';
import type { MemoryPace } from './rows/memory-row.ts';
import type { NeighborsPace } from './rows/neighbors-row.ts';
import type { LoadMemoryPace } from './rows/start-row.ts';
import type { WebhookPace } from './rows/webhooks-row.ts';

export const HELP = `npm run bench -- [--quick] [--only refresh,exchange,bearer,dpop,postgres,request-log,metrics,listing,recurrence,pages,webhooks,neighbors,dashboard,growth,jobs,costs,instances,sync,memory,start]
                       [--against COMMIT [--at-least 0.97]]
                       [--sizes 10000,100000,1000000] [--families 10000000]

  --quick   fewer and shorter rounds: under a minute, noisier
  --smoke   every row for a moment, to see that it works; its figures mean nothing
  --only    these rows only, separated by commas
  --against   compares this checkout with a commit in turns: refresh, exchange, bearer, listing, start and memory,
              or the rows of --only
  --at-least  exits with 1 if a median ratio is below it
  --sizes   of the rows growth and memory: rows of each table
  --families   of the row growth: token families of one more database`;

export type Options = {
  /** The commit to compare with, and the smallest ratio that is accepted. */
  readonly against: string | undefined;
  readonly atLeast: number;
  readonly comparison: ComparisonPace;
  /** The flags that shorten rows, as they were given. */
  readonly flags: readonly string[];
  readonly pace: Pace;
  readonly rows: readonly RowName[];
  readonly starts: number;
  readonly loadMemory: LoadMemoryPace;
  /** Requests for the month of series. */
  readonly months: number;
  /** Events of the first sync. */
  readonly events: number;
  /** Events of the first sync that are placed in a thread. */
  readonly heavyEvents: number;
  readonly webhooks: WebhookPace;
  readonly neighbors: NeighborsPace;
  readonly dashboard: DashboardPace;
  readonly growth: GrowthPace;
  readonly jobs: JobsPace;
  readonly costs: CostsPace;
  readonly memory: MemoryPace;
};

const CONNECTIONS = 64;
const PACES = {
  full: { connections: CONNECTIONS, warmUpSeconds: 2, seconds: 2, rounds: 5, users: 1000 },
  quick: { connections: CONNECTIONS, warmUpSeconds: 1, seconds: 0.5, rounds: 3, users: 1000 },
  smoke: { connections: 8, warmUpSeconds: 0.05, seconds: 0.1, rounds: 1, users: 20 },
};
const COMPARISONS = {
  full: { blocks: 100, warmUpCalls: 20_000, sliceCalls: 1_000, starts: 20, calls: 8_000, runs: 4 },
  quick: { blocks: 20, warmUpCalls: 10_000, sliceCalls: 1_000, starts: 6, calls: 4_000, runs: 2 },
  smoke: { blocks: 1, warmUpCalls: 40, sliceCalls: 40, starts: 2, calls: 40, runs: 2 },
};
const COMPARED: readonly RowName[] = ['refresh', 'exchange', 'bearer', 'listing', 'start', 'memory'];
const STARTS = { full: 7, quick: 3, smoke: 1 };
const LOAD_MEMORY = {
  full: { processes: 5, calls: 30_000 },
  quick: { processes: 5, calls: 8_000 },
  smoke: { processes: 1, calls: 40 },
};
const MONTHS = { full: 100, quick: 50, smoke: 3 };
const WEBHOOKS = {
  full: { calendars: 400, rounds: 5, pushes: 60, noticeSeconds: 10 },
  quick: { calendars: 100, rounds: 3, pushes: 10, noticeSeconds: 2 },
  smoke: { calendars: 10, rounds: 1, pushes: 1, noticeSeconds: 1 },
};
const NEIGHBORS = {
  full: { users: 110, rounds: 5, patienceMs: 60_000 },
  quick: { users: 110, rounds: 2, patienceMs: 30_000 },
  smoke: { users: 10, rounds: 1, patienceMs: 30_000 },
};
const DASHBOARD = {
  full: { users: 1_000_000, rounds: 20 },
  quick: { users: 100_000, rounds: 20 },
  smoke: { users: 1_000, rounds: 2 },
};
const GROWTH = {
  full: {
    sizes: [10_000, 100_000, 1_000_000],
    families: 10_000_000,
    warmUp: 16_000,
    count: 4_000,
    // A Bearer check takes a few microseconds: only many rounds distinguish a difference of a fifth from chance.
    rounds: 11,
  },
  quick: { sizes: [10_000, 100_000, 300_000], families: 1_000_000, warmUp: 16_000, count: 4_000, rounds: 3 },
  smoke: { sizes: [10_000, 20_000], families: 0, warmUp: 100, count: 100, rounds: 1 },
};
const COSTS = {
  full: { users: 2_000, seconds: 5, accounts: 500, isFull: true },
  quick: { users: 400, seconds: 2, accounts: 100, isFull: false },
  smoke: { users: 20, seconds: 0.2, accounts: 5, isFull: false },
};
const JOBS = {
  full: { jobs: 3_000, rounds: 5 },
  quick: { jobs: 3_000, rounds: 2 },
  smoke: { jobs: 200, rounds: 1 },
};
const MEMORY = {
  full: { sizes: [10_000, 100_000, 1_000_000], calls: 32_000 },
  quick: { sizes: [10_000, 100_000], calls: 32_000 },
  smoke: { sizes: [1_000], calls: 100 },
};
const EVENTS = { full: 10_000, quick: 10_000, smoke: 100 };
const HEAVY_EVENTS = { full: 500, quick: 500, smoke: 20 };

/** Returns `undefined` if help was requested; throws a sentence if an argument is unknown. */
export function readOptions(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean' },
      smoke: { type: 'boolean' },
      only: { type: 'string' },
      against: { type: 'string' },
      'at-least': { type: 'string' },
      sizes: { type: 'string' },
      families: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  const pace = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
  const sizes = values.sizes && { sizes: values.sizes.split(',').map(rowCount) };
  const requested = values.only?.split(',') ?? (values.against === undefined ? ROWS : COMPARED);
  const unknown = requested.filter((name) => !ROWS.some((row) => row === name));
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join(', ')}; rows are ${ROWS.join(', ')}`);
  return {
    against: values.against,
    atLeast: atLeast(values['at-least']),
    comparison: COMPARISONS[pace],
    flags: pace === 'full' ? [] : [`--${pace}`],
    pace: PACES[pace],
    starts: STARTS[pace],
    loadMemory: LOAD_MEMORY[pace],
    months: MONTHS[pace],
    events: EVENTS[pace],
    heavyEvents: HEAVY_EVENTS[pace],
    webhooks: WEBHOOKS[pace],
    neighbors: NEIGHBORS[pace],
    dashboard: DASHBOARD[pace],
    growth: {
      ...GROWTH[pace],
      ...sizes,
      ...(values.families !== undefined && { families: rowCount(values.families) }),
    },
    jobs: JOBS[pace],
    costs: COSTS[pace],
    memory: { ...MEMORY[pace], ...sizes },
    rows: ROWS.filter((row) => requested.includes(row)),
  };
}

function atLeast(text = '0'): number {
  const ratio = Number(text);
  if (!(ratio >= 0)) throw new Error(`${text} is no ratio`);
  return ratio;
}

function rowCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new Error(`${text} is no number of rows`);
  return count;
}
