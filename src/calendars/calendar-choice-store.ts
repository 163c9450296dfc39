/** The user's choice of an account's calendars. Unchosen calendars are not mirrored, read, counted or written. */

export type OfferedCalendar = {
  readonly calendarKey: string;
  readonly title: string;
  readonly color: string | undefined;
  readonly isChosen: boolean;
};

export type ChosenCalendars = {
  /** Whether calendars that appear later are left out. */
  readonly onlyThese: boolean;
  /** In the provider's order. */
  readonly calendars: readonly OfferedCalendar[];
};

/** A user's choice among the calendars of an account. */
export type CalendarChoice = {
  /** Keys; all other calendars of the account are left out. Unknown keys are ignored. */
  readonly chosen: readonly string[];
  readonly onlyThese: boolean;
};

export interface CalendarChoiceStore {
  /** Returns `undefined` if the account was deleted or its list was never read. */
  chosenCalendars(accountKey: string): Promise<ChosenCalendars | undefined>;

  /**
   * Stores a choice. A calendar that is left out loses its events, which the change feed reports; its syncs and writes
   * lose their leases. One that is included again gets a sync in the same transaction. `now` is epoch milliseconds.
   */
  chooseCalendars(accountKey: string, choice: CalendarChoice, now: number): Promise<void>;

  /** Includes one calendar by its href, as `chooseCalendars` does, and leaves the others as they are. */
  includeCalendar(accountKey: string, href: string, now: number): Promise<void>;
}
