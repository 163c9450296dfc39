/**
 * Attempt limits that all instances share: they count in the database. Each instance also counts alone, which decides
 * while the database fails or stalls, so a limit then applies per instance and locks nobody else out.
 */
import { createHmac } from 'node:crypto';
import type { Log } from '../lib/log.ts';
import { onceAMinute } from '../lib/once-a-minute.ts';
import { LATE, within } from '../lib/within.ts';
import { attemptLimit, type RefundableLimit } from './attempt-limit.ts';

/** The number of attempts in a window, which begins with the first one. */
export type AttemptTerms = {
  readonly attempts: number;
  readonly seconds: number;
  /** If set, the last attempt and each further one are followed by a pause instead of the rest of the window. */
  readonly backOff?: {
    /** The first pause in milliseconds. Each one is twice as long, up to `longestMs`. */
    readonly firstMs: number;
    readonly longestMs: number;
    /** How long after the last pause counting starts again, in milliseconds. */
    readonly forgetMs: number;
  };
};

/** The counts of all instances. `now` is in epoch milliseconds. */
export interface AttemptStore {
  /**
   * Counts an attempt and returns `undefined`. If the terms allow none, changes nothing and returns how long to wait, in
   * milliseconds. Of any number of concurrent calls, no more are counted than the terms allow.
   */
  countAttempt(keyHash: string, terms: AttemptTerms, now: number): Promise<number | undefined>;
  /** Takes back an attempt that was counted, unless its window has ended. */
  refundAttempt(keyHash: string, terms: AttemptTerms, now: number): Promise<void>;
  /** Returns the number of deleted counts. */
  deleteEndedAttempts(now: number): Promise<number>;
}

/** Creates the limit `name`. `own` counts in the memory of this instance. */
export type CreateLimit = (name: string, terms: AttemptTerms, own?: RefundableLimit) => RefundableLimit;

/** Creates limits of this instance alone. */
export const ownLimits: CreateLimit = (_, { attempts, seconds }, own) =>
  own ?? attemptLimit(attempts, seconds);

export type SharedLimitsDeps = {
  readonly attemptCounts: AttemptStore;
  /** Keys are stored as its HMAC, so that the database names nobody. */
  readonly attemptKey: Buffer;
  readonly log: Pick<Log, 'error'>;
  readonly now: () => number;
  /** How long an attempt waits for the database, in milliseconds. */
  readonly waitMs?: number;
};

const WAIT_MS = 1_000;

/** Returns a function that creates limits of all instances together. */
export function sharedLimits(deps: SharedLimitsDeps): CreateLimit {
  const { attemptCounts, attemptKey, log, now, waitMs = WAIT_MS } = deps;
  const report = onceAMinute((err: unknown, count) =>
    log.error({ event: 'attempts_not_shared', err, count }, 'Attempts were counted by this instance alone'),
  );
  const inTime = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      const result = await within(waitMs, work);
      if (result !== LATE) return result;
      report(new Error(`The database did not respond within ${waitMs} ms`));
    } catch (reason) {
      report(reason);
    }
    return undefined;
  };
  return (name, terms, own = ownLimits(name, terms)) => {
    const hashed = (key: string) =>
      createHmac('sha256', attemptKey).update(`${name} ${key}`).digest('base64url');
    const limit = async (key: string): Promise<number | undefined> => {
      const wait = await own(key);
      if (wait !== undefined) return wait;
      const pauseMs = await inTime(attemptCounts.countAttempt(hashed(key), terms, now()));
      if (pauseMs === undefined) return undefined;
      await own.refund(key);
      return Math.ceil(pauseMs / 1000);
    };
    return Object.assign(limit, {
      async refund(key: string) {
        await own.refund(key);
        await inTime(attemptCounts.refundAttempt(hashed(key), terms, now()));
      },
    });
  };
}
