/** Computes when a failed delivery is retried, and how long an endpoint pauses after failures. In milliseconds. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay after each failed attempt but the tenth: 75 hours, 35 minutes and 5 seconds in total. */
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
/** A delay is longer by up to this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.05;
/** A Retry-After delays no attempt beyond this time after the message was created. */
export const MOST_RETRIED_MS = DELAYS.reduce((sum, delay) => sum + delay, 0) * (1 + JITTER) + MINUTE;

export type RetryOf = {
  /** Attempts that were made, the failed one included. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly now: number;
  /** The receiver's Retry-After in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** From 0 up to 1. */
  readonly random?: number;
};

/**
 * Returns when the next attempt is due, in epoch milliseconds, or `undefined` after the tenth. Ten attempts are made
 * however late each of them is.
 */
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
  const scheduled = now + Math.round(delay * (1 + JITTER * random));
  const requested = Math.min(now + (retryAfterMs ?? 0), createdAt + MOST_RETRIED_MS);
  return Math.max(scheduled, requested);
}

/** After this many failures in a row an endpoint's circuit opens: then one message at a time tests it. */
export const OPEN_AFTER = 5;
/** After this many failures, a message is set aside if others are accepted. */
export const REFUSED_ALONE = 6;
/** After this long with only failures an endpoint is paused. */
export const PAUSE_AFTER_MS = 5 * 24 * HOUR;

const LONGEST_GATE_MS = 15 * MINUTE;

/** Returns how long nothing is sent to an endpoint after this many failures in a row; 0 while its circuit is closed. */
export function gateMs(failures: number): number {
  if (failures < OPEN_AFTER) return 0;
  return Math.min(5 * SECOND * 2 ** Math.min(failures - OPEN_AFTER, 20), LONGEST_GATE_MS);
}
