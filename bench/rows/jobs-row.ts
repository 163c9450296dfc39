/**
 * Due jobs that 2 and 20 takers claim at once on one PostgreSQL: the rate, the longest call after each taker's first, and the
 * calls that fail at each isolation level.
 */
import type { JobStore } from '../../src/jobs/job-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { jobStore } from '../../src/store/jobs/job-store.ts';
import type { DurablePostgres } from '../durable-postgres.ts';
import { median } from '../measure.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';

export type JobsPace = { readonly jobs: number; readonly rounds: number };

const TAKERS = [2, 20];
const CONNECTIONS_OF_TAKER = 2;
const LEVELS = ['read committed', 'repeatable read', 'serializable'];
const LONGEST_MS = { required: 250, outFor: 200 };
const NO_FAILURE = { required: 1, outFor: 1 };
const HOUR_MS = 3_600_000;
const WAIT_MS = 5;

/** Each job has an owner of its own, of one of 30 applications, and every other one a host of its own. */
const FILL = [
  'DELETE FROM job',
  "DELETE FROM job_turn WHERE kind <> ''",
  `INSERT INTO job (kind, key, run_at, attempts, client_id, owner, account_key, host)
   SELECT 'sync-account', 'account-' || n, n, 0, 'application-' || n % 30, 'owner-' || n, 'account-' || n,
          CASE WHEN n % 2 = 0 THEN '' ELSE 'host-' || n || '.example' END FROM generate_series(1, :jobs) AS n`,
  `INSERT INTO job_turn (kind, turn_at, client_id, owner, host) SELECT kind, run_at, client_id, owner, host FROM job`,
];

export async function jobsRow(
  { jobs, rounds }: JobsPace,
  postgres: () => Promise<DurablePostgres>,
): Promise<RowReport> {
  const databaseUrl = await (await postgres()).createDatabase('jobs');
  const db = openPostgres(databaseUrl, CONNECTIONS_OF_TAKER);
  const verdicts: Verdict[] = [];
  try {
    await migrate(db, Date.now, async () => {});
    for (const level of LEVELS) {
      const measured = new Map<number, Measured[]>(TAKERS.map((count) => [count, []]));
      for (let round = 0; round < rounds; round++)
        for (const count of TAKERS) {
          const takers = await openTakers(atLevel(databaseUrl, level), count);
          try {
            // New connections read the catalog and plan each statement.
            await takeAll(takers, await fill(db, jobs));
            measured.get(count)?.push(await takeAll(takers, await fill(db, jobs)));
          } finally {
            await Promise.all(takers.map((taker) => taker.close()));
          }
        }
      verdicts.push(...verdictsOf(level, measured));
    }
  } finally {
    await db.close();
  }
  return { title: `${jobs} due jobs and owners, claimed ten at a time`, subjects: [], verdicts };
}

/** Returns the number of due jobs. */
async function fill(db: Database, jobs: number): Promise<number> {
  for (const sql of FILL) await db.change(sql, { jobs });
  await db.all('VACUUM ANALYZE job, job_turn');
  return jobs;
}

function atLevel(databaseUrl: string, level: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`);
  return url.href.replaceAll('+', '%20');
}

type Measured = { readonly rate: number; readonly longestMs: number; readonly failures: number };

async function openTakers(url: string, count: number): Promise<Database[]> {
  const takers = Array.from({ length: count }, () => openPostgres(url, CONNECTIONS_OF_TAKER));
  await Promise.all(takers.map((db) => Promise.all([1, 2].map(() => db.get('SELECT 1 AS "one"')))));
  return takers;
}

async function takeAll(takers: readonly Database[], jobs: number): Promise<Measured> {
  let [left, longestMs, failures] = [jobs, 0, 0];
  const begun = performance.now();
  const takeInTurn = async (store: JobStore, taker: number) => {
    for (let call = 0; left > 0; call++) {
      const started = performance.now();
      const taken = await takeTen(store, `${taker} ${call}`);
      if (call > 0) longestMs = Math.max(longestMs, performance.now() - started);
      if (taken === undefined) failures += 1;
      left -= taken ?? 0;
      // Others have the last jobs, and their calls have not returned yet.
      if (!taken) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  };
  await Promise.all(takers.map((db, taker) => takeInTurn(jobStore(db), taker)));
  return { rate: jobs / ((performance.now() - begun) / 1000), longestMs, failures };
}

/** Returns how many jobs were claimed; `undefined` if the call failed. */
async function takeTen(store: JobStore, holder: string): Promise<number | undefined> {
  const now = Date.now();
  const terms = {
    ...{
      holder,
      kinds: ['sync-account', 'sync-calendar'] as const,
      limit: 10,
      now,
      leaseUntil: now + HOUR_MS,
    },
    most: { slots: 48, share: 1 / 2, ofOwner: 4, ofAccount: 2, ofHost: 8, ofOwnerAtHost: 2 },
    ...{ running: [], abandoned: [] },
  };
  return store.take(terms).then(
    ({ jobs }) => jobs.length,
    () => undefined,
  );
}

function verdictsOf(level: string, measured: ReadonlyMap<number, readonly Measured[]>): Verdict[] {
  const rates = [...measured.values()].map((rounds) => median(rounds.map(({ rate }) => rate)));
  const verdicts = [...measured].flatMap(([count, rounds], index) => {
    const name = `${level}, ${count} takers`;
    const longest = Math.max(...rounds.map(({ longestMs }) => longestMs));
    const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
    return [
      verdictOf(`${name}: jobs`, { measured: rates[index] ?? Number.NaN, unit: '/s' }, undefined),
      verdictOf(`${name}: longest call`, { measured: longest, unit: 'ms' }, LONGEST_MS),
      verdictOf(`${name}: failures`, { measured: failures, unit: 'failures' }, NO_FAILURE),
    ];
  });
  const [few = Number.NaN, many = Number.NaN] = rates;
  const ratio = { measured: many / few, unit: '×' } as const;
  return [
    ...verdicts,
    verdictOf(`${level}: ${TAKERS.toReversed().join(' / ')} takers`, ratio, { required: 1, outFor: 1.5 }),
  ];
}
