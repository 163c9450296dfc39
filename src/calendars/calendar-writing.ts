/**
 * What a provider can do to calendars themselves: the part of an account that makes, changes and deletes them. Fails with
 * ProviderError; with `UnsupportedByProvider` for what the provider cannot express, with nothing of the request done.
 * The account's list tells what became of it.
 */
export interface CalendarWriting {
  /**
   * Creates an empty calendar and answers its href. With the same `key` (32 hex digits) CalDAV makes one calendar,
   * however often; the others cannot tell a repetition.
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

/** Absent: stays as it is. An empty description is taken away. */
export type CalendarChange = Partial<Pick<CalendarDraft, 'title' | 'color' | 'description'>>;
