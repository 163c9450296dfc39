/** Sends due work to endpoints, several at a time: changes by stream, and resends. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WakeUp } from '../jobs/wake-up.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { SlotCounts, type SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import { WorkSlots } from '../lib/fair-slots/work-slots.ts';
import type { Log } from '../lib/log.ts';
import { type DeliverDeps, deliverNext } from './deliver-stream.ts';
import type { Attempt, TakenStream } from './message.ts';
import type { MessageLog, TakenReplay } from './message-log.ts';
import { OPEN_AFTER } from './retry-schedule.ts';
import { type SendDeps, sendMessage } from './send-message.ts';
import type { StreamStore, TakeTerms } from './stream-store.ts';
import { type VisibleBodyDeps, visibleBody } from './visible-body.ts';

export type DeliveryWorkerDeps = DeliverDeps &
  ReplayDeps & {
    /** Notified when a stream becomes due or a resend is requested in this process. */
    readonly deliveryWakeUp: WakeUp;
    readonly slots?: SlotListener | undefined;
    readonly log: Pick<Log, 'error'>;
    /** Returns the time, in milliseconds, that measures how quickly origins respond; by default `performance.now`. */
    readonly paceNow?: () => number;
    /** Runs the work as part of the stream's trace. */
    readonly deliveryInTrace?: DeliveryInTrace | undefined;
  };

type DeliveryInTrace = <T>(stream: TakenStream, work: () => Promise<T>) => Promise<T>;

const UNTRACED: DeliveryInTrace = (_stream, work) => work();

/** `stop` claims nothing more and waits for running work. */
export type DeliveryWorker = { stop(): Promise<void> };

/** An edit that a provider reports three times then becomes one message. */
const SETTLE_MS = 250;
/** An attempt takes at most 15 s. A stream continues while there is time for another one. */
export const LEASE_MS = 32_000;
const ATTEMPT_MS = 16_000;
/** Other streams of the endpoint wait for the slot. */
const MOST_IN_TURN = 10;
/** One application can use half of the slots. */
const DELIVERY_SLOTS = { slots: 128, share: 1 / 2 };
const RESEND_SLOTS = { slots: 16, share: 1 / 2 };
const DELIVERIES_OF_ENDPOINT = 8;
const RESENDS_OF_ENDPOINT = 2;
/** With more streams in progress, claims are this far apart, so that several streams share a query and a commit. */
const FEW_TURNS = 16;
const TAKE_EVERY_MS = 10;
/** The delay until work from another instance is seen. */
const LOOK_EVERY_MS = 1_000;
const AFTER_FAULT_MS = 5_000;

/** An application's concurrent requests to one origin, at any pace. */
export const OF_APPLICATION_AT_ORIGIN = 16;

/** The limits of requests to receivers, for `createEgress`. */
export const RECEIVER_LIMITS = { ofClientAtHost: OF_APPLICATION_AT_ORIGIN };

export function startDeliveries(given: DeliveryWorkerDeps): DeliveryWorker {
  const { streams, messages, now, log, deliveryWakeUp, slots: listener } = given;
  const pace = originPace(given.webhookEgress, given.paceNow);
  const deps = { ...given, webhookEgress: pace.egress };
  // Counts deliveries and resends together.
  const shared = new SlotCounts({ ofClientAtHost: pace.most });
  const deliveries = new WorkSlots('delivery', DELIVERY_SLOTS, { shared, listener });
  const resends = new WorkSlots('resend', RESEND_SLOTS, { shared, listener });
  const running = new Set<Promise<void>>();
  let isStopped = false;

  // A resend whose attempt could not be logged is sent again after its lease.
  const noteFault = (err: unknown) =>
    log.error({ event: 'delivery_fault', err }, 'A delivery failed with an internal error');
  const run = (slots: WorkSlots, place: SlotPlace, work: Promise<void>): void => {
    const turn = work.catch(noteFault).finally(() => {
      running.delete(turn);
      slots.remove(place);
      deliveryWakeUp.notify();
    });
    running.add(turn);
  };
  const buildTakeTerms = (slots: WorkSlots, ofEndpoint: number): TakeTerms => {
    const lease = { holder: randomUUID(), now: now(), leaseUntil: now() + LEASE_MS };
    return { ...lease, slots, ofEndpoint, openAfter: OPEN_AFTER };
  };

  const takeDeliveries = async (): Promise<void> => {
    const claimed = await streams.takeStreams(buildTakeTerms(deliveries, DELIVERIES_OF_ENDPOINT));
    for (const stream of claimed)
      run(
        deliveries,
        stream.place,
        workTurn(stream, deps, () => isStopped),
      );
  };
  const takeResends = async (): Promise<void> => {
    const claimed = await messages.takeReplays(buildTakeTerms(resends, RESENDS_OF_ENDPOINT));
    for (const replay of claimed) run(resends, replay.place, sendReplay(replay, deps));
  };

  /** Starts due work. Returns the milliseconds until the next look without a wake-up. */
  const startDue = async (): Promise<number> => {
    const lookedAt = now();
    // Run together to share a commit. If one fails, the claims of the others still start.
    await Promise.all([streams.scheduleChanged(lookedAt + SETTLE_MS), takeDeliveries(), takeResends()]);
    const next = (await streams.nextDueAt()) ?? Number.POSITIVE_INFINITY;
    // Due work that was not claimed waits for running work to end.
    if (next <= lookedAt) return LOOK_EVERY_MS;
    return Math.min(Math.max(next - now(), 0), LOOK_EVERY_MS);
  };

  const work = async (): Promise<void> => {
    let takesAgainAt = 0;
    while (!isStopped) {
      const early = takesAgainAt - performance.now();
      if (running.size > FEW_TURNS && early > 0) await sleep(early);
      takesAgainAt = performance.now() + TAKE_EVERY_MS;
      const wait = await startDue().catch((err: unknown) => {
        log.error({ event: 'deliveries_unreachable', err }, 'Due deliveries could not be read');
        return AFTER_FAULT_MS;
      });
      if (!isStopped) await deliveryWakeUp.wait(wait);
    }
    await Promise.all(running);
  };

  const ended = work();
  return {
    stop() {
      isStopped = true;
      deliveryWakeUp.notify();
      return ended;
    },
  };
}

export type TurnDeps = DeliverDeps & Pick<DeliveryWorkerDeps, 'log' | 'deliveryInTrace'>;

/** Works on a leased stream, message by message, while time remains and more waits. Never throws. */
export async function workTurn(stream: TakenStream, deps: TurnDeps, isStopped: () => boolean): Promise<void> {
  const { leaseUntil, streamId } = stream;
  const { deliveryInTrace = UNTRACED } = deps;
  let current: TakenStream | undefined = stream;
  try {
    for (let count = 0; current !== undefined; count += 1) {
      const hasTime = count < MOST_IN_TURN && deps.now() < leaseUntil - ATTEMPT_MS && !isStopped();
      if (!hasTime) {
        await deps.streams.passOver(current, current.delivered, true);
        return;
      }
      const next: TakenStream = current;
      current = await deliveryInTrace(next, () => deliverNext(next, deps));
    }
  } catch (err) {
    // After its lease, the stream is claimed again.
    deps.log.error({ event: 'delivery_fault', err, streamId }, 'A delivery failed with an internal error');
  }
}

export type ReplayDeps = SendDeps &
  VisibleBodyDeps &
  Pick<DeliverDeps, 'activityNotes'> & {
    readonly messages: MessageLog;
    readonly streams: Pick<StreamStore, 'narrowMessage'>;
  };

/** Sends a claimed resend and logs the attempt. If the database fails, the resend repeats after its lease. */
export async function sendReplay(replay: TakenReplay, deps: ReplayDeps): Promise<void> {
  const { messages, activityNotes, now } = deps;
  const { messageId, clientId, place } = replay;
  const body = await bodyToReplay(replay, deps);
  const attempt =
    body === undefined ? withheld(now()) : (await sendMessage({ ...replay, body }, deps)).attempt;
  if (body !== undefined)
    activityNotes.addAttempt({ clientId, endpointId: place.owner }, attempt.fault !== undefined);
  await messages.settleReplay(messageId, attempt, now());
}

/** Returns and stores the body reduced to what is visible now; `undefined` if no grant makes it visible. */
async function bodyToReplay(replay: TakenReplay, deps: ReplayDeps): Promise<string | undefined> {
  const visible = await visibleBody(replay, deps);
  if (visible !== undefined && visible !== replay.body)
    await deps.streams.narrowMessage(replay.messageId, 'busy', visible);
  return visible;
}

const withheld = (now: number): Attempt => ({
  startedAt: now,
  durationMs: 0,
  status: undefined,
  fault: 'No grant covers its account any more',
  answer: undefined,
});

const QUICK_MS = 250;
/** The maximum of origins remembered as quick, over all applications. */
const MOST_QUICK = 1_000;

/** Returns an egress that measures responses, and the limit from each origin's last one. `now` is in milliseconds. */
export function originPace(egress: Egress, now = () => performance.now()) {
  const quick = new Set<string>();
  const toOriginKey = (clientId: string, origin: string) => `${clientId} ${origin}`;
  return {
    /** A delivery also uses the database before and after its request, so more of them keep the requests going. */
    most: ({ clientId, host }: SlotPlace): number =>
      quick.has(toOriginKey(clientId, host)) ? Number.POSITIVE_INFINITY : OF_APPLICATION_AT_ORIGIN,
    egress: {
      ...egress,
      async request(request) {
        const key = toOriginKey(request.clientId ?? '', URL.parse(String(request.url))?.origin ?? '');
        const from = now();
        try {
          return await egress.request(request);
        } finally {
          quick.delete(key);
          if (now() - from < QUICK_MS) quick.add(key);
          const [oldest = ''] = quick;
          if (quick.size > MOST_QUICK) quick.delete(oldest);
        }
      },
    } satisfies Egress,
  };
}
