/** The `wait` of GET /events/changes: the answer is held until something changed. */
import { setTimeout as sleep } from 'node:timers/promises';

import { ApiError } from '../http/refusal.ts';
import { parameterOf } from '../http/request-fields.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ReadingUser } from './event-reader.ts';
import type { RawQuery } from './events-query.ts';
import type { Turns } from './read-turns.ts';

/** Published clients give up after 30. */
const MOST_SECONDS = 25;
const LOOKS_A_SECOND = 2;

export type WaitDeps = {
  readonly changes: Pick<ChangeFeed, 'stateOf'>;
  readonly waits: Turns;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Whole seconds, 0 when absent. Throws 400. */
export function parseWait(query: RawQuery): number {
  const text = parameterOf(query, 'wait');
  if (text === undefined) return 0;
  if (/^\d{1,2}$/.test(text) && Number(text) <= MOST_SECONDS) return Number(text);
  const message = `wait must be a whole number of seconds from 0 to ${MOST_SECONDS}`;
  throw new ApiError(400, 'invalid_request', { message, details: { wait: [message] } });
}

export type Wait = {
  readonly user: ReadingUser;
  /** The number of the feed that was answered. */
  readonly seq: number;
  readonly seconds: number;
  /** Aborted when nobody waits for the answer any more, or the process stops. */
  readonly signal: AbortSignal;
};

/**
 * Waits until the feed is behind that number, and no longer than it may. Answers how many seconds are left then; 0 when
 * nothing came. Throws 429 as Turns does.
 */
export function waitForChange({ user, seq, seconds, signal }: Wait, deps: WaitDeps): Promise<number> {
  return deps.waits.run(user, async () => {
    for (let looks = seconds * LOOKS_A_SECOND; looks > 0 && !signal.aborted; looks -= 1) {
      await sleep(1_000 / LOOKS_A_SECOND, undefined, { signal }).catch(() => {});
      const state = await deps.changes.stateOf(user, deps.now());
      if (state === undefined || state.seq > seq) return Math.max(0, looks - 1) / LOOKS_A_SECOND;
    }
    return 0;
  });
}
