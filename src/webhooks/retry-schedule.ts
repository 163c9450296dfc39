/** When a message is tried again, and when an endpoint is left alone. Milliseconds. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Between one attempt of a message and the next: ten attempts in 75 hours and 35 minutes. */
const DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** By up to this share a delay is longer, so that what failed together does not come back together. */
const JITTER = 0.05;
/** The last attempt is no later than this after the message was made; a Retry-After is kept within it. */
export const MOST_RETRIED_MS = DELAYS.reduce((sum, delay) => sum + delay, 0) * (1 + JITTER) + MINUTE;

export type RetryOf = {
  /** Attempts that were made, the failed one included. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly now: number;
  /** What the receiver asked for. */
  readonly retryAfterMs: number | undefined;
  /** From 0 up to 1. */
  readonly random?: number;
};

/** The epoch milliseconds of the next attempt; `undefined` when that was the last. */
export function nextAttemptAt({
  attempts,
  createdAt,
  now,
  retryAfterMs,
  ...rest
}: RetryOf): number | undefined {
  const { random = Math.random() } = rest;
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return undefined;
  const spread = Math.round(delay * (1 + JITTER * random));
  const wait = Math.max(spread, retryAfterMs ?? 0);
  const last = createdAt + MOST_RETRIED_MS;
  if (now + wait <= last) return now + wait;
  // What the receiver asks for must not end a message early.
  return now + spread <= last ? last : undefined;
}

/** So many failures in a row open an endpoint's circuit: one message at a time tries it then. */
export const OPEN_AFTER = 5;
/** A message that was refused so often while others are taken is set aside. */
export const REFUSED_ALONE = 6;
/** After so long of nothing but failures an endpoint pauses. */
export const PAUSE_AFTER_MS = 5 * 24 * HOUR;

const LONGEST_GATE_MS = 15 * MINUTE;

/** How long an endpoint is left alone after so many failures in a row; 0 while its circuit is closed. */
export function gateMs(failures: number): number {
  if (failures < OPEN_AFTER) return 0;
  return Math.min(5 * SECOND * 2 ** Math.min(failures - OPEN_AFTER, 20), LONGEST_GATE_MS);
}
