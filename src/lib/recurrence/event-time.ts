/**
 * Times as calendars mean them (RFC 5545 §3.3.4, §3.3.5): a date, a wall-clock time in a zone, or a
 * wall-clock time wherever the reader is. Never an instant alone, which would drift over a DST change.
 */

/** `YYYY-MM-DD`. */
export type LocalDate = string;
/** `YYYY-MM-DDTHH:MM:SS`, without a zone. */
export type LocalDateTime = string;

export type EventTime =
  | { readonly type: 'date'; readonly date: LocalDate }
  | { readonly type: 'zoned'; readonly local: LocalDateTime; readonly zone: Zone }
  | { readonly type: 'floating'; readonly local: LocalDateTime };

/** An IANA zone by name, or rules of the calendar's own that match none. */
export type Zone = string | CustomZone;

/** A VTIMEZONE that no IANA zone matches (RFC 5545 §3.6.5). */
export type CustomZone = { readonly tzid: string; readonly observances: readonly Observance[] };

/** When an offset begins: each onset is a wall-clock time under the offset before it. */
export type Observance = {
  readonly start: LocalDateTime;
  /** Seconds east of UTC. */
  readonly offsetFrom: number;
  readonly offsetTo: number;
  readonly rrules: readonly string[];
  readonly rdates: readonly LocalDateTime[];
};

/** The rules of a series, as iCalendar states them: RRULE values without their name. */
export type Recurrence = {
  readonly rrules: readonly string[];
  readonly rdates: readonly RecurrenceDate[];
  readonly exdates: readonly EventTime[];
  /** How long each instance lasts, where start and end of the master do not say it: see Duration. */
  readonly duration?: Duration;
};

/** A length in days by the clock, and then in milliseconds that have passed (RFC 5545 §3.3.6). */
export type Duration = { readonly days: number; readonly milliseconds: number };

/** An RDATE: a start, and an end of its own when it was given as a period. */
export type RecurrenceDate = { readonly start: EventTime; readonly end?: EventTime };
