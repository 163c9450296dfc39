/** Measured rounds of deliveries: calendars change while delivery is paused, and then everything is sent. */
import { setTimeout as sleep } from 'node:timers/promises';

import { addEndpoint } from '../../src/webhooks/endpoints.ts';
import { type Kalends, type KalendsOptions, startKalends } from '../kalends.ts';
import type { DeliveryReceiver } from '../load/delivery-receiver.ts';
import { tokensFor } from '../load/oauth-calls.ts';
import { ratesOf, type SubjectResult } from '../measure.ts';
import { changeCalendars, meeting, seedUser } from '../mirror-seed.ts';
import type { ServerProcess } from '../pinned-process.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';

export const ENDPOINTS = 8;
const EVENTS_OF_EACH = 20;

/** Deliveries per second, and processor time of one. */
export type Round = { readonly rate: number; readonly cpuMicroseconds: number | undefined };

export type Seed = { readonly calendars: number; readonly receiver: DeliveryReceiver } & Pick<
  KalendsOptions,
  'databaseUrl' | 'env'
>;

/**
 * Starts a server. Each user has one calendar and a grant, and each endpoint receives every change. No calendar server
 * is called.
 */
export async function startSeeded(
  folder: string,
  { calendars, receiver, databaseUrl, env }: Seed,
): Promise<Kalends> {
  const server = await startKalends({
    folder,
    databaseUrl,
    env: { ...env, KALENDS_PRIVATE_NETWORK: 'loopback' },
    seed: async (stores, { clientId }) => {
      for (let i = 0; i < ENDPOINTS; i += 1) {
        const hears = { events: true, calendars: false, connections: false, own: false };
        const url = `${receiver.url}/${i}`;
        await addEndpoint({ clientId, url, hears, shared: false }, { ...stores, by: undefined });
      }
      const events = Array.from({ length: EVENTS_OF_EACH }, (_, i) => meeting(i));
      for (let i = 0; i < calendars; i += 1)
        await seedUser(stores, { clientId, userId: `user-${i}` }, events);
      await stores.db.write('DELETE FROM job');
    },
  });
  await tokensFor(server, await server.seedCodes(calendars));
  // As a database does by itself within a minute.
  await server.stores.db.write('ANALYZE');
  return server;
}

/**
 * Prepares rounds. Each changes every calendar while endpoints are paused, resumes `count` of them, and measures until
 * all changes are delivered.
 */
export async function waiting(
  { stores, process, application: { clientId } }: Kalends,
  receiver: DeliveryReceiver,
  others: readonly ServerProcess[] = [],
) {
  const { db, endpoints } = stores;
  const ids = (await endpoints.listEndpoints(clientId)).map(({ endpointId }) => endpointId);
  const rows = await db.all<{ key: string }>('SELECT calendar_key AS "key" FROM calendar');
  const keys = rows.map(({ key }) => key);
  return async (round: number, count: number): Promise<Round> => {
    // Deliveries left over from creating the calendars would count toward this round.
    while ((await db.get(UNTOLD)) !== undefined) await sleep(100);
    for (const id of ids) await endpoints.pauseEndpoint(id, Date.now(), undefined);
    await changeCalendars(stores, keys, meeting(0, `Moved ${round} ${count}`));
    await db.write('DELETE FROM job');
    await db.write('UPDATE webhook_stream SET due_at = 1 WHERE due_at = 0 AND lease_holder IS NULL');
    return measureOnce([process, ...others], keys.length * count, receiver, async () => {
      for (const id of ids.slice(0, count)) await endpoints.resumeEndpoint(id, undefined);
    });
  };
}

const UNTOLD = `
  SELECT s.stream_id FROM webhook_stream s JOIN webhook_endpoint e ON e.endpoint_id = s.endpoint_id AND e.state = 'active'
   WHERE s.due_at IS NOT NULL LIMIT 1`;

/** Measures from the first delivery that arrives to the last. */
export async function measureOnce(
  processes: readonly ServerProcess[],
  count: number,
  receiver: DeliveryReceiver,
  start: () => Promise<void>,
): Promise<Round> {
  const arrivals = receiver.next(count);
  const before = cpuOf(processes);
  await start();
  const times = await arrivals;
  const after = cpuOf(processes);
  const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const used = before === undefined || after === undefined ? undefined : after - before;
  return {
    rate: ((count - 1) * 1_000) / took,
    cpuMicroseconds: used === undefined ? undefined : (used * 1e6) / count,
  };
}

/** Returns seconds of processor time, of all the processes together. */
export function cpuOf(processes: readonly Pick<ServerProcess, 'pid'>[]): number | undefined {
  const each = processes.map(({ pid }) => cpuSeconds(pid));
  return each.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

export function resultOf(
  name: string,
  rounds: readonly Round[],
  [first]: readonly ServerProcess[],
): SubjectResult {
  return {
    name,
    ...ratesOf(rounds),
    p50: undefined,
    p99: undefined,
    residentMegabytes: first && residentMegabytes(first.pid),
  };
}
