/** Times as calendars mean them (RFC 5545 §3.3.4, §3.3.5). An instant alone would drift over a DST change. */

/** `YYYY-MM-DD`. */
export type LocalDate = string;
/** `YYYY-MM-DDTHH:MM:SS`, without a zone. */
export type LocalDateTime = string;

export type EventTime =
  | { readonly type: 'date'; readonly date: LocalDate }
  | { readonly type: 'zoned'; readonly local: LocalDateTime; readonly zone: Zone }
  | { readonly type: 'floating'; readonly local: LocalDateTime };

/** An IANA zone by name, or a calendar's custom rules that match none. */
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
  /** The length of each instance, if start and end of the main event do not state it. */
  readonly duration?: Duration;
};

/** A length: days by the clock, then exact milliseconds (RFC 5545 §3.3.6). */
export type Duration = { readonly days: number; readonly milliseconds: number };

/** An RDATE: a start, and an end if it is a period. */
export type RecurrenceDate = { readonly start: EventTime; readonly end?: EventTime };
