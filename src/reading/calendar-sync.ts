import type { SyncFailure } from '../calendars/sync-failure.ts';

/**
 * Brings the mirror up to date. Calls for the same thing share one sync over all instances; each resolves when a sync
 * that began at `notBefore` (epoch milliseconds) or later has ended. Failures are returned. No request is sent if a
 * sync failed since `notBefore` or the provider asked to wait. A deleted account or calendar needs no sync.
 */
export interface CalendarSync {
  /** Syncs the account's list of calendars. */
  syncList(accountKey: string, notBefore: number): Promise<SyncFailure | undefined>;

  /** Syncs the list, then the events of calendars that were never synced. */
  syncNewCalendars(accountKey: string, notBefore: number): Promise<SyncFailure | undefined>;

  /** Syncs the events of one calendar. */
  syncCalendar(calendarKey: string, notBefore: number): Promise<SyncFailure | undefined>;

  /** Schedules a job for a sync that no caller awaits any longer, so that it survives this process. */
  continueAsJob(kind: 'sync-account' | 'sync-calendar', key: string): Promise<void>;
}
