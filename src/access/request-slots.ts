/**
 * At most so many requests under way at once to one mailbox, over all instances: slots with leases in the
 * database. A slot is used for request after request of this process before it is given back, so that a sync
 * of many pages writes seldom; not for so long that another instance starves.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProviderError } from '../calendars/provider-error.ts';
import type { RequestLimitStore, RequestSlot } from './request-limit-store.ts';

/** Longer than a slot is kept and one request takes, which ends after 30 s. */
const LEASE_MS = 40_000;
const KEPT_MS = 2_000;
const IDLE_MS = 250;
const POLL_MS = 100;
/** Longer waits are told to the caller. */
const PATIENCE_MS = 60_000;

/** The slots of this process. */
export interface RequestSlots {
  /** Runs the request in one of the mailbox's slots, of which there are `most` over all instances. */
  run<T>(mailbox: string, most: number, request: () => Promise<T>): Promise<T>;
  /** Gives back what is idle, so that a process started next need not wait for leases to end. */
  stop(): Promise<void>;
}

export function requestSlots(store: RequestLimitStore, now: () => number): RequestSlots {
  const lanes = new Map<string, Lane>();
  const forget = (lane: Lane) => {
    if (lanes.get(lane.mailbox) === lane) lanes.delete(lane.mailbox);
  };
  return {
    async run(mailbox, most, request) {
      const lane =
        lanes.get(mailbox) ?? new Lane({ mailbox, most, store, now, unused: (own) => forget(own) });
      lanes.set(mailbox, lane);
      return lane.run(request);
    },
    async stop() {
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
    },
  };
}

type LaneDeps = {
  readonly mailbox: string;
  readonly most: number;
  readonly store: RequestLimitStore;
  readonly now: () => number;
  /** Called when it holds and awaits nothing. */
  readonly unused: (lane: Lane) => void;
};
type HeldSlot = RequestSlot & { readonly takenAt: number };
type Waiter = { go(slot: HeldSlot): void; fail(reason: unknown): void };

/** What this process does with one mailbox. */
class Lane {
  readonly mailbox: string;
  readonly #deps: LaneDeps;
  /** Taken in the database by this process, busy and idle ones. */
  readonly #held = new Set<HeldSlot>();
  readonly #idle: { slot: HeldSlot; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: Waiter[] = [];
  /** What goes on in the background, for `stop` to wait for. */
  readonly #pending = new Set<Promise<void>>();
  #isServing = false;

  constructor(deps: LaneDeps) {
    this.mailbox = deps.mailbox;
    this.#deps = deps;
  }

  async run<T>(request: () => Promise<T>): Promise<T> {
    const idle = this.#idle.shift();
    if (idle !== undefined) clearTimeout(idle.timer);
    const slot = idle?.slot ?? (await this.#acquire());
    try {
      return await request();
    } finally {
      if (this.#deps.now() - slot.takenAt > KEPT_MS) await this.#giveBack(slot);
      else this.#handOn(slot);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pending);
    const idle = this.#idle.splice(0);
    for (const { timer } of idle) clearTimeout(timer);
    await Promise.all(idle.map(({ slot }) => this.#giveBack(slot)));
  }

  #acquire(): Promise<HeldSlot> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
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
      this.#waiting.push(waiter);
      if (!this.#isServing) this.#inBackground(this.#serve());
    });
  }

  /** Takes slots for those who wait, one after the other, until nobody does. */
  async #serve(): Promise<void> {
    this.#isServing = true;
    try {
      while (this.#waiting.length > 0) {
        const slot = await this.#take();
        if (slot === undefined) {
          await sleep(POLL_MS * (0.5 + Math.random()));
          continue;
        }
        this.#held.add(slot);
        this.#handOn(slot);
      }
    } catch (reason) {
      for (const { fail } of this.#waiting.splice(0)) fail(reason);
    } finally {
      // In the same turn as the last look at who waits: whoever comes after starts it anew.
      this.#isServing = false;
      this.#tellIfUnused();
    }
  }

  async #take(): Promise<HeldSlot | undefined> {
    const { mailbox, most, store, now } = this.#deps;
    const first = Math.floor(Math.random() * most);
    for (let i = 0; i < most; i += 1) {
      const slot = (first + i) % most;
      if ([...this.#held].some((own) => own.slot === slot)) continue;
      const takenAt = now();
      const taken = { mailbox, slot, holder: randomUUID(), takenAt };
      if (await store.takeSlot(taken, takenAt, takenAt + LEASE_MS)) return taken;
    }
    return undefined;
  }

  /** To whoever waits, or for a moment to nobody. */
  #handOn(slot: HeldSlot): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.go(slot);
      return;
    }
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((idle) => idle.slot === slot);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#inBackground(this.#giveBack(slot));
    }, IDLE_MS);
    timer.unref();
    this.#idle.push({ slot, timer });
  }

  async #giveBack(slot: HeldSlot): Promise<void> {
    // Not given back it is free when its lease ends.
    await this.#deps.store.giveSlotBack(slot).catch(() => {});
    this.#held.delete(slot);
    this.#tellIfUnused();
  }

  #tellIfUnused(): void {
    if (this.#held.size === 0 && this.#waiting.length === 0 && !this.#isServing) this.#deps.unused(this);
  }

  #inBackground(work: Promise<void>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }
}

const tooLong = () =>
  new ProviderError('rate_limited', 'Too many requests to this mailbox are under way', {
    retryAfter: POLL_MS,
    reason: 'user_quota_exhausted',
    notAsked: true,
  });
