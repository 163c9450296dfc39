/**
 * The wall-clock times a recurrence rule names, RFC 5545 §3.3.10. A rule is a row of periods (days, weeks, months,
 * years), INTERVAL apart; each period gives its days that pass the rule's tests, at the rule's times of day,
 * of which BYSETPOS picks some. So any window is reached by division; only COUNT has to count.
 */
import {
  type Civil,
  civilOf,
  DAY,
  type DayNumber,
  dayNumberOf,
  dayOfLocal,
  LAST_YEAR,
  type LocalMs,
  weekdayOf,
} from './civil.ts';
import type { Rule } from './rule.ts';
import { type DayTest, dayTests, monthsOf } from './rule-days.ts';

/** `from` and `to` bound what is answered: from <= time < to. `until` is the rule's own, inclusive. */
export type RuleWindow = {
  readonly from: LocalMs;
  readonly to: LocalMs;
  readonly until?: LocalMs | undefined;
};

/**
 * The times in the window in order, never before `start`. DTSTART counts towards COUNT even where the rule does
 * not name it (RFC 5545 §3.3.10: it "always counts as the first occurrence"), but is only answered
 * where it does. Throws RecurrenceBudgetError.
 */
export function expandRule(
  rule: Rule,
  start: LocalMs,
  window: RuleWindow,
  budget: RecurrenceBudget,
): LocalMs[] {
  const lastCounted = lastByDivision(rule, start);
  const count = lastCounted === undefined ? rule.count : undefined;
  const startDay = dayOfLocal(start);
  const tests = dayTests(rule, startDay);
  const months = monthsOf(rule, startDay);
  const dayTimes = timesOfDay(rule, start - startDay * DAY);
  const periods = periodsOf(rule, startDay);
  const times: LocalMs[] = [];
  const last = Math.min(
    window.to - 1,
    window.until ?? Number.POSITIVE_INFINITY,
    lastCounted ?? Number.POSITIVE_INFINITY,
  );
  let counted = 0;
  let index = count === undefined ? periods.indexOf(Math.max(dayOfLocal(window.from), startDay)) : 0;

  for (; ; index += 1) {
    const { first, end } = periods.at(index);
    if (first * DAY > last || first > LAST_DAY) return times;
    const days = daysToTest({ first, end }, months).flatMap((part) => matchingDays(part, tests, budget));
    for (const time of timesOfPeriod({ days, times: dayTimes }, rule.bySetPos, budget)) {
      if (time < start) continue;
      if (time > last) return times;
      if (counted === 0 && time !== start) counted = 1;
      counted += 1;
      if (count !== undefined && counted > count) return times;
      if (time >= window.from) times.push(time);
    }
  }
}

/** The last time of a rule with COUNT that has one time in each period, without counting. */
function lastByDivision(
  { frequency, interval, count, byDay, ...rule }: Rule,
  start: LocalMs,
): LocalMs | undefined {
  const { byMonth, byWeekNo, byYearDay, byMonthDay, byHour, byMinute, bySecond, bySetPos } = rule;
  const others = [byMonth, byWeekNo, byYearDay, byMonthDay, byHour, byMinute, bySecond, bySetPos];
  if (count === undefined || others.some((part) => part.length > 0)) return undefined;
  const onOneDay = byDay.length === 1 && byDay[0]?.weekday === weekdayOf(dayOfLocal(start));
  if (frequency === 'DAILY' && byDay.length === 0) return start + (count - 1) * interval * DAY;
  if (frequency === 'WEEKLY' && (byDay.length === 0 || onOneDay))
    return start + (count - 1) * interval * 7 * DAY;
  return undefined;
}

const LAST_DAY = dayNumberOf(LAST_YEAR, 12, 31);

type Period = { readonly first: DayNumber; readonly end: DayNumber };

type Periods = {
  /** The index of the period a day is in, or of the last one before it. */
  indexOf(day: DayNumber): number;
  at(index: number): Period;
};

function periodsOf({ frequency, interval, weekStart }: Rule, startDay: DayNumber): Periods {
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

/** Of a year only the months that can hold a day of the rule, which saves testing the other days. */
function daysToTest({ first, end }: Period, months: readonly number[]): readonly Period[] {
  if (end - first < 365 || months.length === 0) return [{ first, end }];
  const { year } = civilOf(first);
  return months.map((month) => ({
    first: dayNumberOf(year, month, 1),
    end: dayNumberOf(year, month + 1, 1),
  }));
}

function matchingDays(
  { first, end }: Period,
  tests: readonly DayTest[],
  budget: RecurrenceBudget,
): DayNumber[] {
  spendSteps(budget, end - first);
  const days: DayNumber[] = [];
  for (let day = first; day < end; day += 1) {
    if (tests.length === 0) days.push(day);
    else {
      const civil = civilOf(day);
      if (tests.every((test) => test(day, civil))) days.push(day);
    }
  }
  return days;
}

/** Milliseconds after midnight, in order. */
function timesOfDay({ byHour, byMinute, bySecond }: Rule, startTime: number): number[] {
  const orOfStart = (values: readonly number[], startValue: number) =>
    values.length > 0 ? values : [startValue];
  const hours = orOfStart(byHour, Math.floor(startTime / 3_600_000));
  const minutes = orOfStart(byMinute, Math.floor(startTime / 60_000) % 60);
  const seconds = orOfStart(bySecond, Math.floor(startTime / 1000) % 60);
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => (hour * 3600 + minute * 60 + second) * 1000)),
  );
}

/** The period's times in order. Positions are found by division, so that the whole set need not be made. */
function* timesOfPeriod(
  { days, times }: { readonly days: readonly DayNumber[]; readonly times: readonly number[] },
  positions: readonly number[],
  budget: RecurrenceBudget,
): Generator<LocalMs> {
  const size = days.length * times.length;
  const at = (index: number): LocalMs =>
    (days[Math.floor(index / times.length)] ?? 0) * DAY + (times[index % times.length] ?? 0);
  if (positions.length === 0) {
    for (let index = 0; index < size; index += 1) {
      spendSteps(budget, 1);
      yield at(index);
    }
    return;
  }
  const indexes = positions.map((position) => (position > 0 ? position - 1 : size + position));
  const inside = [...new Set(indexes)].filter((index) => index >= 0 && index < size);
  spendSteps(budget, positions.length);
  for (const index of inside.sort((a, b) => a - b)) yield at(index);
}

/**
 * A bound on the cost of expanding, since a rule can name millions of times. Every expansion counts it down: share one
 * among the series of a request.
 */
export type RecurrenceBudget = {
  /** Instances that may still be answered. */
  occurrences: number;
  /** Days and times of day that may still be looked at: about 20 million a second. */
  steps: number;
};

/** Thrown when a budget is used up. */
export class RecurrenceBudgetError extends Error {
  constructor() {
    super('Too many occurrences to expand');
    this.name = 'RecurrenceBudgetError';
  }
}

export function recurrenceBudget(occurrences = 10_000, steps = 4_000_000): RecurrenceBudget {
  return { occurrences, steps };
}

export function spendOccurrence(budget: RecurrenceBudget): void {
  budget.occurrences -= 1;
  if (budget.occurrences < 0) throw new RecurrenceBudgetError();
}

export function spendSteps(budget: RecurrenceBudget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new RecurrenceBudgetError();
}
