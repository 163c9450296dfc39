import type { ProviderCalendar } from '../calendars/calendar.ts';
import type { MirroredChanges } from '../calendars/mirrored-event.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';

/** A mirrored calendar and how fresh it is. Instants are epoch milliseconds. */
export type MirroredCalendar = ProviderCalendar & {
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

/** What syncing writes. Reading is reading/event-reader.ts. */
export interface MirrorStore {
  /** In the provider's order, without those that the account's user left out (calendar-choice-store.ts). */
  listCalendars(accountKey: string): Promise<MirroredCalendar[]>;
  /** `undefined` when it is gone or left out. */
  findCalendar(calendarKey: string): Promise<MirroredCalendar | undefined>;
  /** `undefined` when the account is gone. */
  findList(accountKey: string): Promise<ListState | undefined>;

  /** Of concurrent calls exactly one gets the lease, unless it is held or the account is gone. */
  leaseList(lease: SyncLease, now: number, until: number): Promise<boolean>;

  /**
   * Makes the account's calendars exactly these and gives the lease back. Those left out stay so, and new ones are
   * where the user wants only what was chosen. Those gone lose their events; one whose zone changed will be listed in full, since floating times
   * move with it, and whoever has its lease loses it. False, and nothing done, when the lease is lost.
   */
  replaceCalendars(lease: SyncLease, calendars: readonly ProviderCalendar[], now: number): Promise<boolean>;

  /** Gives the lease back and keeps what the sync failed of. */
  failList(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** The calendar as it is at that moment; `undefined` when it is gone or left out, or another holds the lease. */
  leaseCalendar(lease: SyncLease, now: number, until: number): Promise<MirroredCalendar | undefined>;

  /** The etag of each resource the mirror has, by href. */
  storedVersions(calendarKey: string): Promise<ReadonlyMap<string, string | undefined>>;

  /**
   * Writes one part of a sync in one transaction and extends the lease to `until`. False, and nothing
   * written, when the lease is lost: the calendar is gone or another run has taken over. What is removed comes
   * before what is changed, and with a series its overrides go that are resources of their own.
   */
  applyChanges(lease: SyncLease, changes: MirroredChanges, until: number): Promise<boolean>;

  /**
   * The same for what a full listing did not name: these resources go and no others. An override that was listed
   * stays, even when its series goes.
   */
  dropUnlisted(lease: SyncLease, hrefs: readonly string[], until: number): Promise<boolean>;

  /** Ends a sync and gives the lease back: the next one's token, and when this one began. */
  finishSync(lease: SyncLease, token: string | undefined, syncedAt: number): Promise<boolean>;

  /** Gives the lease back and keeps what the sync failed of. The token stays as it is. */
  failSync(lease: SyncLease, failure: SyncFailure, now: number): Promise<void>;

  /** Gives the lease back after a write and leaves everything else as it is. */
  releaseCalendar(lease: SyncLease): Promise<void>;

  /** Forgets the sync token, so that the next sync lists everything. */
  forgetSyncToken(lease: SyncLease): Promise<void>;
}
