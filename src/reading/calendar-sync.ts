import type { SyncFailure } from '../calendars/sync-failure.ts';

/**
 * Brings the mirror up to date. Calls for the same thing share one sync across all instances. Each resolves when a sync
 * that began at `notBefore` (epoch milliseconds) or later has ended, no matter which call ran it. A failure is
 * returned, not thrown. If one happened since `notBefore`, or the provider asked to wait, it is returned without
 * another request. A deleted account or calendar needs no sync.
 */
export interface CalendarSync {
  /** The list of the account's calendars. */
  syncList(accountKey: string, notBefore: number): Promise<SyncFailure | undefined>;

  /** The list, then the events of those calendars that were never synced. */
  syncNewCalendars(accountKey: string, notBefore: number): Promise<SyncFailure | undefined>;

  /** The events of one calendar. */
  syncCalendar(calendarKey: string, notBefore: number): Promise<SyncFailure | undefined>;

  /** Makes a job of a sync that nobody waits for any longer, so that it ends even if this process does. */
  continueAsJob(kind: 'sync-account' | 'sync-calendar', key: string): Promise<void>;
}
