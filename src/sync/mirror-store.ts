import type { Account } from '../calendars/account-store.ts';
import type { ProviderCalendar } from '../calendars/calendar.ts';
import type { EventResource } from '../calendars/event.ts';

/** A mirrored calendar and how fresh it is. Instants are epoch milliseconds. */
export type MirroredCalendar = ProviderCalendar & {
  readonly calendarKey: string;
  readonly accountKey: string;
  readonly syncToken: string | undefined;
  /** When its events were last known to equal the provider's; undefined before the first sync. */
  readonly syncedAt: number | undefined;
};

/** What syncing writes. Reading is calendars/event-reader.ts. */
export interface MirrorStore {
  listCalendars(accountKeys: readonly string[]): Promise<MirroredCalendar[]>;
  findCalendar(calendarKey: string): Promise<MirroredCalendar | undefined>;

  /** Makes the account's calendars exactly these; those gone lose their events. Marks it synced. */
  replaceCalendars(account: Account, calendars: readonly ProviderCalendar[], now: number): Promise<void>;

  knownResources(calendarKey: string): Promise<ReadonlyMap<string, string | undefined>>;

  /** Writes one part of a sync in one transaction. A calendar that is gone meanwhile is left gone. */
  applyChanges(
    calendarKey: string,
    changed: readonly EventResource[],
    removed: readonly string[],
  ): Promise<void>;

  /** Ends a sync: the token for the next one, and the instant its events are known to be of. */
  finishSync(calendarKey: string, token: string | undefined, syncedAt: number): Promise<void>;

  /** Forgets the sync token, so that the next sync lists everything. */
  forgetSyncToken(calendarKey: string): Promise<void>;
}
