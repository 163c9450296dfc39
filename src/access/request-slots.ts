/** Limits concurrent requests to a mailbox over all instances, by leased slots that a process uses repeatedly. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from '../calendars/provider-error.ts';
import { LATE, within } from '../lib/within.ts';
import type { RequestLimitStore, RequestSlot } from './request-limit-store.ts';

/** Longer than KEPT_MS and one request, which ends after 30 s. */
const LEASE_MS = 40_000;
/** A slot is released after this time, in milliseconds, even if requests wait. */
const KEPT_MS = 2_000;
/** A slot is released after this time, in milliseconds, without a request. */
const IDLE_MS = 250;
const POLL_MS = 100;
/** A call that would wait longer fails. */
const PATIENCE_MS = 60_000;

export interface RequestSlots {
  /** Runs the request in one of the mailbox's slots, of which there are `most` over all instances. */
  run<T>(mailbox: string, most: number, request: () => Promise<T>): Promise<T>;
  /** Releases idle slots, so that a process that starts next need not wait for their leases to end. */
  stop(): Promise<void>;
}

export function requestSlots(store: RequestLimitStore, now: () => number): RequestSlots {
  const mailboxes = new Map<string, MailboxSlots>();
  const onUnused = (slots: MailboxSlots) => {
    if (mailboxes.get(slots.mailbox) === slots) mailboxes.delete(slots.mailbox);
  };
  return {
    async run(mailbox, most, request) {
      const slots = mailboxes.get(mailbox) ?? new MailboxSlots({ mailbox, most, store, now, onUnused });
      mailboxes.set(mailbox, slots);
      return slots.run(request);
    },
    async stop() {
      await Promise.all([...mailboxes.values()].map((slots) => slots.stop()));
    },
  };
}

type MailboxDeps = {
  readonly mailbox: string;
  readonly most: number;
  readonly store: RequestLimitStore;
  readonly now: () => number;
  /** Called when this process has no slot of the mailbox and no call waits for one. */
  readonly onUnused: (slots: MailboxSlots) => void;
};
type LeasedSlot = RequestSlot & { readonly takenAt: number };
type Waiter = PromiseWithResolvers<LeasedSlot>;

/** The slots that this process has of one mailbox. */
class MailboxSlots {
  readonly mailbox: string;
  readonly #deps: MailboxDeps;
  /** Busy and idle. */
  readonly #leased = new Set<LeasedSlot>();
  readonly #idle: { slot: LeasedSlot; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: Waiter[] = [];
  /** Background work that `stop` waits for. */
  readonly #pending = new Set<Promise<void>>();
  #isServing = false;

  constructor(deps: MailboxDeps) {
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
      if (this.#deps.now() - slot.takenAt > KEPT_MS) await this.#release(slot);
      else this.#passOn(slot);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pending);
    const idle = this.#idle.splice(0);
    for (const { timer } of idle) clearTimeout(timer);
    await Promise.all(idle.map(({ slot }) => this.#release(slot)));
  }

  async #acquire(): Promise<LeasedSlot> {
    const waiter: Waiter = Promise.withResolvers();
    this.#waiting.push(waiter);
    if (!this.#isServing) this.#inBackground(this.#serve());
    const slot = await within(PATIENCE_MS, waiter.promise);
    if (slot !== LATE) return slot;
    const at = this.#waiting.indexOf(waiter);
    // A slot that was passed on at the last moment must be used.
    if (at < 0) return waiter.promise;
    this.#waiting.splice(at, 1);
    throw tooManyRequests();
  }

  /** Claims slots until no call waits. */
  async #serve(): Promise<void> {
    this.#isServing = true;
    try {
      while (this.#waiting.length > 0) {
        const slot = await this.#take();
        if (slot === undefined) {
          await sleep(POLL_MS * (0.5 + Math.random()));
          continue;
        }
        this.#leased.add(slot);
        this.#passOn(slot);
      }
    } catch (reason) {
      for (const { reject } of this.#waiting.splice(0)) reject(reason);
    } finally {
      // This runs in the same turn of the event loop as the last look at #waiting, so a later call starts #serve again.
      this.#isServing = false;
      this.#reportIfUnused();
    }
  }

  async #take(): Promise<LeasedSlot | undefined> {
    const { mailbox, most, store, now } = this.#deps;
    const first = Math.floor(Math.random() * most);
    for (let i = 0; i < most; i += 1) {
      const slot = (first + i) % most;
      if ([...this.#leased].some((leased) => leased.slot === slot)) continue;
      const takenAt = now();
      const leased = { mailbox, slot, holder: randomUUID(), takenAt };
      if (await store.takeSlot(leased, takenAt, takenAt + LEASE_MS)) return leased;
    }
    return undefined;
  }

  /** Passes the slot to the next waiting call, or keeps it for a moment. */
  #passOn(slot: LeasedSlot): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.resolve(slot);
      return;
    }
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((idle) => idle.slot === slot);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#inBackground(this.#release(slot));
    }, IDLE_MS);
    timer.unref();
    this.#idle.push({ slot, timer });
  }

  async #release(slot: LeasedSlot): Promise<void> {
    // If this fails, the slot is free when its lease ends.
    await this.#deps.store.releaseSlot(slot).catch(() => {});
    this.#leased.delete(slot);
    this.#reportIfUnused();
  }

  #reportIfUnused(): void {
    if (this.#leased.size === 0 && this.#waiting.length === 0 && !this.#isServing) this.#deps.onUnused(this);
  }

  #inBackground(work: Promise<void>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }
}

const tooManyRequests = () =>
  new ProviderError('rate_limited', 'Too many requests to this mailbox are in progress', {
    retryAfter: POLL_MS,
    reason: 'user_quota_exhausted',
    notSent: true,
  });
