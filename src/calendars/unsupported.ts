/** Something that a provider cannot do. It is answered 422 with this reason, and never done in part. */
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
  /** The field of the request that it concerns, if there is one. */
  readonly field: string | undefined;

  /** `message` is public: what cannot be done and why. */
  constructor(reason: UnsupportedReason, message: string, field?: string) {
    super(message);
    this.name = 'UnsupportedByProvider';
    this.reason = reason;
    this.field = field;
  }
}
