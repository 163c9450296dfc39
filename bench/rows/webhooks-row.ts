/**
 * Deliveries per second, from waiting changes to a receiver on this machine, beside undici sending the same signed
 * bytes; and how long a change takes from a provider with push notifications to the receiver.
 */
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import type { DurablePostgres } from '../durable-postgres.ts';
import { type DeliveryReceiver, openDeliveryReceiver } from '../load/delivery-receiver.ts';
import type { SubjectResult } from '../measure.ts';
import { spawnPeer } from '../peer-process.ts';
import type { SendRequest } from '../peers/bare-sender.ts';
import type { ServerProcess } from '../pinned-process.ts';
import { type RowReport, reportOf, verdictOf } from '../report.ts';
import { ENDPOINTS, measureOnce, type Round, resultOf, startSeeded, waiting } from './delivery-rounds.ts';
import { type PushPace, pushLatency } from './push-latency.ts';
import { twoInstances } from './two-instances.ts';

export type WebhookPace = PushPace & { readonly calendars: number; readonly rounds: number };

/** The number of connections that Kalends uses to one host. */
const CONNECTIONS = 16;

const ONE = 'Kalends, SQLite, one endpoint';
const ALL = `Kalends, SQLite, ${ENDPOINTS} endpoints`;
const BARE = 'undici, the same signed bytes';
/** Deliveries per second. */
const RATE = { required: 500, outFor: 1_500 };

export async function webhooksRow(
  folder: string,
  pace: WebhookPace,
  startPostgres: () => Promise<DurablePostgres>,
): Promise<RowReport> {
  const rates = await deliveryRates(await mkdtemp(path.join(folder, 'webhooks-')), pace);
  const pushed = await pushLatency(await mkdtemp(path.join(folder, 'pushes-')), pace);
  const comparisons = [{ ours: ALL, theirs: BARE, unit: '%', required: 0.25, outFor: 0.25 }] as const;
  const title = 'Webhook deliveries to a receiver on this machine';
  const together = await twoInstances(await mkdtemp(path.join(folder, 'instances-')), pace, startPostgres);
  const report = reportOf({ title, comparisons }, [...rates, together.result]);
  const perSecond = rates
    .slice(0, 2)
    .map(({ name, rate }) => verdictOf(name, { measured: rate, unit: '/s' }, RATE));
  return { ...report, verdicts: [...report.verdicts, ...perSecond, ...together.verdicts, ...pushed] };
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
      resultOf(name, all, name === BARE ? [sender] : [server.process]),
    );
  } finally {
    await server.stop();
    await sender.stop();
    receiver.close();
  }
}

async function sent(sender: ServerProcess, receiver: DeliveryReceiver, count: number): Promise<Round> {
  const request: SendRequest = {
    url: receiver.url,
    body: receiver.lastBody(),
    count,
    connections: CONNECTIONS,
  };
  return measureOnce([sender], count, receiver, async () => {
    sender.child.send(request);
    await once(sender.child, 'message');
  });
}
