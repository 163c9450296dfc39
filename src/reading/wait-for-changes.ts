/** The `wait` of GET /events/changes: the answer is held until something changed. */
import { setTimeout as sleep } from 'node:timers/promises';

import { wholeNumberText } from '../http/fields.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ReadingUser } from './event-reader.ts';
import type { Turns } from './read-turns.ts';

/** Published clients give up after 30. */
const MAX_SECONDS = 25;
const LOOKS_A_SECOND = 2;

export type WaitDeps = {
  readonly changes: Pick<ChangeFeed, 'stateOf'>;
  readonly waits: Turns;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export const WAIT = {
  wait: wholeNumberText({
    min: 0,
    max: MAX_SECONDS,
    doc: 'With a cursor: the maximum number of seconds to wait while nothing changes.',
    example: MAX_SECONDS,
  }),
};

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
