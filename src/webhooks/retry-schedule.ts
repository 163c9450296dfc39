/** Computes retries of failed deliveries and pauses of failing endpoints, in milliseconds. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay after each failed attempt except the tenth: 75 hours, 35 minutes and 5 seconds in total. */
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
/** The maximum random increase of a delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.05;
/** A Retry-After cannot delay an attempt beyond this time after the message's creation. */
export const MOST_RETRIED_MS = DELAYS.reduce((sum, delay) => sum + delay, 0) * (1 + JITTER) + MINUTE;

export type RetryOf = {
  /** The number of attempts, including the failed one. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly now: number;
  readonly retryAfterMs: number | undefined;
  /** From 0 to 1, exclusive. */
  readonly random?: number;
};

/** Returns when the next attempt is due; `undefined` after the tenth. All ten are made even if they are late. */
export function nextAttemptAt(retry: RetryOf): number | undefined {
  const { attempts, createdAt, now, retryAfterMs, random = Math.random() } = retry;
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return undefined;
  const scheduled = now + Math.round(delay * (1 + JITTER * random));
  const requested = Math.min(now + (retryAfterMs ?? 0), createdAt + MOST_RETRIED_MS);
  return Math.max(scheduled, requested);
}

/** After this many failures in a row, the endpoint's circuit opens: one message at a time tests it. */
export const OPEN_AFTER = 5;
/** After this many failures, a message is set aside if the endpoint accepts others. */
export const REFUSED_ALONE = 6;
/** An endpoint with only failures for this long is paused. */
export const PAUSE_AFTER_MS = 5 * 24 * HOUR;

const LONGEST_GATE_MS = 15 * MINUTE;

/** Returns how long nothing is sent after this many failures in a row; 0 with a closed circuit. */
export function gateMs(failures: number): number {
  if (failures < OPEN_AFTER) return 0;
  return Math.min(5 * SECOND * 2 ** Math.min(failures - OPEN_AFTER, 20), LONGEST_GATE_MS);
}
