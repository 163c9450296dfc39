/**
 * The cost of the work of one request or job if its tables have ten thousand rows, and if they have a thousand times as
 * many. Every size is a separate database, and the databases take turns: only ratios within a round count.
 */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage, type Stores } from '../../src/start/open-storage.ts';
import type { DurablePostgres } from '../durable-postgres.ts';
import { type Cost, costOf, levelsOf, repeat, type Visits, visitsOf } from '../growth/cost.ts';
import { type Filling, fillGrowth } from '../growth/fill-growth.ts';
import { WORKS, type Work, type WorkName, worksOn } from '../growth/growth-work.ts';
import { kalendsEnvironment } from '../kalends.ts';
import { median } from '../measure.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';

export type GrowthPace = {
  /** Rows of each table, the smallest first; the second is what the others are compared with. */
  readonly sizes: readonly number[];
  /** Token families of one more database, which has nothing else. */
  readonly families: number;
  /** Pieces of work before the first measurement, so that pages are as they are after a while. */
  readonly warmUp: number;
  /** Pieces of work of one measurement. */
  readonly count: number;
  readonly rounds: number;
};

/** The maximum ratio to the second size. */
const FLAT = 1.2;
/** The table whose tree SQLite searches for each kind of work. */
const TABLES: Readonly<Record<WorkName, string>> = {
  refresh: 'token_family',
  Bearer: 'token_family',
  listing: 'event_by_time',
  sync: 'event',
  'job taking': 'job_turn_by_time',
};
/** Slower kinds of work: one piece is measured for this many pieces of the others. */
const FEWER: Readonly<Record<WorkName, number>> = {
  refresh: 1,
  Bearer: 1,
  listing: 4,
  sync: 4,
  'job taking': 10,
};

type Sized = {
  readonly size: number;
  readonly stores: Stores;
  readonly works: ReadonlyMap<WorkName, Work>;
  readonly costs: Map<WorkName, Cost[]>;
};

/** Yields the report of each database as soon as it is complete. */
export async function* growthRow(
  folder: string,
  pace: GrowthPace,
  postgres: () => Promise<DurablePostgres>,
): AsyncGenerator<RowReport> {
  const ofFile = await mkdtemp(path.join(folder, 'growth-'));
  yield await measureGrowth('SQLite', pace, async (size) => [path.join(ofFile, String(size)), undefined]);
  const server = await postgres();
  yield await measureGrowth('PostgreSQL', pace, async (size) => [
    path.join(ofFile, `postgres-${size}`),
    await server.createDatabase(`growth_${size}`),
  ]);
}

type Place = (size: number) => Promise<[dataDir: string, databaseUrl: string | undefined]>;

async function measureGrowth(name: string, pace: GrowthPace, place: Place): Promise<RowReport> {
  const opened: Sized[] = [];
  try {
    for (const filling of fillingsOf(pace))
      opened.push(await openSized(filling, await place(sizeOf(filling))));
    // This waits until all are filled: a checkpoint meanwhile would make the next change of each page write it whole to
    // the log.
    for (const one of opened) await warmUp(one, pace.warmUp);
    for (let round = 0; round < pace.rounds; round++)
      for (const work of WORKS) for (const one of opened) await measureOnce(one, work, pace.count);
    return {
      title: `Growth on ${name}: µs of the processor (Kalends + database) at each number of rows`,
      subjects: [],
      verdicts: await verdictsOf(name, opened, pace),
    };
  } finally {
    for (const { stores } of opened) await stores.close();
  }
}

const sizeOf = ({ rows, families }: Filling): number => Math.max(rows, families);

const fillingsOf = ({ sizes, families }: GrowthPace): Filling[] => [
  ...sizes.map((rows) => ({ rows, families: rows })),
  ...(families > 0 ? [{ rows: 0, families }] : []),
];

async function openSized(
  filling: Filling,
  [dataDir, databaseUrl]: [string, string | undefined],
): Promise<Sized> {
  const stores = await openStorage(loadConfig(kalendsEnvironment(dataDir, 1, databaseUrl)));
  await fillGrowth(stores, filling, databaseUrl);
  return { size: sizeOf(filling), stores, works: await worksOn(stores, filling), costs: new Map() };
}

const countOf = (work: WorkName, count: number): number => Math.ceil(count / FEWER[work]);

async function warmUp({ works }: Sized, count: number): Promise<void> {
  for (const [name, work] of works) await repeat(work, countOf(name, count));
}

async function measureOnce({ stores, works, costs }: Sized, name: WorkName, count: number): Promise<void> {
  const work = works.get(name);
  if (work === undefined) return;
  const cost = await costOf(stores.db, work, countOf(name, count));
  costs.set(name, [...(costs.get(name) ?? []), cost]);
}

async function verdictsOf(name: string, opened: readonly Sized[], { count }: GrowthPace): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const work of WORKS) {
    const base = opened[1]?.costs.get(work);
    for (const [at, { size, stores, works, costs }] of opened.entries()) {
      const [measured, done] = [costs.get(work), works.get(work)];
      if (base === undefined || measured === undefined || done === undefined) continue;
      const visited =
        name === 'SQLite'
          ? `${await levelsOf(stores.db, TABLES[work])} levels`
          : textOf(await visitsOf(stores.db, done, countOf(work, count)));
      const processor = median(measured.map(({ processor: used }) => used));
      const database = median(measured.map(({ database: used }) => used));
      const figures = `${processor.toFixed(0)} + ${database.toFixed(0)} µs, ${visited}`;
      const ratio = median(measured.map((cost, round) => totalOf(cost) / totalOf(base[round])));
      const limit = at > 1 ? { required: FLAT, outFor: FLAT } : undefined;
      const what = `${work}, ${size.toLocaleString('en')} rows: ${figures}`;
      verdicts.push(verdictOf(what, { measured: ratio, unit: '× as much' }, limit));
    }
  }
  return verdicts;
}

const totalOf = (cost: Cost | undefined): number =>
  cost === undefined ? Number.NaN : cost.processor + cost.database;

const textOf = ({ pages, rows }: Visits): string => `${pages.toFixed(1)} pages, ${rows.toFixed(1)} rows`;
