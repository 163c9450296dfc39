/**
 * The place of an event in an index of times: its shape and its span. Computed from the times alone, so a series whose
 * overrides arrive one by one gets the same place as a complete one.
 */
import { instantOf } from './event-instant.ts';
import type { EventTime, Recurrence } from './event-time.ts';
import type { Series, SeriesMaster, SeriesOverride } from './series.ts';
import { spanOf } from './span-of.ts';

/** The times of an event: a single one, a master, or an override, which has a `recurrenceId`. */
export type PlacedTimes = {
  readonly start: EventTime;
  readonly end: EventTime;
  readonly recurrence?: Recurrence;
  readonly recurrenceId?: EventTime;
  readonly thisAndFuture?: true;
  readonly cancelled?: true;
};

/** In epoch milliseconds; for a series, from its first occurrence to its last. */
export type Place = {
  readonly shape: 'short' | 'long' | 'series' | 'override' | 'hidden';
  readonly startsAt: number;
  readonly endsAt: number;
};

/** The longest duration of a 'short' event, in milliseconds: a day on which the clock goes back. */
export const LONGEST_SHORT = 25 * 3_600_000;
/** The end of an endless series. */
const YEAR_10000 = 253_402_300_800_000;

/**
 * Returns whether a main event makes a series of these. Without one, overrides are occurrences that are known alone.
 */
export const isSeries = (timings: readonly PlacedTimes[]): boolean =>
  timings.some((timing) => isMaster(timing) && (timing.recurrence !== undefined || timings.length > 1));

const isMaster = ({ recurrenceId }: PlacedTimes): boolean => recurrenceId === undefined;

/** Returns the places of a single event, or of the known events of one series. */
export function placesOf(timings: readonly PlacedTimes[], calendarZone: string): Place[] {
  const master = timings.find(isMaster);
  if (master === undefined || !isSeries(timings))
    return timings.map((timing) => singlePlace(timing, calendarZone));
  const overrides = timings.filter((timing) => timing !== master);
  return timings.map((timing) =>
    timing === master
      ? seriesPlace(master, overrides, calendarZone)
      : overridePlace(timing, master, calendarZone),
  );
}

function singlePlace(timing: PlacedTimes, calendarZone: string): Place {
  const startsAt = instantOf(timing.start, calendarZone);
  const endsAt = Math.max(instantOf(timing.end, calendarZone), startsAt);
  const shape = endsAt - startsAt > LONGEST_SHORT ? 'long' : 'short';
  return {
    shape: timing.cancelled === true ? 'hidden' : shape,
    startsAt,
    // An event without length counts as one millisecond, so that every window around it finds it.
    endsAt: Math.max(endsAt, startsAt + 1),
  };
}

/** A series is found wherever an occurrence or an override of it is. */
function seriesPlace(master: PlacedTimes, overrides: readonly PlacedTimes[], calendarZone: string): Place {
  const span = spanOf(
    seriesOf(master, overrides, () => undefined),
    calendarZone,
  );
  return {
    shape: master.cancelled === true ? 'hidden' : 'series',
    startsAt: span.startsAt,
    // The span's end is inclusive, the column's is exclusive.
    endsAt: Math.min(span.endsAt + 1, YEAR_10000),
  };
}

function overridePlace(timing: PlacedTimes, master: PlacedTimes, calendarZone: string): Place {
  const startsAt = instantOf(timing.start, calendarZone);
  return {
    shape: master.cancelled === true ? 'hidden' : 'override',
    startsAt,
    endsAt: Math.max(instantOf(timing.end, calendarZone), startsAt + 1),
  };
}

/** Returns the series of a main event and its overrides; `payload` is stored with each. */
export function seriesOf<T>(
  master: PlacedTimes,
  overrides: readonly PlacedTimes[],
  payload: (i: number) => T,
) {
  const made: Series<T> & { master: SeriesMaster<T> } = {
    master: { start: master.start, end: master.end, recurrence: master.recurrence, payload: payload(-1) },
    overrides: overrides.flatMap((timing, i) => overrideOf(timing, payload(i))),
  };
  return made;
}

function overrideOf<T>(timing: PlacedTimes, payload: T): SeriesOverride<T>[] {
  const { recurrenceId, start, end, thisAndFuture, cancelled } = timing;
  if (recurrenceId === undefined) return [];
  return [{ recurrenceId, start, end, thisAndFuture, cancelled: cancelled === true, payload }];
}
