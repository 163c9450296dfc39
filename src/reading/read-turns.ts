/** Slots of expensive reads and waiting requests: a user has a few at once, and applications take turns. */
import { ApiError } from '../http/refusal.ts';
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import { placeOfOwner, toSlotOwner } from '../lib/fair-slots/slot-owner.ts';
import { type QueueLimits, SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import type { ReadingUser } from './event-reader.ts';
import { QUERY } from './events-query.ts';

export interface Turns {
  /**
   * Runs `work` in a slot. Throws 429 `too_many_reads` if the user has too many waiting, or the wait is too long, and the
   * reason of `signal` if that is aborted before the work.
   */
  run<T>(user: ReadingUser, work: (owner: string) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export type TurnLimits = QueueLimits & {
  /** The name in metrics and in the log. */
  readonly work: string;
  /** The public message of the 429. */
  readonly refusal: string;
};

const HEAVY: TurnLimits = {
  work: 'heavy_read',
  ofOwner: 2,
  slots: 8,
  share: 1 / 2,
  waiting: 20,
  // Published clients give up after 30 seconds.
  waitMs: 20_000,
  refusal: 'Large calendars of this user are being read already',
};
/** Each read briefly holds some megabytes; waiting reads hold nothing. */
const WHOLE: TurnLimits = {
  ...HEAVY,
  work: 'whole_read',
  slots: 4,
  share: 1,
  waiting: Number.POSITIVE_INFINITY,
};
/** The receiver determines the duration of a response, so users do not wait for each other. */
const LARGE_ANSWERS: TurnLimits = {
  ...HEAVY,
  work: 'large_answer',
  ofOwner: 4,
  slots: Number.POSITIVE_INFINITY,
  refusal: 'Large responses for this user are being sent already',
};

/** The slots for all reads of a process, which share its memory and threads. */
export type ReadTurns = {
  /** For large calendars. */
  readonly heavyReads: Turns;
  /** For medium calendars, which are read at once. */
  readonly wholeReads: Turns;
  /** For responses that are sent in pieces. */
  readonly sending: Turns;
  /** For requests that wait for a change. */
  readonly waits: Turns;
};

/** Returns the slots; `connections` is the maximum that the process accepts. */
export const openReadTurns = (connections: number, slots?: SlotListener): ReadTurns => ({
  heavyReads: readTurns(HEAVY, slots),
  wholeReads: readTurns(WHOLE, slots),
  sending: readTurns(LARGE_ANSWERS, slots),
  waits: readTurns(longPolls(connections), slots),
});

/** Each long poll holds a connection and queries the database twice a second. */
const longPolls = (connections: number): TurnLimits => ({
  work: 'long_poll',
  slots: Math.floor((connections * 3) / 4),
  share: 2 / 3,
  ofOwner: 5,
  waiting: 0,
  refusal: 'Too many requests of this user are waiting for changes already: send requests without wait',
});

export function readTurns(limits: TurnLimits, listener?: SlotListener): Turns {
  const queue = new SlotQueue(limits.work, limits, listener);
  return {
    async run(user, work, signal) {
      const owner = toSlotOwner(user);
      const leave = await queue.enter(placeOfOwner(owner), signal && { signal });
      if (leave === undefined) throw tooManyReads(limits);
      try {
        return await work(owner);
      } finally {
        leave();
      }
    },
  };
}

const tooManyReads = ({ ofOwner, refusal }: TurnLimits): ApiError =>
  new ApiError(
    QUERY.too_many_reads,
    `${refusal}: at most ${ofOwner} such reads run at once; try again after one of them has ended`,
  );
