/** A calendar of an account, with how its changes arrive. Instants are epoch milliseconds. */
export type SyncedCalendar = {
  readonly calendarKey: string;
  readonly position: number;
  readonly title: string;
  readonly isPrimary: boolean;
  /** Whether its user left it out: then it is not synced. */
  readonly isLeftOut: boolean;
  readonly eventCount: number;
  /** When it was last known to equal the provider's; undefined before that. */
  readonly syncedAt: number | undefined;
  /** The failure of its last sync; undefined if it succeeded. */
  readonly failure: string | undefined;
  /** When a job syncs it next; undefined if none is planned. */
  readonly nextAt: number | undefined;
  /** When its watch expires; undefined if it is polled. */
  readonly pushedUntil: number | undefined;
};

/** The calendar behind which a page begins. */
export type CalendarPlace = Pick<SyncedCalendar, 'position' | 'calendarKey'>;

export interface AccountCalendars {
  /** Lists calendars in the order of the account. `now` decides which watches are live. */
  listCalendars(
    accountKey: string,
    page: { readonly after?: CalendarPlace | undefined; readonly limit: number; readonly now: number },
  ): Promise<SyncedCalendar[]>;
}

/** Returns the message of a failure, which is stored as JSON. */
export function failureText(failure: string): string {
  try {
    const { message } = JSON.parse(failure) as { readonly message?: unknown };
    return typeof message === 'string' ? message : failure;
  } catch {
    return failure;
  }
}
