/** Outlook's undocumented behaviors, each a switch: docs/sandbox.md has the source of each. */
export const MICROSOFT_HABITS = [
  /** Deleted events are in Deleted Items, and can be read and changed by id as before. */
  'deleted_items',
  /** Declined events stay in the calendar, as free, because the person keeps them. */
  'declined_kept',
  /** An event can be read by id under the address of any of the user's calendars. */
  'any_calendar',
  /** A delta omits deletions. */
  'deletions_untold',
  /** A listing skips its first event, as if pages had shifted while they were read. */
  'passed_over',
  /** The exceptions of a series come a few at a time. */
  'paged_exceptions',
  /** A guest's copy has the guest's own response only in `responseStatus`. */
  'no_own_answer',
  /** An online meeting adds a paragraph to the text of its event. */
  'meeting_in_body',
  /** Refresh tokens of personal accounts are refused at `common`, and accepted at `consumers`. */
  'common_refused',
] as const;

export type MicrosoftHabit = (typeof MICROSOFT_HABITS)[number];
