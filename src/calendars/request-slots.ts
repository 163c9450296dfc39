/**
 * At most so many requests under way at once to one mailbox, over all instances: slots with leases in the
 * database. A slot is used for request after request of this process before it is given back, so that a sync
 * of many pages writes seldom; not for so long that another instance starves.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProviderError } from './provider-error.ts';
import type { RequestLimitStore, RequestSlot } from './request-limit-store.ts';

/** Longer than a slot is kept and one request takes, which ends after 30 s. */
const LEASE_MS = 40_000;
const KEPT_MS = 2_000;
const IDLE_MS = 250;
const POLL_MS = 100;
/** Longer waits are told to the caller. */
const PATIENCE_MS = 60_000;

type HeldSlot = RequestSlot & { readonly takenAt: number };

type Waiter = { go(slot: HeldSlot): void; fail(reason: unknown): void };

/** What this process does with one mailbox. */
type Lane = {
  readonly mailbox: string;
  readonly most: number;
  /** Taken in the database by this process, busy and idle ones. */
  readonly held: Set<HeldSlot>;
  readonly idle: { slot: HeldSlot; timer: NodeJS.Timeout }[];
  readonly waiting: Waiter[];
  isTaking: boolean;
};

export function requestSlots(store: RequestLimitStore, now: () => number) {
  const lanes = new Map<string, Lane>();
  /** What goes on in the background, for `stop` to wait for. */
  const pending = new Set<Promise<void>>();
  const inBackground = (work: Promise<void>): void => {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };
  const laneOf = (mailbox: string, most: number): Lane => {
    let lane = lanes.get(mailbox);
    if (lane === undefined) {
      lane = { mailbox, most, held: new Set(), idle: [], waiting: [], isTaking: false };
      lanes.set(mailbox, lane);
    }
    return lane;
  };
  const forgetUnused = (lane: Lane): void => {
    if (lane.held.size === 0 && lane.waiting.length === 0) lanes.delete(lane.mailbox);
  };
  const letGo = async (lane: Lane, slot: HeldSlot): Promise<void> => {
    lane.held.delete(slot);
    forgetUnused(lane);
    // Not given back it is free when its lease ends.
    await store.giveSlotBack(slot).catch(() => {});
  };

  const take = async (lane: Lane): Promise<HeldSlot | undefined> => {
    const first = Math.floor(Math.random() * lane.most);
    for (let i = 0; i < lane.most; i += 1) {
      const slot = (first + i) % lane.most;
      if ([...lane.held].some((own) => own.slot === slot)) continue;
      const takenAt = now();
      const taken = { mailbox: lane.mailbox, slot, holder: randomUUID(), takenAt };
      if (await store.takeSlot(taken, takenAt, takenAt + LEASE_MS)) return taken;
    }
    return undefined;
  };
  /** Takes slots for those who wait, one after the other, until nobody does. */
  const serve = async (lane: Lane): Promise<void> => {
    if (lane.isTaking) return;
    lane.isTaking = true;
    try {
      while (lane.waiting.length > 0) {
        const slot = await take(lane);
        if (slot === undefined) {
          await sleep(POLL_MS * (0.5 + Math.random()));
          continue;
        }
        lane.held.add(slot);
        handOn(lane, slot);
      }
    } catch (reason) {
      for (const { fail } of lane.waiting.splice(0)) fail(reason);
    } finally {
      lane.isTaking = false;
      forgetUnused(lane);
    }
  };
  const handOn = (lane: Lane, slot: HeldSlot): void => {
    const next = lane.waiting.shift();
    if (next !== undefined) {
      next.go(slot);
      return;
    }
    const timer = setTimeout(() => {
      const at = lane.idle.findIndex((idle) => idle.slot === slot);
      if (at >= 0) lane.idle.splice(at, 1);
      inBackground(letGo(lane, slot));
    }, IDLE_MS);
    timer.unref();
    lane.idle.push({ slot, timer });
  };
  const isWorn = (slot: HeldSlot): boolean => now() - slot.takenAt > KEPT_MS;

  const acquire = (lane: Lane): Promise<HeldSlot> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
        reject(tooLong());
      }, PATIENCE_MS);
      const waiter: Waiter = {
        go(slot) {
          clearTimeout(timer);
          resolve(slot);
        },
        fail(reason) {
          clearTimeout(timer);
          reject(reason);
        },
      };
      lane.waiting.push(waiter);
      inBackground(serve(lane));
    });

  return {
    async run<T>(mailbox: string, most: number, request: () => Promise<T>): Promise<T> {
      const lane = laneOf(mailbox, most);
      const slot = idleSlot(lane) ?? (await acquire(lane));
      try {
        return await request();
      } finally {
        if (isWorn(slot)) await letGo(lane, slot);
        else handOn(lane, slot);
      }
    },

    /** Gives back what is idle, so that a process started next need not wait for leases to end. */
    async stop(): Promise<void> {
      await Promise.all(pending);
      const idle = [...lanes.values()].flatMap((lane) =>
        lane.idle.splice(0).map((one) => ({ lane, ...one })),
      );
      for (const { timer } of idle) clearTimeout(timer);
      await Promise.all(idle.map(({ lane, slot }) => letGo(lane, slot)));
    },
  };
}

function idleSlot(lane: Lane): HeldSlot | undefined {
  const idle = lane.idle.shift();
  if (idle !== undefined) clearTimeout(idle.timer);
  return idle?.slot;
}

const tooLong = () =>
  new ProviderError('rate_limited', 'Too many requests to this mailbox are under way', {
    retryAfter: POLL_MS,
    reason: 'user_quota_exhausted',
  });
