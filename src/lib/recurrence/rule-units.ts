/**
 * Rules below a day (FREQ=HOURLY and MINUTELY), RFC 5545 §3.3.10: a row of hours or minutes of the wall clock, INTERVAL
 * apart. Departs from RFC 5545 §3.3.10 as docs/decisions/0004-recurrences-on-the-wall-clock.md says: the units are those of
 * the clock, so that an hour that comes twice has one occurrence.
 */
import { DAY, dayOfLocal, type LocalMs } from './civil.ts';
import { type RecurrenceBudget, spendSteps } from './recurrence-budget.ts';
import type { Rule } from './rule.ts';
import type { DaysIn } from './rule-days.ts';

/** The units of a rule by their index, which counts from the one of DTSTART, and their times. */
export type Units = {
  /** The index of the unit that holds this time, or of the last one before it. */
  indexOf(local: LocalMs): number;
  /** No time of this unit or of a later one is earlier. */
  beginOf(index: number): LocalMs;
  /** The next unit that can have times, once the times of this one were read. */
  next(index: number): number;
  /** In order, none before DTSTART. Throws RecurrenceBudgetError. */
  timesIn(index: number, budget: RecurrenceBudget): LocalMs[];
  /** Undefined if units have different numbers of times. Throws RecurrenceBudgetError. */
  counting(budget: RecurrenceBudget): Counting | undefined;
};

/** How many times the first unit has, DTSTART among them, and each `group` of the units after it. */
export type Counting = { readonly group: number; readonly inFirst: number; readonly inGroup: number };

const HOUR = 3_600_000;
const MINUTE = 60_000;
const STEPS_OF_UNIT = 4;

/** The units of a rule below a day. `daysIn` tests the days of the rule. */
export function unitsOf(rule: Rule & { readonly unit: number }, start: LocalMs, daysIn: DaysIn): Units {
  const { unit, byHour, byMinute } = rule;
  const stride = unit * rule.interval;
  const base = Math.floor(start / unit) * unit;
  const offsets = offsetsIn(rule, start);
  const hours = new Set(byHour);
  const minutes = new Set(unit === MINUTE ? byMinute : []);
  let tested = { day: Number.NaN, isNamed: false };
  /** Nothing is named from the unit that was read last until then. */
  let emptyUntil: LocalMs = base;

  const isNamed = (local: LocalMs, budget: RecurrenceBudget): boolean => {
    const day = dayOfLocal(local);
    if (tested.day !== day)
      tested = { day, isNamed: daysIn({ first: day, end: day + 1 }, budget).length > 0 };
    const time = local - day * DAY;
    if (!tested.isNamed) emptyUntil = (day + 1) * DAY;
    else if (hours.size > 0 && !hours.has(Math.floor(time / HOUR)))
      emptyUntil = (Math.floor(local / HOUR) + 1) * HOUR;
    else return minutes.size === 0 || minutes.has(Math.floor(time / MINUTE) % 60);
    return false;
  };
  const units: Units = {
    indexOf: (local) => Math.floor((local - base) / stride),
    beginOf: (index) => base + index * stride,
    next: (index) => Math.max(index + 1, Math.ceil((emptyUntil - base) / stride)),
    timesIn(index, budget) {
      const begins = units.beginOf(index);
      spendSteps(budget, STEPS_OF_UNIT);
      if (!isNamed(begins, budget)) return [];
      spendSteps(budget, offsets.length);
      return offsets.map((offset) => begins + offset).filter((time) => time >= start);
    },
    counting(budget) {
      const { byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule;
      const filters = [byMonth, byWeekNo, byYearDay, byMonthDay, byDay, [...hours], [...minutes]];
      if (filters.some((values) => values.length > 0)) return undefined;
      const first = units.timesIn(0, budget);
      return { group: 1, inFirst: first.length + (first[0] === start ? 0 : 1), inGroup: offsets.length };
    },
  };
  return units;
}

/** The times of a unit, in milliseconds from its begin, in order. */
function offsetsIn({ unit, byMinute, bySecond }: Rule, start: LocalMs): number[] {
  const seconds = bySecond.length > 0 ? bySecond : [Math.floor(start / 1000) % 60];
  if (unit === MINUTE) return seconds.map((second) => second * 1000);
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor(start / MINUTE) % 60];
  return minutes.flatMap((minute) => seconds.map((second) => minute * MINUTE + second * 1000));
}
