/** A series that begins at another time: what names its single instances moves along. */
import { localOf, localOn, originalStartOf, timeLike } from './event-instant.ts';
import type { EventTime } from './event-time.ts';

/** The start of a series, or of the first instance that moves, as it was and as it is to be. */
export type SeriesShift = {
  readonly before: EventTime;
  readonly after: EventTime;
  /** Where floating times are read; for providers that have none, `UTC`. */
  readonly floatingZone: string;
};

/**
 * Where an instance that began at `original` begins once its series is shifted: as far from the series' start as it
 * was by the clock of the series, in the type and zone of `after`. What becomes all-day, or was, moves by whole days.
 */
export function shiftWithSeries(
  original: EventTime,
  { before, after, floatingZone }: SeriesShift,
): EventTime {
  const clock = after.type === 'date' ? after : before;
  const own = originalStartOf(before, original, floatingZone);
  const distance = localOn(clock, own, floatingZone) - localOn(clock, before, floatingZone);
  return timeLike(after, localOf(after) + distance);
}
