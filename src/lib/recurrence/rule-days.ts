/** The periods of a rule (days to years, INTERVAL apart) and the days that it names in them, RFC 5545 §3.3.10. */
import {
  type Civil,
  type DayNumber,
  dayOfYear,
  daysInMonth,
  isLeapYear,
  LAST_YEAR,
  toCivil,
  toDayNumber,
  weekdayOf,
} from './civil.ts';
import type { Rule, RuleWeekday } from './rule.ts';

/** first <= day < end. */
export type Period = { readonly first: DayNumber; readonly end: DayNumber };

export type Periods = {
  /** The index of the period a day is in, or of the last one before it. */
  indexOf(day: DayNumber): number;
  at(index: number): Period;
};

/** The last supported day. */
export const LAST_DAY = toDayNumber(LAST_YEAR, 12, 31);

/** Returns the periods of a rule, from the one that contains `startDay`. */
export function createPeriods({ frequency, interval, weekStart }: Rule, startDay: DayNumber): Periods {
  if (frequency === 'DAILY') return equalPeriods(startDay, 1, interval);
  if (frequency === 'WEEKLY') {
    return equalPeriods(startDay - ((weekdayOf(startDay) - weekStart + 7) % 7), 7, interval);
  }
  const months = frequency === 'MONTHLY' ? 1 : 12;
  const toUnit = ({ year, month }: Civil) => (months === 1 ? year * 12 + month - 1 : year);
  const findFirstDay = (unit: number) =>
    months === 1 ? toDayNumber(0, unit + 1, 1) : toDayNumber(unit, 1, 1);
  const base = toUnit(toCivil(startDay));
  return {
    indexOf: (day) => Math.floor((toUnit(toCivil(day)) - base) / interval),
    at: (index) => {
      const unit = base + index * interval;
      return { first: findFirstDay(unit), end: findFirstDay(unit + 1) };
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

type DayTest = (day: DayNumber, civil: Civil) => boolean;

/** Returns the days of a period that a rule names, in order. Throws RecurrenceBudgetError. */
export type DaysIn = (period: Period, budget: RecurrenceBudget) => DayNumber[];

/** The cost of one test of one day, in steps; testing its week costs more. */
const STEPS_OF_DAY = 3;
const STEPS_OF_WEEK = 6;
/** How many days are skipped for one step. */
const PASSED_OVER = 5;

/** Returns the days of a rule for a series that starts on that day. */
export function daysOfRule(rule: Rule, startDay: DayNumber): DaysIn {
  const parts = withDaysOfStart(rule, startDay);
  const weekStart = rule.weekStart;
  const tests = dayTests(parts, weekStart);
  const weekdays = namedDays(parts);
  const stepsOfDay = tests.length * STEPS_OF_DAY + (parts.byWeekNo.length > 0 ? STEPS_OF_WEEK : 0);
  return (period, budget) => {
    const days: DayNumber[] = [];
    for (const stretch of listStretches(period, parts)) {
      const candidates = weekdays(stretch);
      const passedOver = (stretch.end - stretch.first - candidates.length) / PASSED_OVER;
      spendSteps(budget, 1 + Math.ceil(passedOver) + candidates.length * Math.max(1, stepsOfDay));
      for (const day of candidates) {
        if (tests.length === 0) days.push(day);
        else {
          const civil = toCivil(day);
          if (tests.every((test) => test(day, civil))) days.push(day);
        }
      }
    }
    return days;
  };
}

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

/** Returns only the months of a year that can contain a day of the rule, which avoids testing the other days. */
function listStretches({ first, end }: Period, { byMonth, byMonthDay }: DayParts): readonly Period[] {
  const months = byMonth.length === 0 && byMonthDay.length > 0 ? MONTHS : byMonth;
  if (end - first < 365 || months.length === 0) return [{ first, end }];
  const { year } = toCivil(first);
  return months.map((month) => ({
    first: toDayNumber(year, month, 1),
    end: toDayNumber(year, month + 1, 1),
  }));
}

/** Returns the candidate days of a stretch in order: few if the rule names days of the month or the week. */
function namedDays({ byMonthDay, byDay }: DayParts): (stretch: Period) => DayNumber[] {
  const weekdays = new Set(byDay.map(({ weekday }) => weekday));
  const isOnWeekday = (day: DayNumber) => weekdays.size === 0 || weekdays.has(weekdayOf(day));
  return ({ first, end }) => {
    const length = end - first;
    if (byMonthDay.length > 0 && length >= 28 && length <= 31) {
      const days = byMonthDay.map((day) => (day > 0 ? first + day - 1 : end + day));
      const inside = days.filter((day) => day >= first && day < end && isOnWeekday(day));
      return [...new Set(inside)].sort((a, b) => a - b);
    }
    const days: DayNumber[] = [];
    for (let day = first; day < end; day += 1) if (isOnWeekday(day)) days.push(day);
    return days;
  };
}

/** Returns the tests that a day must pass, the cheapest first. */
function dayTests(parts: DayParts, weekStart: number): readonly DayTest[] {
  const tests: DayTest[] = [];
  const { byMonth, byMonthDay, byYearDay, byWeekNo, byDay } = parts;
  if (byMonth.length > 0) tests.push(inMonths(byMonth));
  if (byMonthDay.length > 0) tests.push(onMonthDays(byMonthDay));
  // Days of the wrong weekday are skipped before; the tests check ordinals.
  if (byDay.some(({ ordinal }) => ordinal !== 0)) tests.push(onWeekdays(parts));
  if (byYearDay.length > 0) tests.push(onYearDays(byYearDay));
  if (byWeekNo.length > 0) tests.push(inWeeks(byWeekNo, weekStart));
  return tests;
}

type DayParts = Pick<Rule, 'frequency' | 'byMonth' | 'byMonthDay' | 'byYearDay' | 'byWeekNo' | 'byDay'>;

// > Information, not contained in the rule, necessary to determine the various recurrence instance start
// > time and dates are derived from the Start Time (DTSTART) component attribute.
function withDaysOfStart(rule: Rule, startDay: DayNumber): DayParts {
  const { frequency, byMonthDay, byYearDay, byDay, byWeekNo } = rule;
  if (frequency === 'DAILY' || byMonthDay.length + byYearDay.length + byDay.length > 0) return rule;
  if (frequency === 'WEEKLY' || byWeekNo.length > 0) {
    return { ...rule, byDay: [{ ordinal: 0, weekday: weekdayOf(startDay) }] };
  }
  const { month, day } = toCivil(startDay);
  const byMonth = frequency === 'YEARLY' && rule.byMonth.length === 0 ? [month] : rule.byMonth;
  return { ...rule, byMonth, byMonthDay: [day] };
}

function inMonths(months: readonly number[]): DayTest {
  const monthSet = new Set(months);
  return (_day, { month }) => monthSet.has(month);
}

function onMonthDays(days: readonly number[]): DayTest {
  const daySet = new Set(days);
  return (_number, { year, month, day }) => daySet.has(day) || daySet.has(day - daysInMonth(year, month) - 1);
}

function onYearDays(days: readonly number[]): DayTest {
  const daySet = new Set(days);
  return (_number, civil) => {
    const day = dayOfYear(civil);
    return daySet.has(day) || daySet.has(day - lengthOfYear(civil.year) - 1);
  };
}

const lengthOfYear = (year: number): number => (isLeapYear(year) ? 366 : 365);

/** Ordinals count within the month, or the year of a yearly rule without months; otherwise they mean nothing. */
function onWeekdays({ frequency, byMonth, byWeekNo, byDay }: DayParts): DayTest {
  const counted = frequency === 'MONTHLY' || (frequency === 'YEARLY' && byWeekNo.length === 0);
  const every = new Set(
    byDay.filter(({ ordinal }) => ordinal === 0 || !counted).map(({ weekday }) => weekday),
  );
  if (!counted || every.size === byDay.length) return (day) => every.has(weekdayOf(day));
  const ordinals = new Set(byDay.map(ordinalKey));
  const inYear = frequency === 'YEARLY' && byMonth.length === 0;
  return (number, civil) => {
    const weekday = weekdayOf(number);
    if (every.has(weekday)) return true;
    const position = inYear ? dayOfYear(civil) : civil.day;
    const length = inYear ? lengthOfYear(civil.year) : daysInMonth(civil.year, civil.month);
    const fromStart = Math.ceil(position / 7);
    const fromEnd = -Math.ceil((length - position + 1) / 7);
    return (
      ordinals.has(ordinalKey({ ordinal: fromStart, weekday })) ||
      ordinals.has(ordinalKey({ ordinal: fromEnd, weekday }))
    );
  };
}

const ordinalKey = ({ ordinal, weekday }: RuleWeekday): number => ordinal * 7 + weekday;

/** Weeks are numbered as in ISO 8601, but begin on WKST: week 1 is the first with four days of the year. */
function inWeeks(weeks: readonly number[], weekStart: number): DayTest {
  const weekSet = new Set(weeks);
  return (number, { year }) => {
    const start = number - ((weekdayOf(number) - weekStart + 7) % 7);
    let firstWeek = findFirstWeek(year, weekStart);
    let nextFirstWeek = findFirstWeek(year + 1, weekStart);
    if (start < firstWeek) {
      nextFirstWeek = firstWeek;
      firstWeek = findFirstWeek(year - 1, weekStart);
    } else if (start >= nextFirstWeek) {
      firstWeek = nextFirstWeek;
      nextFirstWeek = findFirstWeek(year + 2, weekStart);
    }
    const week = (start - firstWeek) / 7 + 1;
    return weekSet.has(week) || weekSet.has(week - (nextFirstWeek - firstWeek) / 7 - 1);
  };
}

/** The week that contains 4 January has four days of the new year, whatever day weeks begin with. */
function findFirstWeek(year: number, weekStart: number): DayNumber {
  const fourth = toDayNumber(year, 1, 4);
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7);
}

/** A budget that expansions count down. The series of a calendar share one. */
export type RecurrenceBudget = {
  /** Instances that may still be returned. */
  occurrences: number;
  /** Work that may still be done: days tested, dates placed, instances created. A step takes about 50 ns. */
  steps: number;
};

/** Steps that take a millisecond, give or take a factor of two between kinds of series. */
export const STEPS_PER_MS = 20_000;

/** The steps for one series on the main thread: about 20 ms. */
export const MOST_SERIES_STEPS = 20 * STEPS_PER_MS;

/** Thrown when a budget is used up. */
export class RecurrenceBudgetError extends Error {
  constructor() {
    super('Too many occurrences to expand');
    this.name = 'RecurrenceBudgetError';
  }
}

/** Creates a budget; by default that of a whole read, a fifth of a second. */
export function recurrenceBudget(occurrences = 10_000, steps = 200 * STEPS_PER_MS): RecurrenceBudget {
  return { occurrences, steps };
}

/** Creates the budget for one series on the main thread. */
export const seriesBudget = (): RecurrenceBudget => recurrenceBudget(10_000, MOST_SERIES_STEPS);

/** Counts one instance that is returned. Throws RecurrenceBudgetError. */
export function spendOccurrence(budget: RecurrenceBudget): void {
  budget.occurrences -= 1;
  if (budget.occurrences < 0) throw new RecurrenceBudgetError();
}

/** Counts work before it is done. Throws RecurrenceBudgetError. */
export function spendSteps(budget: RecurrenceBudget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new RecurrenceBudgetError();
}
