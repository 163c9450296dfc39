/**
 * What changed in a user's calendars, in the order in which it was committed. A single event or a whole series is one
 * entry, at its last change. Instants are epoch milliseconds.
 */
import type { PageOwner } from './page-token.ts';

export interface ChangeFeed {
  /**
   * From this answer on every change is noted: whatever the mirror does not show when it is read after, the feed will
   * have, behind `seq`. `undefined` when there is no such user.
   */
  follow(owner: PageOwner, now: number): Promise<FeedState | undefined>;

  /** `undefined` when nobody follows. Notes that somebody does, at `now`. */
  stateOf(owner: PageOwner, now: number): Promise<FeedState | undefined>;

  /**
   * The entries behind a place, in order, at most `limit`. Numbers are given in the order of commits: once an entry with
   * a number is seen, none with a lower one can appear.
   */
  changesAfter(owner: PageOwner, after: FeedPlace, limit: number): Promise<NotedChange[]>;

  /** The single events and series that the mirror has behind `after`, in order, at most `limit`. */
  eventsAfter(calendarKeys: readonly string[], after: EventName, limit: number): Promise<EventName[]>;

  /** Forgets changes that were noted, and feeds that were last read, before then. Answers how many changes went. */
  forgetChanges(before: number): Promise<number>;
}

export type FeedState = {
  /** Another one once the feed was not kept for a while: what happened meanwhile is not known. */
  readonly feedId: string;
  /** The number of the last transaction. */
  readonly seq: number;
  /** Entries up to this number may have been forgotten. */
  readonly prunedSeq: number;
};

export type EventName = { readonly calendarKey: string; readonly id: string };

/** Behind all entries of `seq`, or with `event` behind that one of them. */
export type FeedPlace = { readonly seq: number; readonly event?: EventName | undefined };

export type NotedChange = EventName & {
  readonly seq: number;
  /** The number under which it appeared; 0 when it was there before. */
  readonly createdSeq: number;
  /** 0 or 1. */
  readonly deleted: number;
  /** What the wire names it by. */
  readonly provider: string;
  readonly accountId: string;
  readonly href: string;
};
