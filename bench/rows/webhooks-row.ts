/**
 * Deliveries a second, from changes that wait to a receiver on this machine, beside undici sending the same signed bytes;
 * and how long a change at a provider that tells of it takes to the receiver.
 */
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { addEndpoint } from '../../src/webhooks/endpoints.ts';
import { type Kalends, startKalends } from '../kalends.ts';
import { type DeliveryReceiver, openDeliveryReceiver } from '../load/delivery-receiver.ts';
import { tokensFor } from '../load/oauth-calls.ts';
import { median, type SubjectResult } from '../measure.ts';
import { changeCalendars, meeting, seedUser } from '../mirror-seed.ts';
import { spawnPeer } from '../peer-process.ts';
import type { SendRequest } from '../peers/bare-sender.ts';
import type { ServerProcess } from '../pinned-process.ts';
import { cpuSeconds, residentMegabytes } from '../process-usage.ts';
import { type RowReport, reportOf, verdictOf } from '../report.ts';
import { type PushPace, pushLatency } from './push-latency.ts';

export type WebhookPace = PushPace & { readonly calendars: number; readonly rounds: number };

const ENDPOINTS = 8;
/** As many as Kalends has under way to one host. */
const CONNECTIONS = 16;
const EVENTS_OF_EACH = 20;

const ONE = 'Kalends, SQLite, one endpoint';
const ALL = `Kalends, SQLite, ${ENDPOINTS} endpoints`;
const BARE = 'undici, the same signed bytes';
/** Deliveries a second. */
const RATE = { required: 500, outFor: 1_500 };

type Round = { readonly rate: number; readonly cpuMicroseconds: number | undefined };

export async function webhooksRow(folder: string, pace: WebhookPace): Promise<RowReport> {
  const rates = await deliveryRates(await mkdtemp(path.join(folder, 'webhooks-')), pace);
  const pushed = await pushLatency(await mkdtemp(path.join(folder, 'pushes-')), pace);
  const comparisons = [{ ours: ALL, theirs: BARE, unit: '%', required: 0.25, outFor: 0.25 }] as const;
  const title = 'Webhook deliveries to a receiver on this machine';
  const report = reportOf({ title, comparisons }, rates);
  const perSecond = rates
    .slice(0, 2)
    .map(({ name, rate }) => verdictOf(name, { measured: rate, unit: '/s' }, RATE));
  return { ...report, verdicts: [...report.verdicts, ...perSecond, ...pushed] };
}

async function deliveryRates(
  folder: string,
  { calendars, rounds }: WebhookPace,
): Promise<readonly SubjectResult[]> {
  const receiver = await openDeliveryReceiver();
  const sender = spawnPeer('bare-sender');
  await once(sender.child, 'message');
  const server = await startSeeded(folder, { calendars, receiver });
  try {
    const told = await waiting(server, receiver);
    const measured: Record<string, Round[]> = { [ONE]: [], [ALL]: [], [BARE]: [] };
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      const result = {
        [ONE]: await told(round, 1),
        [ALL]: await told(round, ENDPOINTS),
        [BARE]: await sent(sender, receiver, calendars * ENDPOINTS),
      };
      if (round > 0) for (const [name, one] of Object.entries(result)) measured[name]?.push(one);
    }
    return Object.entries(measured).map(([name, all]) =>
      resultOf(name, all, name === BARE ? sender : server.process),
    );
  } finally {
    await server.stop();
    await sender.stop();
    receiver.close();
  }
}

type Seed = { readonly calendars: number; readonly receiver: DeliveryReceiver };

/** Each user has one calendar and a grant, and each endpoint hears of all. Calendar servers are asked nothing. */
async function startSeeded(folder: string, { calendars, receiver }: Seed): Promise<Kalends> {
  const server = await startKalends({
    folder,
    env: { KALENDS_PRIVATE_NETWORK: 'loopback' },
    seed: async (stores, { clientId }) => {
      for (let i = 0; i < ENDPOINTS; i += 1) {
        const hears = { events: true, calendars: false, connections: false, own: false };
        const url = `${receiver.url}/${i}`;
        await addEndpoint({ clientId, url, hears, shared: false }, stores);
      }
      const events = Array.from({ length: EVENTS_OF_EACH }, (_, i) => meeting(i));
      for (let i = 0; i < calendars; i += 1)
        await seedUser(stores, { clientId, userId: `user-${i}` }, events);
      await stores.db.write('DELETE FROM job');
    },
  });
  await tokensFor(server, await server.seedCodes(calendars));
  return server;
}

/** Changes every calendar while nothing may be sent, lets so many endpoints go, and measures until all were told. */
async function waiting({ stores, process, application: { clientId } }: Kalends, receiver: DeliveryReceiver) {
  const { db, endpoints } = stores;
  const ids = (await endpoints.listEndpoints(clientId)).map(({ endpointId }) => endpointId);
  const rows = await db.all<{ key: string }>('SELECT calendar_key AS "key" FROM calendar');
  const keys = rows.map(({ key }) => key);
  return async (round: number, count: number): Promise<Round> => {
    for (const id of ids) await endpoints.pauseEndpoint(id, Date.now());
    await changeCalendars(stores, keys, meeting(0, `Moved ${round} ${count}`));
    await db.write('DELETE FROM job');
    await db.write('UPDATE webhook_stream SET due_at = 1 WHERE due_at = 0 AND lease_holder IS NULL');
    return measureOnce(process, keys.length * count, receiver, async () => {
      for (const id of ids.slice(0, count)) await endpoints.resumeEndpoint(id);
    });
  };
}

async function sent(sender: ServerProcess, receiver: DeliveryReceiver, count: number): Promise<Round> {
  const request: SendRequest = {
    url: receiver.url,
    body: receiver.lastBody(),
    count,
    connections: CONNECTIONS,
  };
  return measureOnce(sender, count, receiver, async () => {
    sender.child.send(request);
    await once(sender.child, 'message');
  });
}

/** From the first that arrives to the last. */
async function measureOnce(
  { pid }: ServerProcess,
  count: number,
  receiver: DeliveryReceiver,
  start: () => Promise<void>,
): Promise<Round> {
  const arrivals = receiver.next(count);
  const before = cpuSeconds(pid);
  await start();
  const times = await arrivals;
  const after = cpuSeconds(pid);
  const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const used = before === undefined || after === undefined ? undefined : after - before;
  return {
    rate: ((count - 1) * 1_000) / took,
    cpuMicroseconds: used === undefined ? undefined : (used * 1e6) / count,
  };
}

function resultOf(name: string, rounds: readonly Round[], { pid }: ServerProcess): SubjectResult {
  const cpu = rounds.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? []);
  return {
    name,
    rates: rounds.map(({ rate }) => rate),
    rate: median(rounds.map(({ rate }) => rate)),
    cpuMicroseconds: cpu.length === 0 ? undefined : median(cpu),
    p50: undefined,
    p99: undefined,
    residentMegabytes: residentMegabytes(pid),
  };
}
