/** A provider's limit, told as 422 with its reason (issue of writing: never approximated in silence). */
export type UnsupportedReason =
  | 'recurrence_not_supported_by_provider'
  | 'field_not_supported_by_provider'
  | 'conference_not_supported_by_calendar'
  | 'mode_not_supported_by_provider'
  | 'organizer_only'
  | 'calendar_read_only'
  | 'calendar_creation_not_supported_by_provider'
  | 'calendar_not_deletable';

export class UnsupportedByProvider extends Error {
  readonly reason: UnsupportedReason;
  /** The wire's field it is about, where it is one. */
  readonly field: string | undefined;

  /** `message` is public: what cannot be done and why. */
  constructor(reason: UnsupportedReason, message: string, field?: string) {
    super(message);
    this.name = 'UnsupportedByProvider';
    this.reason = reason;
    this.field = field;
  }
}
