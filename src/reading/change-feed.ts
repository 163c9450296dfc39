/** A user's changes in commit order, one for each event or series. Instants are epoch milliseconds. */
import type { ReadingUser } from './event-reader.ts';

export interface ChangeFeed {
  /**
   * Starts the feed: every later change is recorded. If a later read of the mirror does not show a change, the feed
   * will have it after `seq`. Returns `undefined` if there is no such user.
   */
  follow(owner: ReadingUser, now: number): Promise<FeedState | undefined>;

  /** Returns the state and records the read at `now`; `undefined` if nobody reads the feed. */
  stateOf(owner: ReadingUser, now: number): Promise<FeedState | undefined>;

  /**
   * Returns at most `limit` entries after a position, in commit order: no entry with a lower number appears later.
   * Includes accounts that the grant covers at scope `read` or wider, and deletions of removed accounts while their
   * group is covered.
   */
  changesAfter(reader: FeedReader, after: FeedPlace, limit: number): Promise<FeedChange[]>;

  /** Returns at most `limit` single events and series of the mirror after `after`, in order. */
  eventsAfter(calendarKeys: readonly string[], after: EventName, limit: number): Promise<EventName[]>;

  /** Deletes changes recorded and feeds last read before then. Returns the number of changes. */
  forgetChanges(before: number): Promise<number>;
}

export type FeedReader = ReadingUser & { readonly coverageId: string };

export type FeedState = {
  /** Changes when the feed restarts after a gap. */
  readonly feedId: string;
  /** The number of the last transaction. */
  readonly seq: number;
  /** Entries up to this number may have been deleted. */
  readonly prunedSeq: number;
};

export type EventName = { readonly calendarKey: string; readonly id: string };

/** The position after all entries of `seq`, or after its entry `event`. */
export type FeedPlace = { readonly seq: number; readonly event?: EventName | undefined };

export type FeedChange = EventName & {
  readonly seq: number;
  /** The number at which it appeared; 0 if it existed before. */
  readonly createdSeq: number;
  /** 0 or 1. */
  readonly deleted: number;
  /** The wire names of its calendar. */
  readonly provider: string;
  readonly accountId: string;
  readonly href: string;
};
