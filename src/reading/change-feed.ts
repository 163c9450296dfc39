/**
 * What changed in a user's calendars, in the order in which it was committed. A single event or a whole series is one
 * entry, at its last change. Instants are epoch milliseconds.
 */
import type { ReadingUser } from './event-reader.ts';

export interface ChangeFeed {
  /**
   * From this answer on every change is noted: whatever the mirror does not show when it is read after, the feed will
   * have, behind `seq`. `undefined` when there is no such user.
   */
  follow(owner: ReadingUser, now: number): Promise<FeedState | undefined>;

  /** `undefined` when nobody reads the feed. Records `now` as the time of the last read. */
  stateOf(owner: ReadingUser, now: number): Promise<FeedState | undefined>;

  /**
   * The entries behind a place, in order, at most `limit`. Numbers are given in the order of commits: once an entry with
   * a number is seen, none with a lower one can appear. Those of accounts alone that the reader's grant covers at scope
   * `read` or wider; what accounts had that are gone is told as long as their group is covered.
   */
  changesAfter(reader: FeedReader, after: FeedPlace, limit: number): Promise<FeedChange[]>;

  /** The single events and series that the mirror has behind `after`, in order, at most `limit`. */
  eventsAfter(calendarKeys: readonly string[], after: EventName, limit: number): Promise<EventName[]>;

  /** Deletes changes recorded before then, and feeds last read before then. Answers how many changes it deleted. */
  forgetChanges(before: number): Promise<number>;
}

/** Whose feed is read, and by which grant. */
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

/** Behind all entries of `seq`, or with `event` behind that one of them. */
export type FeedPlace = { readonly seq: number; readonly event?: EventName | undefined };

export type FeedChange = EventName & {
  readonly seq: number;
  /** The number under which it appeared; 0 when it was there before. */
  readonly createdSeq: number;
  /** 0 or 1. */
  readonly deleted: number;
  /** How the wire names its calendar. */
  readonly provider: string;
  readonly accountId: string;
  readonly href: string;
};
