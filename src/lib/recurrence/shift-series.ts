/** Shifting a series: RECURRENCE-ID, EXDATE, RDATE and UNTIL move with its start. */
import { civilOf, DAY, dayNumberOf, dayOfLocal, type LocalMs } from './civil.ts';
import { localOf, localOn, originalStartOf, timeLike } from './event-instant.ts';
import type { EventTime, Recurrence } from './event-time.ts';
import { parseRule } from './rule.ts';

/** The old and the new start of a series, or of the first instance that moves. */
type Shift = {
  readonly before: EventTime;
  readonly after: EventTime;
  /** Where floating times are read; for providers that have none, `UTC`. */
  readonly floatingZone: string;
};

/** `byMonth`: occurrences are on the day of the start, whole months apart, and so not equally many days. */
export type SeriesShift = Shift & { readonly byMonth: boolean };

/** Returns the shift of a series with these rules. */
export const shiftOf = (series: { readonly recurrence?: Recurrence }, shift: Shift): SeriesShift => ({
  ...shift,
  byMonth: isByMonth(series.recurrence?.rrules ?? []),
});

function isByMonth(rrules: readonly string[]): boolean {
  const rules = rrules.map(parseRule);
  return (
    rules.length > 0 &&
    rules.every((rule) => {
      if (rule === undefined || rule.scale !== undefined) return false;
      const { frequency, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule;
      const namesDays = [byMonth, byWeekNo, byYearDay, byMonthDay, byDay].some((part) => part.length > 0);
      return (frequency === 'MONTHLY' || frequency === 'YEARLY') && !namesDays;
    })
  );
}

/**
 * Returns the new start of the instance that began at `original`, in the type and zone of `after`. Its distance from the
 * start of the series stays the same on the wall clock; to and from all-day it is counted in whole days. If the series runs
 * by month, the distance is counted from the start in the month of the instance. A day that the month lacks counts on into
 * the next one, where the series has no instance.
 */
export function shiftWithSeries(
  original: EventTime,
  { before, after, floatingZone, byMonth }: SeriesShift,
): EventTime {
  const clock = after.type === 'date' ? after : before;
  const local = localOn(clock, originalStartOf(before, original, floatingZone), floatingZone);
  const [from, to] = [localOn(clock, before, floatingZone), localOf(after)];
  const months = byMonth ? monthOf(local) - monthOf(from) : 0;
  return timeLike(after, monthsLater(to, months) + local - monthsLater(from, months));
}

function monthOf(local: LocalMs): number {
  const { year, month } = civilOf(dayOfLocal(local));
  return year * 12 + month;
}

function monthsLater(local: LocalMs, months: number): LocalMs {
  const number = dayOfLocal(local);
  const { year, month, day } = civilOf(number);
  return local + (dayNumberOf(year, month + months, 1) + day - 1 - number) * DAY;
}
