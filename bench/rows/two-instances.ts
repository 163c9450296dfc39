/** Deliveries per second of two instances on one PostgreSQL, with the share of the two cores that each part uses. */
import { randomBytes } from 'node:crypto';

import type { DurablePostgres } from '../durable-postgres.ts';
import { startKalends } from '../kalends.ts';
import { openDeliveryReceiver } from '../load/delivery-receiver.ts';
import type { SubjectResult } from '../measure.ts';
import { descendantsOf } from '../process-usage.ts';
import { type Verdict, verdictOf } from '../report.ts';
import { cpuOf, ENDPOINTS, type Round, resultOf, startSeeded, waiting } from './delivery-rounds.ts';

const NAME = `Kalends, PostgreSQL, two instances, ${ENDPOINTS} endpoints`;
/** Deliveries per second, of both instances together. */
const RATE = { required: 1_000, outFor: 1_500 };

type Pace = { readonly calendars: number; readonly rounds: number };

export async function twoInstances(
  folder: string,
  { calendars, rounds }: Pace,
  startPostgres: () => Promise<DurablePostgres>,
): Promise<{ readonly result: SubjectResult; readonly verdicts: readonly Verdict[] }> {
  const receiver = await openDeliveryReceiver();
  const databaseUrl = await (await startPostgres()).createDatabase('deliveries');
  const env = { KALENDS_MASTER_KEY: randomBytes(32).toString('base64'), KALENDS_PRIVATE_NETWORK: 'loopback' };
  const one = await startSeeded(folder, { calendars, receiver, databaseUrl, env });
  const other = await startKalends({ folder, databaseUrl, env });
  const servers = [one.process, other.process];
  try {
    const told = await waiting(one, receiver, [other.process]);
    // The first round is a warm-up.
    await told(0, ENDPOINTS);
    const measured: Round[] = [];
    const shares = sharesOf({ servers, postgres: () => descendantsOf(process.pid, servers) });
    for (let round = 1; round <= rounds; round += 1) measured.push(await told(round, ENDPOINTS));
    const result = resultOf(NAME, measured, servers);
    return { result, verdicts: [verdictOf(NAME, { measured: result.rate, unit: '/s' }, RATE), ...shares()] };
  } finally {
    await other.stop();
    await one.stop();
    receiver.close();
  }
}

type Parts = {
  readonly servers: readonly { readonly pid: number }[];
  readonly postgres: () => readonly { readonly pid: number }[];
};

/**
 * Starts measuring. The returned function reports each part's share of one core since then, changing the calendars
 * included.
 */
function sharesOf({ servers, postgres }: Parts): () => Verdict[] {
  const now = () => ({
    at: performance.now(),
    instances: cpuOf(servers) ?? 0,
    PostgreSQL: cpuOf(postgres()) ?? 0,
    receiver: cpuOf([{ pid: process.pid }]) ?? 0,
  });
  const before = now();
  return () => {
    const after = now();
    const seconds = (after.at - before.at) / 1_000;
    return (['instances', 'PostgreSQL', 'receiver'] as const).map((part) => {
      const measured = (after[part] - before[part]) / seconds;
      return verdictOf(`of a core meanwhile, ${part}`, { measured, unit: '%' }, undefined);
    });
  };
}
