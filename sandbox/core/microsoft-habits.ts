/** What Outlook does that its documentation does not say, each a switch: docs/sandbox.md has the source of each. */
export const MICROSOFT_HABITS = [
  /** What was deleted lies in Deleted Items, and is found and changed by its id as before. */
  'deleted_items',
  /** The person saves declined events: they stay, as free. */
  'declined_kept',
  /** An id is answered under the address of any of the user's calendars. */
  'any_calendar',
  /** A delta does not tell what is gone. */
  'deletions_untold',
  /** A listing passes over its first event, as where pages shift while they are read. */
  'passed_over',
  /** The exceptions of a series come a few at a time. */
  'paged_exceptions',
  /** A guest's copy has the guest's own answer in `responseStatus` alone. */
  'no_own_answer',
  /** An online meeting puts a paragraph into the text of its event. */
  'meeting_in_body',
  /** Refresh tokens of personal accounts are refused at `common`, and taken at `consumers`. */
  'common_refused',
] as const;

export type MicrosoftHabit = (typeof MICROSOFT_HABITS)[number];
