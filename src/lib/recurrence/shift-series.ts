/** Shifting a series: RECURRENCE-ID, EXDATE, RDATE and UNTIL move with its start. */
import { localOf, localOn, originalStartOf, timeLike } from './event-instant.ts';
import type { EventTime } from './event-time.ts';

/** The old and the new start of a series, or of the first instance that moves. */
export type SeriesShift = {
  readonly before: EventTime;
  readonly after: EventTime;
  /** Where floating times are read; for providers that have none, `UTC`. */
  readonly floatingZone: string;
};

/**
 * The new start of the instance that began at `original`, in the type and zone of `after`. Its distance from the start
 * of the series stays the same on the wall clock; to and from all-day it is counted in whole days.
 */
export function shiftWithSeries(
  original: EventTime,
  { before, after, floatingZone }: SeriesShift,
): EventTime {
  const clock = after.type === 'date' ? after : before;
  const instance = originalStartOf(before, original, floatingZone);
  const distance = localOn(clock, instance, floatingZone) - localOn(clock, before, floatingZone);
  return timeLike(after, localOf(after) + distance);
}
