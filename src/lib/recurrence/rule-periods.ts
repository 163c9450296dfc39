/** The row of periods a rule is made of: days, weeks, months or years, INTERVAL apart. */
import { type Civil, civilOf, type DayNumber, dayNumberOf, LAST_YEAR, weekdayOf } from './civil.ts';
import type { Rule } from './rule.ts';

/** first <= day < end. */
export type Period = { readonly first: DayNumber; readonly end: DayNumber };

export type Periods = {
  /** The index of the period a day is in, or of the last one before it. */
  indexOf(day: DayNumber): number;
  at(index: number): Period;
};

/** No time is written after this day. */
export const LAST_DAY = dayNumberOf(LAST_YEAR, 12, 31);

/** The periods of a rule, from the one that `startDay` is in. */
export function periodsOf({ frequency, interval, weekStart }: Rule, startDay: DayNumber): Periods {
  if (frequency === 'DAILY') return equalPeriods(startDay, 1, interval);
  if (frequency === 'WEEKLY') {
    return equalPeriods(startDay - ((weekdayOf(startDay) - weekStart + 7) % 7), 7, interval);
  }
  const months = frequency === 'MONTHLY' ? 1 : 12;
  const unitOf = ({ year, month }: Civil) => (months === 1 ? year * 12 + month - 1 : year);
  const firstDayOf = (unit: number) => (months === 1 ? dayNumberOf(0, unit + 1, 1) : dayNumberOf(unit, 1, 1));
  const base = unitOf(civilOf(startDay));
  return {
    indexOf: (day) => Math.floor((unitOf(civilOf(day)) - base) / interval),
    at: (index) => {
      const unit = base + index * interval;
      return { first: firstDayOf(unit), end: firstDayOf(unit + 1) };
    },
  };
}

function equalPeriods(base: DayNumber, length: number, interval: number): Periods {
  const stride = length * interval;
  return {
    indexOf: (day) => Math.floor((day - base) / stride),
    at: (index) => ({ first: base + index * stride, end: base + index * stride + length }),
  };
}
