import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { Watch, WatchState } from './watch.ts';

/** Stores watches, so that every instance can handle their notifications. Instants are epoch milliseconds. */
export interface WatchStore {
  /** Lists watches of an account, the newest first. */
  listWatches(accountKey: string): Promise<Watch[]>;

  /** Stores a watch before the provider is asked. Returns false if the account or calendar was deleted. */
  addWatch(watch: NewWatch): Promise<boolean>;

  /** Stores the result of the request. A watch that received a notification meanwhile stays `live`. */
  settleWatch(watchId: string, outcome: WatchOutcome): Promise<void>;

  removeWatch(watchId: string): Promise<void>;

  /** Returns the owner of a watch; `undefined` for an unknown one. */
  findNotified(watchId: string): Promise<Notified | undefined>;

  /** Marks a watch that received a notification as live. Calendars read before `now` are read again. */
  trustFrom(watchId: string, now: number): Promise<void>;

  /** Makes renewal due: the provider reports that the watch ends soon or, with `isGone`, has ended. */
  renewSoon(watchId: string, isGone: boolean): Promise<void>;

  /** Returns how changes of each account of a user arrive. */
  listUpdates(clientId: string, userId: string, now: number): Promise<AccountUpdates[]>;
}

export type NewWatch = Pick<Watch, 'watchId' | 'accountKey' | 'calendarKey' | 'madeAt' | 'expiresAt'> & {
  readonly tokenHash: string;
};

export type WatchOutcome = Pick<Watch, 'remoteId' | 'reason' | 'renewAt' | 'expiresAt'> & {
  readonly state: Exclude<WatchState, 'asked'>;
};

export type Notified = Pick<Watch, 'watchId' | 'accountKey' | 'calendarKey' | 'state'> & {
  readonly provider: ProviderKind;
  readonly tokenHash: string;
};

export type AccountUpdates = {
  readonly accountKey: string;
  /** `push` if all calendars that can be watched are. */
  readonly updates: 'push' | 'polling';
  /** When the calendar with the oldest read was last known to equal the provider's; `undefined` before that. */
  readonly syncedAt: number | undefined;
  /** Undefined once the list and all calendars in it were read. */
  readonly firstSync: FirstSync | undefined;
};

/** How far the first sync of an account is. */
export type FirstSync = {
  readonly calendars: number;
  readonly calendarsRead: number;
  readonly events: number;
  /** The number of events that were listed so far, in all calendars. Undefined if the provider does not list them. */
  readonly eventsExpected: number | undefined;
};
