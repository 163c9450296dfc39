/**
 * The part of an account that creates, changes and deletes calendars. Fails with ProviderError, or with
 * `UnsupportedByProvider` for what the provider cannot express; nothing of the request is done then. The result is read
 * from the account's list of calendars.
 */
export interface CalendarWriting {
  /**
   * Creates an empty calendar and answers its href. At CalDAV, calls with the same `key` (32 hex digits) create one
   * calendar; the other providers cannot recognise a repetition.
   */
  create(draft: CalendarDraft, key: string): Promise<string>;

  /** Changes what `change` names and nothing else; `not_found` when the calendar is gone. */
  change(calendarHref: string, change: CalendarChange): Promise<void>;

  /** Deletes it with all its events. Gone already is no failure. */
  delete(calendarHref: string): Promise<void>;
}

export type CalendarDraft = {
  readonly title: string;
  /** `#rrggbb` in lower case, or the provider's own name for one. */
  readonly color: string | undefined;
  readonly description: string | undefined;
  /** An IANA zone; the provider's choice when absent. */
  readonly timeZone: string | undefined;
};

/** An absent field stays as it is. An empty description is removed. */
export type CalendarChange = Partial<Pick<CalendarDraft, 'title' | 'color' | 'description'>>;
