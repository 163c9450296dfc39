import type { SyncFailure } from '../calendars/sync-failure.ts';

const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 30 * 60_000;
/** A rejected password is tried again from time to time: some servers reject a valid one for an hour. */
const REFUSED_RETRY_MS = 60 * 60_000;
const REFUSALS: ReadonlySet<SyncFailure['kind']> = new Set([
  'unauthorized',
  'access_denied',
  'permission_missing',
]);

export type Retry = {
  /** How often it was tried before. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** From 0 up to 1. */
  readonly random?: number;
};

/**
 * Returns when to try again, in epoch milliseconds. The delay doubles each time. It is spread over half its span, so
 * that simultaneous failures do not return together, and is never shorter than the provider's Retry-After.
 */
export function retryAt(failure: SyncFailure, { attempts, now, random = Math.random() }: Retry): number {
  const doubled = FIRST_RETRY_MS * 2 ** Math.min(attempts, 20);
  const longest = REFUSALS.has(failure.kind) ? REFUSED_RETRY_MS : Math.min(doubled, LAST_RETRY_MS);
  const spread = longest / 2 + (longest / 2) * random;
  return Math.round(Math.max(now, failure.retryAt ?? 0) + spread);
}
