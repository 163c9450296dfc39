/** Working hours on the clock of a zone, as stretches of time. A day on which the clock changes is as long as it is. */
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

/** When any of these hours are, within the window: disjoint and in order. */
export function workingTime(hours: readonly WorkingHours[], window: Interval): Interval[] {
  return clipped(merged(hours.flatMap((one) => stretchesOf(one, window))), window);
}

function stretchesOf({ days, start, end, timeZone }: WorkingHours, window: Interval): Interval[] {
  const first = dayOfLocal(localOfInstant(timeZone, window.start)) - 1;
  const last = dayOfLocal(localOfInstant(timeZone, window.end));
  const length = end > start ? end - start : end - start + MINUTES_OF_DAY;
  const stretches: Interval[] = [];
  for (let day: DayNumber = first; day <= last; day += 1) {
    if (!days.includes(weekdayOf(day))) continue;
    const local = day * DAY + start * MINUTE;
    stretches.push({
      start: instantOfLocal(timeZone, local),
      end: instantOfLocal(timeZone, local + length * MINUTE),
    });
  }
  return stretches;
}
