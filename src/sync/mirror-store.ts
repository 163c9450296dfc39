import type { ProviderCalendar } from '../calendars/calendar.ts';
import type { LeftOutOfCalendar, MirroredChanges } from '../calendars/mirrored-event.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';

/** A mirrored calendar and its freshness. Instants are epoch milliseconds. */
export type MirroredCalendar = ProviderCalendar &
  LeftOutOfCalendar & {
    readonly calendarKey: string;
    readonly accountKey: string;
    readonly syncToken: string | undefined;
    /** The last time its events equaled the provider's; undefined before the first sync. */
    readonly syncedAt: number | undefined;
    /** The time of the last sync, if it failed. */
    readonly failedAt: number | undefined;
    readonly failure: SyncFailure | undefined;
  };

/** The freshness of an account's list of calendars. */
export type ListState = Pick<MirroredCalendar, 'syncedAt' | 'failedAt' | 'failure'>;

/** The exclusive right to sync a calendar or list until the lease ends. Writes without it have no effect. */
export type SyncLease = {
  /** The key of the calendar or account. */
  readonly key: string;
  /** Identifies the run; new for each. */
  readonly holder: string;
};

/** `unfinished` counts the syncs since one finished, including this one. */
export type BegunSync = { readonly calendar: MirroredCalendar; readonly unfinished: number };

/** `now` is in epoch milliseconds. `goesOn`: the sync continues under its lease. */
export type NotedAt = { readonly now: number; readonly goesOn: boolean };

/** The calendars of each account, and the syncs of their list. */
export interface MirroredLists {
  /** Lists an account's calendars in the provider's order, without excluded ones (calendar-choice-store.ts). */
  listCalendars(accountKey: string): Promise<MirroredCalendar[]>;

  /** Returns `undefined` if the calendar was removed or excluded. */
  findCalendar(calendarKey: string): Promise<MirroredCalendar | undefined>;

  /** Returns `undefined` if the account was deleted. */
  findList(accountKey: string): Promise<ListState | undefined>;

  /** Leases the list to one of concurrent calls. Returns the number of syncs since one finished, including this one. */
  leaseList(lease: SyncLease, now: number, until: number): Promise<number | undefined>;

  /**
   * Replaces the list of calendars and releases the lease; returns false, without a change, if the lease is lost.
   * Excluded calendars stay excluded, as do new ones if the user wants only chosen ones. Removed calendars lose their
   * events. A changed time zone moves floating times, so it requires a full listing and ends the lease of a running
   * sync. `now` is when the list was requested. A calendar counts as synced then if its version is unchanged since its
   * last successful sync. Exceptions: that version was younger than two seconds when that sync began (a change of the
   * same second may hide behind it); that sync brought changes or was over an hour ago; a write or a failure followed;
   * a full listing is due; or something in it is left out.
   */
  replaceCalendars(lease: SyncLease, calendars: readonly ProviderCalendar[], now: number): Promise<boolean>;

  /** Stores that the last listing was incomplete, as a failure at its time (see isCutList). */
  noteCutList(accountKey: string, cut: SyncFailure): Promise<void>;
}

export interface ListEnds {
  /** Releases the lease and stores the sync's failure. */
  failList(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Stores a failure of the list; releases the lease unless `goesOn`. */
  noteListFailure(lease: SyncLease, failure: SyncFailure, at: NotedAt): Promise<void>;

  /** Stops counting a sync of the list as unfinished. */
  excuseList(lease: SyncLease): Promise<void>;

  /** Releases the lease of a list. */
  releaseList(lease: SyncLease): Promise<void>;
}

/** The events of each calendar, and the syncs that write them. */
export interface MirroredEvents {
  /** Leases a calendar and returns its state; `undefined` if it was removed or excluded, or is leased. */
  leaseCalendar(lease: SyncLease, now: number, until: number): Promise<MirroredCalendar | undefined>;

  /** Leases a calendar for a sync, which counts as unfinished until it finishes, fails or pauses. */
  leaseForSync(lease: SyncLease, now: number, until: number): Promise<BegunSync | undefined>;

  /** Returns the etag of each stored resource by href, including resources that are left out. */
  storedVersions(calendarKey: string): Promise<ReadonlyMap<string, string | undefined>>;

  /**
   * Writes one part of a sync in one transaction and extends the lease to `until`; false without the lease. Removals
   * come first; removing a series removes its overrides in other resources. Throws ProviderError `too_large`, without
   * writing, beyond a quota of the calendar or user.
   */
  applyChanges(lease: SyncLease, changes: MirroredChanges, until: number): Promise<boolean>;

  /** Deletes only the resources that a full listing lacked. A listed override stays, even without its series. */
  dropUnlisted(lease: SyncLease, hrefs: readonly string[], until: number): Promise<boolean>;

  /** Ends a sync and releases the lease. Stores the next sync token, the start of this sync, and what is left out. */
  finishSync(lease: SyncLease, token: string | undefined, syncedAt: number): Promise<boolean>;
}

/** The ends of a calendar's sync before it is finished. */
export interface SyncEnds {
  /** Releases the lease and stores the failure. The sync token stays. A too large calendar then becomes readable. */
  failSync(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Stores a failure of the calendar and keeps the lease. */
  noteFailure(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Releases the lease during a sync, which a later one continues. */
  pauseSync(lease: SyncLease): Promise<void>;

  /** Stops counting a sync as unfinished, because the process is stopping. */
  excuseSync(lease: SyncLease): Promise<void>;

  /** Releases the lease without other changes, such as after a write. */
  releaseCalendar(lease: SyncLease): Promise<void>;

  /** Deletes the sync token, so that the next sync lists everything. */
  forgetSyncToken(lease: SyncLease): Promise<void>;
}

/** The writes of a sync. `EventReader` (reading/event-reader.ts) reads their result. */
export type MirrorStore = MirroredLists & ListEnds & MirroredEvents & SyncEnds;
