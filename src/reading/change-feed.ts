/**
 * The changes of a user's calendars, in the order of their commits. A single event or a whole series is one entry, at
 * its last change. Instants are epoch milliseconds.
 */
import type { ReadingUser } from './event-reader.ts';

export interface ChangeFeed {
  /**
   * Starts the feed: every later change is recorded. If a later read of the mirror does not show a change, the feed
   * will have it after `seq`. Returns `undefined` if there is no such user.
   */
  follow(owner: ReadingUser, now: number): Promise<FeedState | undefined>;

  /** Returns the state; `undefined` if nobody reads the feed. Records `now` as the time of the last read. */
  stateOf(owner: ReadingUser, now: number): Promise<FeedState | undefined>;

  /**
   * Returns the entries after a position, in order, at most `limit`. Numbers follow the order of commits: once an entry
   * is visible, no entry with a lower number can appear. Only accounts that the reader's grant covers at scope `read`
   * or wider are included. Deletions of removed accounts are reported as long as their group is covered.
   */
  changesAfter(reader: FeedReader, after: FeedPlace, limit: number): Promise<FeedChange[]>;

  /** Returns the single events and series that the mirror has after `after`, in order, at most `limit`. */
  eventsAfter(calendarKeys: readonly string[], after: EventName, limit: number): Promise<EventName[]>;

  /** Deletes changes recorded before then, and feeds last read before then. Returns the number of deleted changes. */
  forgetChanges(before: number): Promise<number>;
}

/** The user whose feed is read, and the grant that reads it. */
export type FeedReader = ReadingUser & { readonly coverageId: string };

export type FeedState = {
  /** A new one when the feed starts again after a gap. */
  readonly feedId: string;
  /** The number of the last transaction. */
  readonly seq: number;
  /** Entries up to this number may have been deleted. */
  readonly prunedSeq: number;
};

export type EventName = { readonly calendarKey: string; readonly id: string };

/** The position after all entries of `seq`, or with `event`, after that one of them. */
export type FeedPlace = { readonly seq: number; readonly event?: EventName | undefined };

export type FeedChange = EventName & {
  readonly seq: number;
  /** The number under which it appeared; 0 when it was there before. */
  readonly createdSeq: number;
  /** 0 or 1. */
  readonly deleted: number;
  /** The names of its calendar on the wire. */
  readonly provider: string;
  readonly accountId: string;
  readonly href: string;
};
