/**
 * The wall-clock times of a recurrence rule, RFC 5545 §3.3.10. A rule is a row of periods (days, weeks, months, years),
 * INTERVAL apart, each with the days that pass its tests, at its times of day; BYSETPOS selects some. Any window is
 * reached by division. Only COUNT must count, by division too if all periods have equally many times.
 */
import { DAY, type DayNumber, dayOfLocal, type LocalMs } from './civil.ts';
import type { Rule } from './rule.ts';
import {
  createPeriods,
  type DaysIn,
  daysOfRule,
  LAST_DAY,
  type Periods,
  type RecurrenceBudget,
  spendSteps,
} from './rule-days.ts';
import { type Counting, createUnits, scaledDays, scaledPeriods, type Units } from './rule-units.ts';

export {
  MOST_SERIES_STEPS,
  type RecurrenceBudget,
  RecurrenceBudgetError,
  recurrenceBudget,
  STEPS_PER_MS,
  seriesBudget,
  spendOccurrence,
  spendSteps,
} from './rule-days.ts';

/** `from` and `to` bound the returned times: from <= time < to. `until` is the rule's own, inclusive. */
export type RuleWindow = {
  readonly from: LocalMs;
  readonly to: LocalMs;
  readonly until?: LocalMs | undefined;
};

/** The cost of a period besides its days and times, in steps. */
const STEPS_OF_PERIOD = 8;

/**
 * Returns the times in the window in order, from `start` on. DTSTART counts towards COUNT even if the rule does not
 * name it (RFC 5545 §3.3.10: it "always counts as the first occurrence"), but is returned only if it does. Throws
 * RecurrenceBudgetError.
 */
export function expandRule(
  rule: Rule,
  start: LocalMs,
  window: RuleWindow,
  budget: RecurrenceBudget,
): LocalMs[] {
  const units = unitsFor(rule, start, budget);
  const firstWanted = units.indexOf(Math.max(window.from, start));
  const last = Math.min(window.to - 1, window.until ?? Number.POSITIVE_INFINITY);
  const count = rule.count ?? Number.POSITIVE_INFINITY;
  const times: LocalMs[] = [];
  let previous = Number.NEGATIVE_INFINITY;
  let { index, counted } =
    rule.count === undefined ? { index: firstWanted, counted: 0 } : countTo(units, firstWanted, budget);

  for (; ; index = units.next(index)) {
    const begins = units.beginOf(index);
    if (begins > last || begins >= END || counted >= count) return times;
    for (const time of units.timesIn(index, budget)) {
      if (time > last) return times;
      // SKIP can move a day to one that the previous period has named.
      if (time <= previous) continue;
      previous = time;
      if (counted === 0 && time !== start) counted = 1;
      counted += 1;
      if (counted > count) return times;
      if (time >= window.from) times.push(time);
    }
  }
}

/** Midnight after the last supported day. */
const END = (LAST_DAY + 1) * DAY;

/** Returns a time at or after the last of a rule with COUNT, or infinity. Throws RecurrenceBudgetError. */
export function findLastTime(rule: Rule, start: LocalMs, budget: RecurrenceBudget): LocalMs {
  const { count = Number.POSITIVE_INFINITY } = rule;
  const units = unitsFor(rule, start, budget);
  const counting = units.counting(budget);
  let from = start;
  if (counting !== undefined && count > counting.inFirst) {
    const { group, inFirst, inGroup } = counting;
    const before = Math.ceil((count - inFirst) / inGroup) - 1;
    const begins = units.beginOf(1 + before * group);
    if (!(begins < END)) return Number.POSITIVE_INFINITY;
    from = Math.max(start, begins);
  }
  return expandRule(rule, start, { from, to: END }, budget).at(-1) ?? from;
}

/** Returns the periods of a rule with their times; hours or minutes for a rule below a day. */
function unitsFor(rule: Rule, start: LocalMs, budget: RecurrenceBudget): Units {
  const row = prepareRow(rule, start, budget);
  if (rule.unit !== undefined) return createUnits({ ...rule, unit: rule.unit }, start, row.daysIn);
  const { periods } = row;
  // SKIP can move a day to the previous or the next period.
  const margin = rule.scale === undefined ? 0 : 1;
  return {
    indexOf: (local) => Math.max(0, periods.indexOf(dayOfLocal(local)) - margin),
    beginOf: (index) => (periods.at(index).first - margin) * DAY,
    next: (index) => index + 1,
    timesIn: (index, spent) => timesIn(row, index, spent),
    counting: (spent) => planCounting(row, spent),
  };
}

type Row = {
  readonly rule: Rule;
  readonly start: LocalMs;
  readonly daysIn: DaysIn;
  readonly dayTimes: TimesOfDay;
  readonly periods: Periods;
};

function prepareRow(rule: Rule, start: LocalMs, budget: RecurrenceBudget): Row {
  const startDay = dayOfLocal(start);
  spendSteps(budget, 20);
  return {
    rule,
    start,
    daysIn: rule.scale === undefined ? daysOfRule(rule, startDay) : scaledDays(rule, rule.scale, startDay),
    dayTimes: timesOfDay(rule, start - startDay * DAY),
    periods:
      rule.scale === undefined ? createPeriods(rule, startDay) : scaledPeriods(rule, rule.scale, startDay),
  };
}

/** Returns where to continue counting without passing the `wanted` time: `counted` times came before it. */
function countTo(units: Units, wanted: number, budget: RecurrenceBudget): { index: number; counted: number } {
  const counting = wanted > 1 ? units.counting(budget) : undefined;
  if (counting === undefined) return { index: 0, counted: 0 };
  const { group, inFirst, inGroup } = counting;
  const groups = Math.floor((wanted - 1) / group);
  return { index: 1 + groups * group, counted: inFirst + groups * inGroup };
}

/** Returns `undefined` if periods differ, as months do. */
function planCounting(row: Row, budget: RecurrenceBudget): Counting | undefined {
  const { frequency, scale, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = row.rule;
  const isEqual = frequency === 'DAILY' || frequency === 'WEEKLY';
  const others = [byMonth, byWeekNo, byYearDay, byMonthDay, scale?.months ?? []];
  if (!isEqual || others.some((part) => part.length > 0)) return undefined;
  // Days of certain weekdays repeat after seven periods, whatever their distance.
  const group = frequency === 'DAILY' && byDay.length > 0 ? 7 : 1;
  const inPeriods = Array.from({ length: group }, (_, index) => countTimes(row, index + 1, budget));
  const first = timesIn(row, 0, budget);
  return {
    group,
    inFirst: first.length + (first[0] === row.start ? 0 : 1),
    inGroup: inPeriods.reduce((sum, size) => sum + size, 0),
  };
}

function countTimes(
  { daysIn, dayTimes, periods, rule }: Row,
  index: number,
  budget: RecurrenceBudget,
): number {
  const size = daysIn(periods.at(index), budget).length * dayTimes.length;
  return rule.bySetPos.length === 0 ? size : positionsIn(size, rule.bySetPos).length;
}

/** Milliseconds after midnight, in order; not listed, since there can be 86,400. */
type TimesOfDay = { readonly length: number; at(index: number): number };

function timesOfDay({ byHour, byMinute, bySecond }: Rule, startTime: number): TimesOfDay {
  const orOfStart = (values: readonly number[], startValue: number) =>
    values.length > 0 ? values : [startValue];
  const hours = orOfStart(byHour, Math.floor(startTime / 3_600_000));
  const minutes = orOfStart(byMinute, Math.floor(startTime / 60_000) % 60);
  const seconds = orOfStart(bySecond, Math.floor(startTime / 1000) % 60);
  const inHour = minutes.length * seconds.length;
  return {
    length: hours.length * inHour,
    at(index) {
      const hour = hours[Math.floor(index / inHour)] ?? 0;
      const minute = minutes[Math.floor(index / seconds.length) % minutes.length] ?? 0;
      const second = seconds[index % seconds.length] ?? 0;
      return (hour * 3600 + minute * 60 + second) * 1000;
    },
  };
}

/** Returns the times of a period in order, from the series' start on. BYSETPOS indexes are found by division. */
function timesIn(
  { daysIn, dayTimes, periods, rule, start }: Row,
  index: number,
  budget: RecurrenceBudget,
): LocalMs[] {
  spendSteps(budget, STEPS_OF_PERIOD);
  const days = daysIn(periods.at(index), budget);
  const times: LocalMs[] = [];
  if (rule.bySetPos.length > 0) {
    spendSteps(budget, 2 * rule.bySetPos.length);
    for (const position of positionsIn(days.length * dayTimes.length, rule.bySetPos)) {
      const time = timeAt(days, dayTimes, position);
      if (time >= start) times.push(time);
    }
    return times;
  }
  spendSteps(budget, days.length * dayTimes.length);
  for (const day of days) {
    for (let index = 0; index < dayTimes.length; index += 1) {
      const time = day * DAY + dayTimes.at(index);
      if (time >= start) times.push(time);
    }
  }
  return times;
}

const timeAt = (days: readonly DayNumber[], dayTimes: TimesOfDay, index: number): LocalMs =>
  (days[Math.floor(index / dayTimes.length)] ?? 0) * DAY + dayTimes.at(index % dayTimes.length);

/** Returns the indexes that BYSETPOS selects from a set of that size, in order. */
function positionsIn(size: number, positions: readonly number[]): number[] {
  const indexes = positions.map((position) => (position > 0 ? position - 1 : size + position));
  const inside = [...new Set(indexes)].filter((index) => index >= 0 && index < size);
  return inside.sort((a, b) => a - b);
}
