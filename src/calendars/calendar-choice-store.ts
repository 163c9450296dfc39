/**
 * Which of an account's calendars its user wants: all, until one is left out. What is left out is not mirrored, and
 * nobody reads, counts or writes it.
 */

/** A calendar as it is offered to be chosen. */
export type OfferedCalendar = {
  readonly calendarKey: string;
  readonly title: string;
  readonly color: string | undefined;
  readonly isChosen: boolean;
};

/** An account's calendars, those left out among them. */
export type ChosenCalendars = {
  /** Whether calendars that appear later are left out. */
  readonly onlyThese: boolean;
  /** In the provider's order. */
  readonly calendars: readonly OfferedCalendar[];
};

/** What a user chose of an account. */
export type CalendarChoice = {
  /** Keys; all others of the account are left out. Keys that are not the account's count for nothing. */
  readonly chosen: readonly string[];
  readonly onlyThese: boolean;
};

export interface CalendarChoiceStore {
  /** `undefined` when the account is gone or its list was never read. */
  chosenCalendars(accountKey: string): Promise<ChosenCalendars | undefined>;

  /**
   * What goes out loses its events, which the feed of changes tells, and whatever syncs or writes it loses its lease.
   * What comes in is synced anew: that is scheduled in the same database transaction. `now` is epoch milliseconds.
   */
  chooseCalendars(accountKey: string, choice: CalendarChoice, now: number): Promise<void>;

  /** Takes one calendar in by its provider's name, as `chooseCalendars` does, and leaves the others as they are. */
  includeCalendar(accountKey: string, href: string, now: number): Promise<void>;
}
