/** A calendar of an account and its sync. Instants are epoch milliseconds. */
export type SyncedCalendar = {
  readonly calendarKey: string;
  readonly position: number;
  readonly title: string;
  readonly isPrimary: boolean;
  /** Whether its user excluded it from syncs. */
  readonly isLeftOut: boolean;
  readonly eventCount: number;
  /** The last time it equaled the provider's; undefined before the first sync. */
  readonly syncedAt: number | undefined;
  /** The failure of its last sync; undefined if it succeeded. */
  readonly failure: string | undefined;
  /** The time of the next job that syncs it, if any. */
  readonly nextAt: number | undefined;
  /** The expiry of its watch; undefined if it is polled. */
  readonly pushedUntil: number | undefined;
};

/** The calendar after which a page begins. */
export type CalendarPlace = Pick<SyncedCalendar, 'position' | 'calendarKey'>;

export interface AccountCalendars {
  /** Lists calendars in the account's order. `now` decides which watches are live. */
  listCalendars(
    accountKey: string,
    page: { readonly after?: CalendarPlace | undefined; readonly limit: number; readonly now: number },
  ): Promise<SyncedCalendar[]>;
}

/** Returns the message of a failure's JSON. */
export function failureText(failure: string): string {
  try {
    const { message } = JSON.parse(failure) as { readonly message?: unknown };
    return typeof message === 'string' ? message : failure;
  } catch {
    return failure;
  }
}
