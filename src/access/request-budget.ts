/** Request budgets shared by all instances: token buckets, from which a process takes several tokens per write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from '../calendars/provider-error.ts';
import type { RequestRate } from '../calendars/provider-facts.ts';
import { placeOfOwner, toSlotOwner } from '../lib/fair-slots/slot-owner.ts';
import { SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import type { RequestLimitStore } from './request-limit-store.ts';

/** A tenth of a span's requests may come at once and the rest evenly, so that no span has more than its limit. */
const BURST_SHARE = 0.1;
/** The share of the burst that one write takes: small, so that enough is left for other instances. */
const CHUNK_SHARE = 0.1;
/** Unused tokens are dropped after this time, in milliseconds, because their span is ending. */
const CHUNK_MS = 10_000;
/** A call that would wait longer fails. */
const PATIENCE_MS = 20_000;
const LONGEST_SLEEP_MS = 1_000;
const MOST_CHUNKS = 10_000;

type BudgetUser = { readonly clientId: string; readonly userId: string };

export function requestBudgets(store: Pick<RequestLimitStore, 'takeTokens' | 'drain'>, now: () => number) {
  const chunks = new Map<string, { tokens: number; readonly until: number }>();
  /** A slot for each budget: applications that wait for its next token take turns, and so do their users. */
  const queue = new SlotQueue('provider_budget', { ofHost: 1, waitMs: PATIENCE_MS });

  const spend = (bucket: string): boolean => {
    const chunk = chunks.get(bucket);
    if (chunk === undefined || chunk.tokens === 0 || chunk.until <= now()) return false;
    chunk.tokens -= 1;
    return true;
  };
  /** Returns the milliseconds to wait before trying again; 0 if there are tokens to use. */
  const fetch = async (bucket: string, rate: RequestRate): Promise<number> => {
    const { burst, each } = shape(rate);
    const tokens = Math.max(1, Math.floor(rate.requests * BURST_SHARE * CHUNK_SHARE));
    const wait = await store.takeTokens({ bucket, cost: Math.ceil(tokens * each), burst }, now());
    if (wait > 0) return wait;
    if (chunks.size >= MOST_CHUNKS) chunks.clear();
    chunks.set(bucket, { tokens, until: now() + CHUNK_MS });
    return 0;
  };
  const takeInTurn = async (bucket: string, rate: RequestRate, latest: number): Promise<void> => {
    while (!spend(bucket)) {
      const wait = await fetch(bucket, rate);
      if (wait === 0) continue;
      if (wait > PATIENCE_MS || performance.now() >= latest) throw exhausted(wait);
      await sleep(Math.min(wait, LONGEST_SLEEP_MS));
    }
  };

  return {
    /** Waits for a token, one call at a time per process; fails as `rate_limited` if that would take too long. */
    async take(bucket: string, rate: RequestRate, user: BudgetUser): Promise<void> {
      const latest = performance.now() + PATIENCE_MS;
      const leave = await queue.enter(placeOfOwner(toSlotOwner(user), bucket));
      if (leave === undefined) throw exhausted(LONGEST_SLEEP_MS);
      try {
        await takeInTurn(bucket, rate, latest);
      } finally {
        leave();
      }
    },

    /** Empties the budget for this many milliseconds, because the provider said that it is used up. */
    async drain(bucket: string, rate: RequestRate, milliseconds: number): Promise<void> {
      chunks.delete(bucket);
      await store.drain(bucket, shape(rate).burst, now() + milliseconds);
    },
  };
}

/** Returns the available part of a budget, from 0 to 1, according to its bucket: full again at `fullAt`. */
export const shareLeft = (rate: RequestRate, fullAt: number, now: number): number =>
  Math.min(1, Math.max(0, 1 - (fullAt - now) / shape(rate).burst));

/** Returns milliseconds: the time that an empty bucket takes to fill, and the time for one token. */
function shape({ requests, per }: RequestRate): { burst: number; each: number } {
  const each = per / (requests * (1 - BURST_SHARE));
  return { each, burst: Math.ceil(each * Math.max(1, requests * BURST_SHARE)) };
}

const exhausted = (retryAfter: number) =>
  new ProviderError('rate_limited', 'The budget of requests to the provider is used up at the moment', {
    retryAfter,
    reason: 'quota_exhausted',
    notSent: true,
  });
