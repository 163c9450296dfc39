import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { Watch, WatchState } from './watch.ts';

/** Watches, kept so that every instance takes their notices. Instants are epoch milliseconds. */
export interface WatchStore {
  /** Of an account, the newest first. */
  listWatches(accountKey: string): Promise<Watch[]>;

  /** Notes that the provider is being asked. False when the account or calendar is gone. */
  addWatch(watch: NewWatch): Promise<boolean>;

  /** Keeps what came of asking. One that was heard from meanwhile stays `live`. */
  settleWatch(watchId: string, outcome: WatchOutcome): Promise<void>;

  removeWatch(watchId: string): Promise<void>;

  /** Whose notice it is; `undefined` for an unknown one. */
  findNotified(watchId: string): Promise<Notified | undefined>;

  /** It was heard from: it counts from now on, and what was read before `now` is read again. */
  trustFrom(watchId: string, now: number): Promise<void>;

  /** The provider says that it ends soon, or is no more: then `isGone`. */
  renewSoon(watchId: string, isGone: boolean): Promise<void>;

  /** How changes of each account of a user come in. */
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
  /** `push` where all of its calendars that can be watched are. */
  readonly updates: 'push' | 'polling';
  /** When the calendar that was read longest ago was last known to equal the provider's; `undefined` before that. */
  readonly syncedAt: number | undefined;
};
