/**
 * Creates, changes and deletes calendars. Fails with ProviderError, or with `UnsupportedByProvider` for what the
 * provider cannot express; then nothing was done. The result is read from the account's list of calendars.
 */
export interface CalendarWriting {
  /**
   * Creates an empty calendar and returns its href. With CalDAV, calls with the same `key` (32 hex digits) create one
   * calendar; other providers cannot recognize a repetition.
   */
  create(draft: CalendarDraft, key: string): Promise<string>;

  /** Changes only the fields of `change`. Fails as `not_found` if the calendar was deleted. */
  change(calendarHref: string, change: CalendarChange): Promise<void>;

  /** Deletes the calendar with all its events. Resolves if it no longer exists. */
  delete(calendarHref: string): Promise<void>;
}

export type CalendarDraft = {
  readonly title: string;
  /** `#rrggbb` in lower case, or a color name of the provider. */
  readonly color: string | undefined;
  readonly description: string | undefined;
  /** An IANA zone; the provider's choice if undefined. */
  readonly timeZone: string | undefined;
};

/** Omitted fields do not change. An empty description is removed. */
export type CalendarChange = Partial<Pick<CalendarDraft, 'title' | 'color' | 'description'>>;
