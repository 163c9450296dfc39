/** A calendar of an account, with how its changes come in. Instants are epoch milliseconds. */
export type SyncedCalendar = {
  readonly calendarKey: string;
  readonly position: number;
  readonly title: string;
  readonly isPrimary: boolean;
  /** Its user left it out: it is not synced. */
  readonly isLeftOut: boolean;
  readonly eventCount: number;
  /** When it was last known to equal the provider's; absent before that. */
  readonly syncedAt: number | undefined;
  /** What its last sync failed of; absent when it did not. */
  readonly failure: string | undefined;
  /** When a job looks at it next; absent when none is planned. */
  readonly nextAt: number | undefined;
  /** Until when its provider tells of changes; absent where it is asked for them. */
  readonly pushedUntil: number | undefined;
};

/** Behind which calendar a page begins. */
export type CalendarPlace = Pick<SyncedCalendar, 'position' | 'calendarKey'>;

export interface AccountCalendars {
  /** In the order of the account. `now` decides which watches live. */
  listCalendars(
    accountKey: string,
    page: { readonly after?: CalendarPlace | undefined; readonly limit: number; readonly now: number },
  ): Promise<SyncedCalendar[]>;
}

/** A failure is kept as JSON; its message is what people read. */
export function failureText(failure: string): string {
  try {
    const { message } = JSON.parse(failure) as { readonly message?: unknown };
    return typeof message === 'string' ? message : failure;
  } catch {
    return failure;
  }
}
