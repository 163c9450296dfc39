/** A calendar server whose application has a receiver, and whose deliveries a test works when it wants. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createWakeUp } from '../../src/jobs/wake-up.ts';
import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { createSealer, type Sealer } from '../../src/lib/sealing.ts';
import { busyIds } from '../../src/reading/event-text.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { type DeliveryWorkerDeps, sendReplay, workTurn } from '../../src/webhooks/delivery-worker.ts';
import type { EndpointStore } from '../../src/webhooks/endpoint-store.ts';
import { openWebhookSigner, type WebhookSigner } from '../../src/webhooks/webhook-signer.ts';
import { event, resource } from '../contract/mirror-rows.ts';
import { takeTerms } from '../contract/take-terms.ts';
import {
  type CalendarServer,
  type CalendarServerOptions,
  makeUsers,
  openCalendarServer,
} from '../harness/calendar-server.ts';
import { openReceiver, type Received, type Receiver } from './receiver.ts';

export type DeliveryServer = {
  readonly server: CalendarServer;
  readonly receiver: Receiver;
  readonly sealer: Sealer;
  readonly deps: DeliveryWorkerDeps & {
    readonly webhookSigner: WebhookSigner;
    readonly endpoints: EndpointStore;
  };
  /** Works all that is due at the clock's time, with what was noted before. Answers how many turns that took. */
  deliver(): Promise<number>;
  /** Sends the resends that were requested. Returns how many they were. */
  resend(): Promise<number>;
  /** Syncs everything of Ada's as a reader would, which is what polling does. */
  sync(): Promise<void>;
  close(): Promise<void>;
};

type DeliveryServerOptions = {
  readonly db?: Database;
  readonly egress?: Egress;
  /** More options of the calendar server. */
  readonly server?: CalendarServerOptions;
};

/** `acme` has the receiver as its webhook URL. `db` is a database of its own. */
export async function openDeliveryServer(options: DeliveryServerOptions = {}): Promise<DeliveryServer> {
  const sealer = createSealer(randomBytes(32));
  const server = await openCalendarServer({
    sealer,
    ...(options.db && { db: options.db }),
    ...options.server,
  });
  if (options.db !== undefined) await makeUsers(server.deps, server.clock.now);
  const receiver = await openReceiver();
  const { clock, log } = server;
  const webhookSigner = await openWebhookSigner({ ...server.deps, sealer });
  const egress = options.egress ?? createEgress({ privateNetwork: { mode: 'loopback' } });
  const deps = {
    ...server.deps,
    webhookEgress: egress,
    webhookSigner,
    busyId: busyIds(server.deps.pagingKey),
    deliveryWakeUp: createWakeUp(),
    log,
  };
  await server.deps.clients.updateClient(
    'acme',
    { webhookUrl: receiver.url },
    { now: clock.now, by: undefined },
  );

  const deliver = async () => {
    let turns = 0;
    for (;;) {
      await deps.streams.scheduleChanged(clock.now);
      const taken = await deps.streams.takeStreams(takeTerms(clock.now));
      if (taken.length === 0) return turns;
      await Promise.all(taken.map((stream) => workTurn(stream, deps, () => false)));
      turns += taken.length;
    }
  };
  const resend = async () => {
    const taken = await deps.messages.takeReplays(takeTerms(clock.now));
    await Promise.all(taken.map((replay) => sendReplay(replay, deps)));
    return taken.length;
  };
  const sync = async () => {
    clock.now += 61_000;
    for (const { accountKey } of await server.deps.accounts.listAccounts('acme', 'ada')) {
      await server.deps.sync.syncList(accountKey, clock.now);
      for (const { calendarKey } of await server.deps.mirror.listCalendars(accountKey))
        await server.deps.sync.syncCalendar(calendarKey, clock.now);
    }
  };
  const close = async () => {
    await egress.close();
    receiver.close();
    await server.close();
  };
  return { server, receiver, sealer, deps, deliver, resend, sync, close };
}

/** Changes the event of `/work/` to this title, and returns what the receiver got. */
export async function deliverChange(telling: DeliveryServer, title: string): Promise<Received> {
  const { server, receiver } = telling;
  receiver.received.length = 0;
  server.provider.put('/work/', resource('a', event('2026-11-20T09:00:00', { title })));
  await telling.sync();
  await telling.deliver();
  const [received] = receiver.received;
  assert.ok(received !== undefined);
  return received;
}
