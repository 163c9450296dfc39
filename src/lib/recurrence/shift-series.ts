/** Moves the occurrences of a series with its start. */
import { DAY, dayOfLocal, type LocalMs, toCivil, toDayNumber } from './civil.ts';
import { isSameStart, localOn, timeLike, toInstant, toLocalMs, toOriginalStart } from './event-instant.ts';
import type { EventTime, Recurrence } from './event-time.ts';
import { parseRule } from './rule.ts';

type Times = { readonly start: EventTime; readonly end: EventTime };

/** Returns whether the override has its series' time: equally long by the clock, or exactly, across a DST change. */
export function isUsual(
  event: Times & { readonly original: EventTime },
  series: Times,
  calendarZone: string,
): boolean {
  const exact = (times: Times) => toInstant(times.end, calendarZone) - toInstant(times.start, calendarZone);
  const byClock = (times: Times) => localOn(times.start, times.end, calendarZone) - toLocalMs(times.start);
  return (
    isSameStart(event.start, event.original, calendarZone) &&
    (exact(event) === exact(series) || byClock(event) === byClock(series))
  );
}

/** The old and the new start of a series, or of the first instance that moves. */
type Shift = {
  readonly before: EventTime;
  readonly after: EventTime;
  /** The zone of floating times; `UTC` for providers that have none. */
  readonly floatingZone: string;
};

/** `byMonth`: occurrences are whole months apart, on the day of the start, and so not equally many days apart. */
export type SeriesShift = Shift & { readonly byMonth: boolean };

/** Returns the shift of a series with these rules. */
export const createShift = (series: { readonly recurrence?: Recurrence }, shift: Shift): SeriesShift => ({
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
 * Returns the new start of the instance that began at `original`, in the type and zone of `after`. Its distance from
 * the series' start stays the same on the wall clock, in whole days to or from all-day. In a series by month it is
 * counted in the month of the instance; a day that the month lacks continues into the next, where the series has no
 * instance.
 */
export function shiftWithSeries(
  original: EventTime,
  { before, after, floatingZone, byMonth }: SeriesShift,
): EventTime {
  const clock = after.type === 'date' ? after : before;
  const local = localOn(clock, toOriginalStart(before, original, floatingZone), floatingZone);
  const [from, to] = [localOn(clock, before, floatingZone), toLocalMs(after)];
  const months = byMonth ? toMonthNumber(local) - toMonthNumber(from) : 0;
  return timeLike(after, monthsLater(to, months) + local - monthsLater(from, months));
}

function toMonthNumber(local: LocalMs): number {
  const { year, month } = toCivil(dayOfLocal(local));
  return year * 12 + month;
}

function monthsLater(local: LocalMs, months: number): LocalMs {
  const number = dayOfLocal(local);
  const { year, month, day } = toCivil(number);
  return local + (toDayNumber(year, month + months, 1) + day - 1 - number) * DAY;
}
