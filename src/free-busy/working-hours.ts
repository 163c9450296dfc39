/** Working hours on the clock of a zone, as intervals of time: longer or shorter where the clock changes within. */
import { DAY, type DayNumber, dayOfLocal, weekdayOf } from '../lib/recurrence/civil.ts';
import { instantOfLocal, localOfInstant } from '../lib/recurrence/zone.ts';
import { clipped, type Interval, merged } from './intervals.ts';

export type WorkingHours = {
  /** 0 is Monday. */
  readonly days: readonly number[];
  /** Minutes of the day; an end that is not after the start is on the next day. */
  readonly start: number;
  readonly end: number;
  /** An IANA name. */
  readonly timeZone: string;
};

const MINUTE = 60_000;
const MINUTES_OF_DAY = 1440;

/** The time of any of these hours within the window: disjoint and in order. */
export function workingTime(hours: readonly WorkingHours[], window: Interval): Interval[] {
  return clipped(merged(hours.flatMap((one) => intervalsOf(one, window))), window);
}

function intervalsOf({ days, start, end, timeZone }: WorkingHours, window: Interval): Interval[] {
  const first = dayOfLocal(localOfInstant(timeZone, window.start)) - 1;
  const last = dayOfLocal(localOfInstant(timeZone, window.end));
  const length = end > start ? end - start : end - start + MINUTES_OF_DAY;
  const intervals: Interval[] = [];
  for (let day: DayNumber = first; day <= last; day += 1) {
    if (!days.includes(weekdayOf(day))) continue;
    const local = day * DAY + start * MINUTE;
    intervals.push({
      start: instantOfLocal(timeZone, local),
      end: instantOfLocal(timeZone, local + length * MINUTE),
    });
  }
  return intervals;
}
