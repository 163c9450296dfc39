/**
 * Where a row of the mirror is found: by its shape and its stretch of time. Decided from the times alone, so that
 * a series whose overrides come one by one is placed as one that comes whole.
 */
import type { CalendarEvent } from '../calendars/event.ts';
import { instantOf } from '../lib/recurrence/event-instant.ts';
import type { Series, SeriesMaster, SeriesOverride } from '../lib/recurrence/series.ts';
import { spanOf } from '../lib/recurrence/span-of.ts';

/** What `timing` holds: the times as the calendar means them. */
export type Timing = {
  readonly [K in 'start' | 'end']: CalendarEvent[K];
} & {
  readonly [K in 'recurrence' | 'recurrenceId' | 'thisAndFuture']?: CalendarEvent[K] | undefined;
} & { readonly cancelled?: true | undefined };

/** Named as the columns are; epoch milliseconds, of a series from its first instance to its last. */
export type Place = {
  readonly shape: 'short' | 'long' | 'series' | 'override' | 'hidden';
  readonly starts_at: number;
  readonly ends_at: number;
};

/** The longest a 'short' event lasts, in milliseconds: a day on which the clock goes back. */
export const LONGEST_SHORT = 25 * 3_600_000;
/** The end of a series without one: the year 10,000. */
const NEVER = 253_402_300_800_000;

/** Of a single event, or of an override whose series is not there: an instance known alone. */
export function singlePlace(timing: Timing, calendarZone: string): Place {
  const startsAt = instantOf(timing.start, calendarZone);
  const endsAt = Math.max(instantOf(timing.end, calendarZone), startsAt);
  const shape = endsAt - startsAt > LONGEST_SHORT ? 'long' : 'short';
  return {
    shape: timing.cancelled === true ? 'hidden' : shape,
    starts_at: startsAt,
    // An event without length is found as one of a millisecond: no window may pass it over.
    ends_at: Math.max(endsAt, startsAt + 1),
  };
}

/** Of a master: it is found wherever an instance or an override of its series is. */
export function seriesPlace(master: Timing, overrides: readonly Timing[], calendarZone: string): Place {
  const span = spanOf(
    seriesOf(master, overrides, () => undefined),
    calendarZone,
  );
  return {
    shape: master.cancelled === true ? 'hidden' : 'series',
    starts_at: span.startsAt,
    // The span's end is inclusive, the column's is not.
    ends_at: Math.min(span.endsAt + 1, NEVER),
  };
}

/** Of an override whose series is there. */
export function overridePlace(timing: Timing, master: Timing, calendarZone: string): Place {
  const startsAt = instantOf(timing.start, calendarZone);
  return {
    shape: master.cancelled === true ? 'hidden' : 'override',
    starts_at: startsAt,
    ends_at: Math.max(instantOf(timing.end, calendarZone), startsAt + 1),
  };
}

/** The series that a master and its overrides make; `payload` is what is kept with each. */
export function seriesOf<T>(master: Timing, overrides: readonly Timing[], payload: (i: number) => T) {
  const made: Series<T> & { master: SeriesMaster<T> } = {
    master: { start: master.start, end: master.end, recurrence: master.recurrence, payload: payload(-1) },
    overrides: overrides.flatMap((timing, i) => overrideOf(timing, payload(i))),
  };
  return made;
}

function overrideOf<T>(timing: Timing, payload: T): SeriesOverride<T>[] {
  const { recurrenceId, start, end, thisAndFuture, cancelled } = timing;
  if (recurrenceId === undefined) return [];
  return [{ recurrenceId, start, end, thisAndFuture, cancelled: cancelled === true, payload }];
}
