/**
 * Rules below a day (FREQ=HOURLY and MINUTELY): hours or minutes of the wall clock, INTERVAL apart. Departs from RFC
 * 5545 §3.3.10 (docs/decisions/0004-recurrences-on-the-wall-clock.md): an hour that comes twice has one occurrence.
 */
import { DAY, type DayNumber, dayOfLocal, type LocalMs, toCivil, toDayNumber, weekdayOf } from './civil.ts';
import type { Rule, Scale } from './rule.ts';
import {
  createPeriods,
  type DaysIn,
  type Period,
  type Periods,
  type RecurrenceBudget,
  spendSteps,
} from './rule-days.ts';

/** The units of a rule and their times. Index 0 is the unit of DTSTART. */
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

/** The number of times in the first unit, DTSTART included, and in each `group` of later units. */
export type Counting = { readonly group: number; readonly inFirst: number; readonly inGroup: number };

const HOUR = 3_600_000;
const MINUTE = 60_000;
const STEPS_OF_UNIT = 4;

/** Creates the units of a rule below a day. `daysIn` tests the days of the rule. */
export function createUnits(rule: Rule & { readonly unit: number }, start: LocalMs, daysIn: DaysIn): Units {
  const { unit, byHour, byMinute } = rule;
  const stride = unit * rule.interval;
  const base = Math.floor(start / unit) * unit;
  const offsets = offsetsIn(rule, start);
  const hours = new Set(byHour);
  const minutes = new Set(unit === MINUTE ? byMinute : []);
  let tested = { day: Number.NaN, isNamed: false };
  /** The rule names no time between the last unit that was read and this one. */
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

/** Returns the times of a unit in order, in milliseconds from its beginning. */
function offsetsIn({ unit, byMinute, bySecond }: Rule, start: LocalMs): number[] {
  const seconds = bySecond.length > 0 ? bySecond : [Math.floor(start / 1000) % 60];
  if (unit === MINUTE) return seconds.map((second) => second * 1000);
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor(start / MINUTE) % 60];
  return minutes.flatMap((minute) => seconds.map((second) => minute * MINUTE + second * 1000));
}

/** The cost of one Temporal date with its fields, in steps. */
const STEPS_OF_DATE = 60;
/** Temporal walks through the years of its lunar calendars. One step covers this many days. */
const DAYS_OF_STEP = 100;
/** Periods farther from DTSTART are behind the year 9999, and Temporal refuses those that are much farther. */
const MOST_YEARS = 10_000;
const NEVER: Period = { first: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };
const LUNAR_MONTH = 29.53;

type PlainDate = Temporal.PlainDate;

/** Returns the periods of a rule of this scale, from the one that `startDay` is in. */
export function scaledPeriods(rule: Rule, { calendar }: Scale, startDay: DayNumber): Periods {
  const { frequency, interval } = rule;
  if (frequency === 'DAILY' || frequency === 'WEEKLY') return createPeriods(rule, startDay);
  const start = dateOn(startDay, calendar);
  if (frequency === 'YEARLY') {
    return {
      indexOf: (day) => Math.floor((dateOn(day, calendar).year - start.year) / interval),
      at(index) {
        if (index * interval > MOST_YEARS) return NEVER;
        const first = monthIn(start.year + index * interval, 'M01', calendar);
        return first === undefined ? NEVER : periodFrom(first, first.daysInYear);
      },
    };
  }
  const base = start.with({ day: 1 });
  const monthAt = (distance: number) => {
    const first = base.add({ months: distance });
    return periodFrom(first, first.daysInMonth);
  };
  return {
    indexOf(day) {
      let distance = Math.floor((day - startDay) / LUNAR_MONTH);
      for (let month = monthAt(distance); day < month.first || day >= month.end; month = monthAt(distance))
        distance += Math.trunc((day - month.first) / LUNAR_MONTH) || (day < month.first ? -1 : 1);
      return Math.floor(distance / interval);
    },
    at: (index) => (index * interval > MOST_YEARS * 12 ? NEVER : monthAt(index * interval)),
  };
}

/** Returns the days of a rule of this scale, on a series that starts on `startDay`. */
export function scaledDays(rule: Rule, scale: Scale, startDay: DayNumber): DaysIn {
  const parts = withStart(rule, scale, startDay);
  const weekdays = new Set(parts.byDay.map(({ weekday }) => weekday));
  return (period, budget) => {
    spendSteps(budget, 2 * STEPS_OF_DATE + Math.abs(period.first - startDay) / DAYS_OF_STEP);
    const days = candidatesIn(period, parts, budget).filter(
      (day) => weekdays.size === 0 || weekdays.has(weekdayOf(day)),
    );
    spendSteps(budget, days.length * STEPS_OF_DATE);
    return days.filter((day) => isNamed(dateOn(day, scale.calendar), parts)).sort((a, b) => a - b);
  };
}

type Parts = Scale & Pick<Rule, 'frequency' | 'byMonthDay' | 'byYearDay' | 'byDay'>;

/** DTSTART supplies what the rule leaves open. */
function withStart(rule: Rule, scale: Scale, startDay: DayNumber): Parts {
  const { frequency, byMonthDay, byYearDay, byDay } = rule;
  const parts = { ...scale, frequency, byMonthDay, byYearDay, byDay };
  if (frequency === 'DAILY' || byMonthDay.length + byYearDay.length + byDay.length > 0) return parts;
  if (frequency === 'WEEKLY') return { ...parts, byDay: [{ ordinal: 0, weekday: weekdayOf(startDay) }] };
  const { day, monthCode } = dateOn(startDay, scale.calendar);
  const isOpen = frequency === 'YEARLY' && scale.months.length === 0;
  return { ...parts, byMonthDay: [day], months: isOpen ? [monthCode] : scale.months };
}

/** Returns the days that `isNamed` must test, each once, including days that replace missing ones. */
function candidatesIn(period: Period, parts: Parts, budget: RecurrenceBudget): DayNumber[] {
  const { frequency, byMonthDay, byYearDay, skip } = parts;
  const isYear = frequency === 'YEARLY';
  if (isYear && byMonthDay.length === 0 && byYearDay.length > 0) return numberedDays(period, byYearDay, skip);
  if (!isYear && frequency !== 'MONTHLY') return allDays(period);
  const months = monthsIn(period, parts, budget);
  const days = months.flatMap((month) =>
    byMonthDay.length === 0 ? allDays(month) : numberedDays(month, byMonthDay, skip),
  );
  return [...new Set(days)];
}

const allDays = ({ first, end }: Period): DayNumber[] =>
  Array.from({ length: end - first }, (_, index) => first + index);

/** Returns the days with these numbers, from either end. SKIP replaces a missing day by the one before or after it. */
function numberedDays({ first, end }: Period, numbers: readonly number[], skip: Scale['skip']): DayNumber[] {
  return numbers.flatMap((number) => {
    const day = number > 0 ? first + number - 1 : end + number;
    if (day >= first && day < end) return [day];
    if (skip === 'OMIT') return [];
    if (number > 0) return [skip === 'FORWARD' ? end : end - 1];
    return [skip === 'FORWARD' ? first : first - 1];
  });
}

/** Returns the months of a period that BYMONTH names. In a year, SKIP replaces a leap month that it lacks. */
function monthsIn(period: Period, parts: Parts, budget: RecurrenceBudget): Period[] {
  const { calendar, frequency, months } = parts;
  const first = dateOn(period.first, calendar);
  if (frequency === 'MONTHLY') return months.length === 0 || months.includes(first.monthCode) ? [period] : [];
  spendSteps(budget, STEPS_OF_DATE * (months.length || first.monthsInYear));
  const firstDays =
    months.length === 0
      ? Array.from({ length: first.monthsInYear }, (_, index) => first.add({ months: index }))
      : months.map((code) => monthIn(first.year, code, calendar) ?? monthInstead(first.year, code, parts));
  return firstDays.flatMap((month) => (month === undefined ? [] : [periodFrom(month, month.daysInMonth)]));
}

/** Returns the first day of a month; `undefined` if the year lacks it. */
function monthIn(year: number, monthCode: string, calendar: string): PlainDate | undefined {
  try {
    return Temporal.PlainDate.from({ calendar, year, monthCode, day: 1 }, { overflow: 'reject' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function monthInstead(year: number, code: string, { calendar, skip }: Parts): PlainDate | undefined {
  if (skip === 'OMIT' || !code.endsWith('L')) return undefined;
  const before = monthIn(year, code.slice(0, -1), calendar);
  return skip === 'BACKWARD' ? before : before?.add({ months: 1 });
}

/** Whether the day passes the parts that `candidatesIn` did not apply. */
function isNamed(date: PlainDate, { frequency, months, byMonthDay, byYearDay, byDay }: Parts): boolean {
  const isCounted = frequency === 'MONTHLY' || frequency === 'YEARLY';
  const hasDay = (numbers: readonly number[], day: number, length: number) =>
    numbers.includes(day) || numbers.includes(day - length - 1);
  const isOfMonth = months.includes(date.monthCode) || months.length === 0;
  if (!isOfMonth && (!isCounted || (byMonthDay.length === 0 && byYearDay.length > 0))) return false;
  const { day, daysInMonth, dayOfYear, daysInYear } = date;
  if (!isCounted && byMonthDay.length > 0 && !hasDay(byMonthDay, day, daysInMonth)) return false;
  const isNumbered = frequency === 'YEARLY' && byMonthDay.length === 0;
  if (!isNumbered && byYearDay.length > 0 && !hasDay(byYearDay, dayOfYear, daysInYear)) return false;
  const isInYear = frequency === 'YEARLY' && months.length === 0;
  const [position, length] = isInYear ? [dayOfYear, daysInYear] : [day, daysInMonth];
  const ordinals = [0, Math.ceil(position / 7), -Math.ceil((length - position + 1) / 7)];
  const weekday = date.dayOfWeek - 1;
  const isOnDay = byDay.some((of) => of.weekday === weekday && (!isCounted || ordinals.includes(of.ordinal)));
  return byDay.length === 0 || isOnDay;
}

function periodFrom(first: PlainDate, length: number): Period {
  const { year, month, day } = first.withCalendar('iso8601');
  const number = toDayNumber(year, month, day);
  return { first: number, end: number + length };
}

function dateOn(dayNumber: DayNumber, calendar: string): PlainDate {
  const { year, month, day } = toCivil(dayNumber);
  return new Temporal.PlainDate(year, month, day, calendar);
}
