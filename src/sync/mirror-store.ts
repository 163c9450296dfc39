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

/** How fresh the list of an account's calendars is, in the same words. */
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

/** `unfinished`: how many syncs were begun since one came to its end, this one included. */
export type BegunSync = { readonly calendar: MirroredCalendar; readonly unfinished: number };

/** When, epoch milliseconds. */
export type NotedAt = { readonly now: number; readonly goesOn: boolean };

/** The calendars of each account, and the syncs of their list. */
export interface MirroredLists {
  /** In the provider's order, without those that the account's user left out (calendar-choice-store.ts). */
  listCalendars(accountKey: string): Promise<MirroredCalendar[]>;

  /** `undefined` when it is gone or left out. */
  findCalendar(calendarKey: string): Promise<MirroredCalendar | undefined>;

  /** `undefined` when the account is gone. */
  findList(accountKey: string): Promise<ListState | undefined>;

  /**
   * Of concurrent calls exactly one gets the lease, unless it is held or the account is gone. Answers how many syncs of
   * the list were begun since one came to its end, this one included; `undefined` without the lease.
   */
  leaseList(lease: SyncLease, now: number, until: number): Promise<number | undefined>;

  /**
   * Makes the account's calendars exactly these and gives the lease back. Those left out stay so, and new ones are
   * where the user wants only what was chosen. Those gone lose their events; one whose zone changed will be listed in full, since floating times
   * move with it, and whoever has its lease loses it. False, and nothing done, when the lease is lost.
   *
   * `now` is when the list was asked for. A calendar whose version is the one it had when its last sync that ended well
   * began counts as synced then. Not so when that version was younger than two seconds by the time that sync began, since a
   * change of the same second may hide behind it, when that sync brought anything or something was written since, or an hour
   * after it; nor after a failure, or where the whole calendar has to be listed or something of it is left out.
   */
  replaceCalendars(lease: SyncLease, calendars: readonly ProviderCalendar[], now: number): Promise<boolean>;

  /** Keeps what was left out of a list that was just read: as a failure of the moment it was listed (see isCutList). */
  noteCutList(accountKey: string, cut: SyncFailure): Promise<void>;
}

/** How the sync of a list ends. */
export interface ListEnds {
  /** Gives the lease back and keeps what the sync failed of. */
  failList(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** The same for the list, and gives its lease back unless `goesOn`. */
  noteListFailure(lease: SyncLease, failure: SyncFailure, at: NotedAt): Promise<void>;

  /** The same for the sync of a list. */
  excuseList(lease: SyncLease): Promise<void>;

  /** The same for a list. */
  releaseList(lease: SyncLease): Promise<void>;
}

/** The events of each calendar, and the syncs that write them. */
export interface MirroredEvents {
  /** The calendar as it is at that moment; `undefined` when it is gone or left out, or another holds the lease. */
  leaseCalendar(lease: SyncLease, now: number, until: number): Promise<MirroredCalendar | undefined>;

  /** The same for a sync, which is counted until it comes to its end: until it is finished, fails or pauses. */
  leaseForSync(lease: SyncLease, now: number, until: number): Promise<BegunSync | undefined>;

  /** The etag of each resource the mirror has, by href; those left out are among them. */
  storedVersions(calendarKey: string): Promise<ReadonlyMap<string, string | undefined>>;

  /**
   * Writes one part of a sync in one transaction and extends the lease to `until`. False, and nothing
   * written, when the lease is lost: the calendar is gone or another run has taken over. What is removed comes
   * before what is changed, and with a series its overrides go that are resources of their own. Fails with ProviderError
   * `too_large`, and nothing is written, where this adds more than is kept of a calendar or a user.
   */
  applyChanges(lease: SyncLease, changes: MirroredChanges, until: number): Promise<boolean>;

  /**
   * The same for what a full listing did not name: these resources go and no others. An override that was listed
   * stays, even when its series goes.
   */
  dropUnlisted(lease: SyncLease, hrefs: readonly string[], until: number): Promise<boolean>;

  /** Ends a sync and gives the lease back: the next one's token, when this one began, and what is left out by now. */
  finishSync(lease: SyncLease, token: string | undefined, syncedAt: number): Promise<boolean>;
}

/** How the sync of a calendar ends before it is finished. */
export interface SyncEnds {
  /**
   * Gives the lease back and keeps what the sync failed of. The token stays as it is. What a calendar that is too large
   * has so far can be read from then on.
   */
  failSync(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Keeps a failure of the calendar, and the lease: the sync goes on, or gives it back without having come to its end. */
  noteFailure(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Gives the lease back in the middle of a sync, which a later one goes on with. */
  pauseSync(lease: SyncLease): Promise<void>;

  /** No longer counts a sync as begun: the process was told to stop, and may end before it does. */
  excuseSync(lease: SyncLease): Promise<void>;

  /** Gives the lease back, as after a write, and leaves everything else as it is. */
  releaseCalendar(lease: SyncLease): Promise<void>;

  /** Forgets the sync token, so that the next sync lists everything. */
  forgetSyncToken(lease: SyncLease): Promise<void>;
}

/** What a sync writes. `EventReader` (reading/event-reader.ts) reads it. */
export type MirrorStore = MirroredLists & ListEnds & MirroredEvents & SyncEnds;
