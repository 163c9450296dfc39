import type { SyncFailure } from '../calendars/sync-failure.ts';

const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 30 * 60_000;
/** A refused password is tried again now and then: some servers refuse a good one for an hour. */
const REFUSED_RETRY_MS = 60 * 60_000;
const REFUSALS: ReadonlySet<SyncFailure['kind']> = new Set([
  'unauthorized',
  'access_denied',
  'permission_missing',
]);

export type Retry = {
  /** How often it was tried before this time. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** From 0 up to 1. */
  readonly random?: number;
};

/**
 * When to try again what failed, in epoch milliseconds: twice as late each time, spread over half the span so that
 * what failed together does not come back together, and never before the provider's own Retry-After.
 */
export function retryAt(failure: SyncFailure, { attempts, now, random = Math.random() }: Retry): number {
  const doubled = FIRST_RETRY_MS * 2 ** Math.min(attempts, 20);
  const longest = REFUSALS.has(failure.kind) ? REFUSED_RETRY_MS : Math.min(doubled, LAST_RETRY_MS);
  const spread = longest / 2 + (longest / 2) * random;
  return Math.round(Math.max(now, failure.retryAt ?? 0) + spread);
}
