import type { ProviderCalendar } from '../calendars/calendar.ts';
import type { LeftOutOfCalendar, MirroredChanges } from '../calendars/mirrored-event.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';

/** A mirrored calendar and how fresh it is. Instants are epoch milliseconds. */
export type MirroredCalendar = ProviderCalendar &
  LeftOutOfCalendar & {
    readonly calendarKey: string;
    readonly accountKey: string;
    readonly syncToken: string | undefined;
    /** When its events were last known to equal the provider's; undefined before the first sync. */
    readonly syncedAt: number | undefined;
    /** When its last sync failed, until one succeeds. */
    readonly failedAt: number | undefined;
    readonly failure: SyncFailure | undefined;
  };

/** The age of the list of an account's calendars, with the same fields. */
export type ListState = Pick<MirroredCalendar, 'syncedAt' | 'failedAt' | 'failure'>;

/**
 * The right to sync one calendar, or one account's list of calendars, until the lease ends. Held by one
 * run at a time over all instances; what a run writes after it lost its lease changes nothing.
 */
export type SyncLease = {
  /** The calendar's or the account's key. */
  readonly key: string;
  /** Names the run; new for each. */
  readonly holder: string;
};

/** `unfinished` is the number of syncs that began since one was finished, this one included. */
export type BegunSync = { readonly calendar: MirroredCalendar; readonly unfinished: number };

/** `now` is in epoch milliseconds. `goesOn`: the sync continues under its lease. */
export type NotedAt = { readonly now: number; readonly goesOn: boolean };

/** The calendars of each account, and the syncs of their list. */
export interface MirroredLists {
  /**
   * Lists calendars in the provider's order, without those that the account's user left out (calendar-choice-store.ts).
   */
  listCalendars(accountKey: string): Promise<MirroredCalendar[]>;

  /** Returns `undefined` if the calendar was removed or left out. */
  findCalendar(calendarKey: string): Promise<MirroredCalendar | undefined>;

  /** Returns `undefined` if the account was deleted. */
  findList(accountKey: string): Promise<ListState | undefined>;

  /**
   * Leases the list. Of concurrent calls exactly one gets the lease, unless it is held or the account was deleted.
   * Returns the number of syncs of the list that began since one was finished, this one included; `undefined` without
   * the lease.
   */
  leaseList(lease: SyncLease, now: number, until: number): Promise<number | undefined>;

  /**
   * Replaces the account's list of calendars and releases the lease. Calendars that the user left out stay left out, as
   * do new ones if the user wants only the chosen ones. Removed calendars lose their events. If a calendar's zone
   * changed, its next sync lists it in full, since floating times move, and a running sync of it loses its lease.
   * Returns false and changes nothing if the lease is lost.
   *
   * `now` is when the list was requested. A calendar counts as synced then if its version is the one from the start of
   * its last successful sync. It does not if that version was younger than two seconds when that sync began:
   * a change of the same second may hide behind it. Nor does it if that sync brought changes, after a write, an hour
   * after that sync, after a failure, while a full listing is due, or if something in it is left out.
   */
  replaceCalendars(lease: SyncLease, calendars: readonly ProviderCalendar[], now: number): Promise<boolean>;

  /** Stores what was left out of a list that was just read, as a failure at the time of the listing (see isCutList). */
  noteCutList(accountKey: string, cut: SyncFailure): Promise<void>;
}

/** How the sync of a list ends. */
export interface ListEnds {
  /** Releases the lease and stores the sync's failure. */
  failList(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Does the same for the list, and releases its lease unless `goesOn`. */
  noteListFailure(lease: SyncLease, failure: SyncFailure, at: NotedAt): Promise<void>;

  /** Does the same for the sync of a list. */
  excuseList(lease: SyncLease): Promise<void>;

  /** Does the same for a list. */
  releaseList(lease: SyncLease): Promise<void>;
}

/** The events of each calendar, and the syncs that write them. */
export interface MirroredEvents {
  /**
   * Leases a calendar and returns its present state; `undefined` if it was removed or left out, or if another run holds
   * the lease.
   */
  leaseCalendar(lease: SyncLease, now: number, until: number): Promise<MirroredCalendar | undefined>;

  /** Leases it for a sync, which counts as unfinished until it is finished, fails or pauses. */
  leaseForSync(lease: SyncLease, now: number, until: number): Promise<BegunSync | undefined>;

  /** Returns the etag of each resource in the mirror by href, including resources that are left out. */
  storedVersions(calendarKey: string): Promise<ReadonlyMap<string, string | undefined>>;

  /**
   * Writes one part of a sync in one transaction and extends the lease to `until`. Returns false and writes nothing if
   * the lease is lost: the calendar was removed or another run has taken over. Removals come before changes; with a
   * series, its overrides in separate resources are removed. Fails with ProviderError `too_large`, and writes nothing,
   * if this exceeds a quota of the calendar or the user.
   */
  applyChanges(lease: SyncLease, changes: MirroredChanges, until: number): Promise<boolean>;

  /**
   * Deletes the resources that a full listing lacked, and no others. An override that was listed stays, even if its
   * series is deleted.
   */
  dropUnlisted(lease: SyncLease, hrefs: readonly string[], until: number): Promise<boolean>;

  /** Ends a sync and releases the lease. Stores the next sync token, when this sync began, and what is left out. */
  finishSync(lease: SyncLease, token: string | undefined, syncedAt: number): Promise<boolean>;
}

/** How the sync of a calendar ends before it is finished. */
export interface SyncEnds {
  /**
   * Releases the lease and stores the sync's failure. The sync token stays. If the calendar is too large, the events
   * that it has can be read from then on.
   */
  failSync(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /**
   * Stores a failure of the calendar and keeps the lease: the sync continues, or releases it without having been
   * finished.
   */
  noteFailure(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Releases the lease during a sync, which a later one continues. */
  pauseSync(lease: SyncLease): Promise<void>;

  /** Stops counting a sync as unfinished: the process is stopping, and may end first. */
  excuseSync(lease: SyncLease): Promise<void>;

  /** Releases the lease, as after a write, and changes nothing else. */
  releaseCalendar(lease: SyncLease): Promise<void>;

  /** Deletes the sync token, so that the next sync lists everything. */
  forgetSyncToken(lease: SyncLease): Promise<void>;
}

/** What a sync writes. `EventReader` (reading/event-reader.ts) reads it. */
export type MirrorStore = MirroredLists & ListEnds & MirroredEvents & SyncEnds;
