/**
 * One, two and four instances on one PostgreSQL: what a request costs them and the database, and which statements wait
 * for a lock. Each instance gets the same number of requests per second, however many instances there are.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../../src/store/drivers/database.ts';
import { startDurablePostgres } from '../durable-postgres.ts';
import { type Kalends, startBeside, startKalends } from '../kalends.ts';
import { type CallSource, runLoad } from '../load/http-load.ts';
import { bearerGet, inTurn, refreshes, TokenQueue, tokensFor } from '../load/oauth-calls.ts';
import { median, type Pace } from '../measure.ts';
import { cpuSeconds } from '../process-usage.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';

const INSTANCES = [1, 2, 4];
/** Several instances need longer than one until their code is compiled as in normal operation. */
const WARM_UPS = 5;
/** The share of the highest total rate that the load uses, because all instances share a core. */
const SHARE_OF_MOST = 0.7;
const FLAT = { required: 1.1, outFor: 1.1 };
/** PostgreSQL logs every wait for a lock that is longer than this. */
const LOCK_MS = 10;
const FLAGS = ['-c', `deadlock_timeout=${LOCK_MS}ms`, '-c', 'log_lock_waits=on'];
/** The longest time until an idle connection reports its statistics. */
const TOLD_MS = 11_000;

type Instance = { readonly port: number; readonly pid: number };

export async function instancesRow(folder: string, pace: Pace): Promise<RowReport> {
  const postgres = await startDurablePostgres(FLAGS);
  const stops: (() => Promise<void>)[] = [];
  try {
    const databaseUrl = await postgres.createDatabase('instances');
    const first = await startKalends({ folder, databaseUrl });
    stops.push(first.stop);
    const instances: Instance[] = [{ port: first.port, pid: first.process.pid }];
    while (instances.length < Math.max(...INSTANCES)) {
      const { port, process: another } = await startBeside(first, folder, databaseUrl);
      stops.push(another.stop);
      instances.push({ port, pid: another.pid });
    }
    const sources = await sourcesOf(first, pace);
    const verdicts: Verdict[] = [];
    for (const [what, source] of Object.entries(sources))
      verdicts.push(...(await measureInstances(what, source, { instances, pace, db: first.stores.db })));
    const waits = lockWaits(postgres.lines().join(''));
    verdicts.push(
      verdictOf(
        `waits for a lock of over ${LOCK_MS} ms${waits[0] === undefined ? '' : `: ${waits[0]}`}`,
        { measured: waits.length, unit: 'waits' },
        { required: 1, outFor: 1 },
      ),
    );
    return { title: 'One, two and four instances on one PostgreSQL', subjects: [], verdicts };
  } finally {
    for (const stop of stops.toReversed()) await stop();
    await postgres.stop();
  }
}

async function sourcesOf(server: Kalends, { users, connections }: Pace): Promise<Record<string, CallSource>> {
  // Every connection must have a token to use.
  const count = Math.max(users, 2 * connections * Math.max(...INSTANCES));
  const tokens = await tokensFor(server, await server.seedCodes(count));
  const queue = new TokenQueue(tokens.map(({ refresh_token }) => refresh_token));
  return {
    refresh: refreshes('/token', queue, server.application),
    'GET /connection-status': inTurn(
      tokens.map(({ access_token }) => bearerGet('/connection-status', access_token)),
    ),
  };
}

/** Returns the statements that waited. */
const lockWaits = (log: string): string[] =>
  [...log.matchAll(/still waiting for .*?STATEMENT: +([^\n]*)/gs)].map(([, text = '']) => text.trim());

type Measured = { readonly instances: readonly Instance[]; readonly pace: Pace; readonly db: Database };

async function measureInstances(what: string, source: CallSource, measured: Measured): Promise<Verdict[]> {
  const { instances, pace, db } = measured;
  const warmUp = { ...pace, seconds: pace.warmUpSeconds * WARM_UPS };
  const most = await load(source, instances, warmUp);
  const perSecond = Math.max(1, Math.floor((most.rate * SHARE_OF_MOST) / instances.length));
  const terms = { ...pace, perSecond };
  const costs = new Map<number, number[]>();
  for (let round = 0; round < pace.rounds; round++)
    for (const count of INSTANCES) {
      const { processor } = await load(source, inTurnFrom(instances, round).slice(0, count), terms);
      costs.set(count, [...(costs.get(count) ?? []), processor]);
    }
  const statements = new Map<number, number>();
  for (const count of INSTANCES) {
    const before = await statementsOf(db);
    const { answers } = await load(source, instances.slice(0, count), terms);
    statements.set(count, ((await statementsOf(db)) - before) / answers);
  }
  const [one = 1] = INSTANCES;
  return INSTANCES.flatMap((count) => {
    const [base, of] = [costs.get(one) ?? [], costs.get(count) ?? []];
    const ratio = median(of.map((cost, round) => cost / (base[round] ?? Number.NaN)));
    const [sentByOne, sent] = [statements.get(one) ?? Number.NaN, statements.get(count) ?? Number.NaN];
    const limit = count === one ? undefined : FLAT;
    const name = `${what}, instances ${count}, ${perSecond}/s each`;
    return [
      verdictOf(
        `${name}: processor ${median(of).toFixed(0)} µs`,
        { measured: ratio, unit: '× as much' },
        limit,
      ),
      verdictOf(
        `${name}: ${sent.toFixed(3)} statements`,
        { measured: sent / sentByOne, unit: '× as much' },
        limit,
      ),
    ];
  });
}

/**
 * A different instance comes first in each round: one that always ran alone would be compiled better than the others.
 */
const inTurnFrom = <T>(all: readonly T[], round: number): T[] => {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

type Load = Pick<Pace, 'connections' | 'seconds'> & { readonly perSecond?: number };

async function load(source: CallSource, instances: readonly Instance[], terms: Load) {
  const used = () => instances.reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? Number.NaN), 0);
  const before = used();
  const { connections, seconds, perSecond } = terms;
  const each = { connections, seconds, perSecond, expectedStatus: 200 };
  const results = await Promise.all(instances.map(({ port }) => runLoad({ port, ...each }, source)));
  const answers = results.reduce((sum, result) => sum + result.answers, 0);
  return { answers, rate: answers / seconds, processor: ((used() - before) * 1e6) / answers };
}

/** Transactions: all but a few statements of requests are one each. */
async function statementsOf(db: Database): Promise<number> {
  await sleep(TOLD_MS);
  const row = await db.get<{ statements: number }>(
    `SELECT (xact_commit + xact_rollback)::float8 AS "statements" FROM pg_stat_database WHERE datname = current_database()`,
  );
  return row?.statements ?? Number.NaN;
}
