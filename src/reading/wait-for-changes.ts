/** The `wait` of GET /events/changes: the response is held until something changes. */
import { setTimeout as sleep } from 'node:timers/promises';

import { wholeNumberText } from '../http/fields.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ReadingUser } from './event-reader.ts';
import type { Turns } from './read-turns.ts';

/** Published clients give up after 30 seconds. */
const MAX_SECONDS = 25;
const LOOKS_A_SECOND = 2;

export type WaitDeps = {
  readonly changes: Pick<ChangeFeed, 'stateOf'>;
  readonly waits: Turns;
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
  /** The feed's number in the last response. */
  readonly seq: number;
  readonly seconds: number;
  /** Aborted when the caller disconnects or the process stops. */
  readonly signal: AbortSignal;
};

/** Waits for a greater number. Returns the remaining seconds; 0 after a timeout. Throws 429 like Turns. */
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
