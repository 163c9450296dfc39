/** Tells endpoints what changed: takes the streams that are due and works several at a time. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { WakeUp } from '../jobs/wake-up.ts';
import type { Log } from '../lib/log.ts';
import { type DeliverDeps, deliverNext } from './deliver-stream.ts';
import type { TakenStream } from './message.ts';
import { type ReplayDeps, replayDue } from './replay.ts';
import { OPEN_AFTER } from './retry-schedule.ts';

export type DeliveryWorkerDeps = DeliverDeps &
  ReplayDeps & {
    /** Notified by the stores when a stream became due in this process. */
    readonly deliveryWakeUp: WakeUp;
    readonly log: Pick<Log, 'error'>;
    /** Works the next message as part of the stream's trace. */
    readonly deliveryInTrace?: DeliveryInTrace | undefined;
  };

type DeliveryInTrace = <T>(stream: TakenStream, work: () => Promise<T>) => Promise<T>;

const UNTRACED: DeliveryInTrace = (_stream, work) => work();

/** `stop` takes no more streams and waits for those under way. */
export type DeliveryWorker = { stop(): Promise<void> };

/** One edit that a provider tells three times is one message. */
const SETTLE_MS = 250;
/** An attempt takes 15 s at most; a stream goes on while there is time for another one. */
export const LEASE_MS = 32_000;
const ATTEMPT_MS = 16_000;
/** Others of the endpoint wait for their turn. */
const MOST_IN_TURN = 10;
const SLOTS = 64;
const OF_ENDPOINT = 8;
/** With more turns under way than these, streams are taken once in so many milliseconds: several share a look and their commits. */
const FEW_TURNS = 16;
const TAKE_EVERY_MS = 10;
/** How soon is seen what another instance made due. */
const LOOK_EVERY_MS = 1_000;
const AFTER_FAULT_MS = 5_000;

/** Starts delivering until stopped. */
export function startDeliveries(deps: DeliveryWorkerDeps): DeliveryWorker {
  const running = new Set<Promise<void>>();
  let isStopped = false;

  const start = (stream: TakenStream): void => {
    const turn = workTurn(stream, deps, () => isStopped).finally(() => {
      running.delete(turn);
      deps.deliveryWakeUp.notify();
    });
    running.add(turn);
  };

  const work = async (): Promise<void> => {
    let takesAgainAt = 0;
    while (!isStopped) {
      const early = takesAgainAt - performance.now();
      if (running.size > FEW_TURNS && early > 0) await sleep(early);
      takesAgainAt = performance.now() + TAKE_EVERY_MS;
      const wait = await takeDue(SLOTS - running.size, start, deps).catch((err: unknown) => {
        deps.log.error({ event: 'deliveries_unreachable', err }, 'The deliveries could not be looked for');
        return AFTER_FAULT_MS;
      });
      if (!isStopped) await deps.deliveryWakeUp.wait(wait);
    }
    await Promise.all(running);
  };

  /** Replays have slots of their own: what is new does not wait behind them. */
  const replay = async (): Promise<void> => {
    while (!isStopped) {
      const sent = await replayDue(deps).catch((err: unknown) => {
        deps.log.error({ event: 'replays_unreachable', err }, 'The replays could not be looked for');
        return 0;
      });
      if (sent === 0 && !isStopped)
        await Promise.race([sleep(LOOK_EVERY_MS, undefined, { ref: false }), stopped.promise]);
    }
  };

  const stopped = Promise.withResolvers<void>();
  const ended = Promise.all([work(), replay()]).then(() => {});
  return {
    stop() {
      isStopped = true;
      stopped.resolve();
      deps.deliveryWakeUp.notify();
      return ended;
    },
  };
}

/** Starts what is due; answers for how many milliseconds there is nothing to do unless somebody notifies. */
async function takeDue(
  free: number,
  start: (stream: TakenStream) => void,
  { streams, now }: DeliveryWorkerDeps,
): Promise<number> {
  await streams.scheduleChanged(now() + SETTLE_MS);
  if (free <= 0) return LOOK_EVERY_MS;
  const taken = await streams.takeStreams({
    holder: randomUUID(),
    now: now(),
    leaseUntil: now() + LEASE_MS,
    limit: free,
    ofEndpoint: OF_ENDPOINT,
    openAfter: OPEN_AFTER,
  });
  for (const stream of taken) start(stream);
  if (taken.length > 0) return 0;
  const next = (await streams.nextDueAt()) ?? Number.POSITIVE_INFINITY;
  // What is due and was not taken waits for a turn that ends.
  return next <= now() ? LOOK_EVERY_MS : Math.min(next - now(), LOOK_EVERY_MS);
}

export type TurnDeps = DeliverDeps & Pick<DeliveryWorkerDeps, 'log' | 'deliveryInTrace'>;

/** Works a stream that was taken, message by message, while there is time and more waits. Never throws. */
export async function workTurn(stream: TakenStream, deps: TurnDeps, isStopped: () => boolean): Promise<void> {
  const { leaseUntil, streamId } = stream;
  const { deliveryInTrace = UNTRACED } = deps;
  let current: TakenStream | undefined = stream;
  try {
    for (let count = 0; current !== undefined; count += 1) {
      const hasTime = count < MOST_IN_TURN && deps.now() < leaseUntil - ATTEMPT_MS && !isStopped();
      if (!hasTime) {
        await deps.streams.passOver(current, current.told, true);
        return;
      }
      const next: TakenStream = current;
      current = await deliveryInTrace(next, () => deliverNext(next, deps));
    }
  } catch (err) {
    // Its lease ends by itself, and it is taken again.
    deps.log.error({ event: 'delivery_fault', err, streamId }, 'A delivery met a fault of our own');
  }
}
