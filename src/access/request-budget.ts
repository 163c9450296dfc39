/**
 * Budgets of requests over time, shared by all instances: token buckets in the database. Tokens are
 * taken a few at a time and spent by this process, so that most requests write nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { ProviderError } from '../calendars/provider-error.ts';
import type { RequestLimitStore } from './request-limit-store.ts';

/** So many requests in any span of `per` milliseconds. */
export type RequestRate = { readonly requests: number; readonly per: number };

/** A tenth may come at once, and the rest evenly: together no span has more than its limit. */
const BURST_SHARE = 0.1;
/** What one write takes: small against the burst, so that no instance hoards. */
const CHUNK_SHARE = 0.1;
/** Tokens unspent for so long are let go: the span they were for is passing. */
const CHUNK_MS = 10_000;
/** Longer waits are told to the caller. */
const PATIENCE_MS = 20_000;
const LONGEST_SLEEP_MS = 1_000;
const MOST_CHUNKS = 10_000;

type Chunk = { left: number; readonly until: number };

export function requestBudgets(store: RequestLimitStore, now: () => number) {
  const chunks = new Map<string, Chunk>();
  const lines = new Map<string, Promise<void>>();

  const spend = (bucket: string): boolean => {
    const chunk = chunks.get(bucket);
    if (chunk === undefined || chunk.left === 0 || chunk.until <= now()) return false;
    chunk.left -= 1;
    return true;
  };
  /** Answers how long to wait before trying again; 0 when there are tokens to spend. */
  const fetch = async (bucket: string, rate: RequestRate): Promise<number> => {
    const { burst, each } = shape(rate);
    const tokens = Math.max(1, Math.floor(rate.requests * BURST_SHARE * CHUNK_SHARE));
    const wait = await store.takeTokens(bucket, Math.ceil(tokens * each), burst, now());
    if (wait > 0) return wait;
    if (chunks.size >= MOST_CHUNKS) chunks.clear();
    chunks.set(bucket, { left: tokens, until: now() + CHUNK_MS });
    return 0;
  };
  const takeInTurn = async (bucket: string, rate: RequestRate, patience: AbortSignal): Promise<void> => {
    while (!spend(bucket)) {
      const wait = await fetch(bucket, rate);
      if (wait === 0) continue;
      if (wait > PATIENCE_MS || patience.aborted) throw exhausted(wait);
      await sleep(Math.min(wait, LONGEST_SLEEP_MS));
    }
  };

  return {
    /**
     * Waits for a token; fails as `rate_limited` when that would take too long. Those of one process who
     * have to wait do so in line, so that one of them asks.
     */
    take(bucket: string, rate: RequestRate): Promise<void> {
      const before = lines.get(bucket);
      if (before === undefined && spend(bucket)) return Promise.resolve();
      const patience = AbortSignal.timeout(PATIENCE_MS);
      const mine = (before ?? Promise.resolve()).then(() => takeInTurn(bucket, rate, patience));
      // Who fails in front fails alone.
      const line = mine
        .catch(() => {})
        .finally(() => {
          if (lines.get(bucket) === line) lines.delete(bucket);
        });
      lines.set(bucket, line);
      return mine;
    },

    /** The provider said that it is empty: nobody takes any for so many milliseconds. */
    async drain(bucket: string, rate: RequestRate, milliseconds: number): Promise<void> {
      chunks.delete(bucket);
      await store.drain(bucket, shape(rate).burst, now() + milliseconds);
    },
  };
}

/** In milliseconds: the time that a full bucket stands for, and one token. */
function shape({ requests, per }: RequestRate): { burst: number; each: number } {
  const each = per / (requests * (1 - BURST_SHARE));
  return { each, burst: Math.ceil(each * Math.max(1, requests * BURST_SHARE)) };
}

const exhausted = (retryAfter: number) =>
  new ProviderError('rate_limited', 'The budget of requests to the provider is used up for the moment', {
    retryAfter,
    reason: 'quota_exhausted',
    notAsked: true,
  });
