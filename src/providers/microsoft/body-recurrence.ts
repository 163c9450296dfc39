/** Converts a rule (RFC 5545 §3.3.10) to a pattern and range with exactly the same occurrences, or refuses it. */
import type {
  DayOfWeek,
  PatternedRecurrence,
  RecurrencePattern,
  RecurrenceRange,
} from '@microsoft/microsoft-graph-types';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import {
  DAY,
  dayOfLocal,
  daysInMonth,
  formatDate,
  type LocalMs,
  toCivil,
  weekdayOf,
} from '../../lib/recurrence/civil.ts';
import type { EventTime, Recurrence } from '../../lib/recurrence/event-time.ts';
import { expandRule, recurrenceBudget } from '../../lib/recurrence/expand-rule.ts';
import { masterClock } from '../../lib/recurrence/master-clock.ts';
import type { Rule } from '../../lib/recurrence/rule.ts';
import { toRuleZone } from './body-times.ts';
import { POSITIONS, WEEKDAYS } from './recurrence.ts';

/** Maximum `interval` and `numberOfOccurrences`, which no source confirms. */
const MAX_INTERVAL = 999;
const MAX_OCCURRENCES = 999;

/** Fails with UnsupportedByProvider `recurrence_not_supported_by_provider`. The caller handles EXDATEs. */
export function toGraphRecurrence(recurrence: Recurrence, start: EventTime): PatternedRecurrence {
  const { rrules, rdates } = recurrence;
  if (rdates.length > 0) throw unsupported('dates outside the rule');
  if (rrules.length > 1) throw unsupported('more than one rule');
  const clock = masterClock({ start, end: start, recurrence, payload: undefined }, 'UTC');
  const [first] = clock.rules;
  if (first === undefined || clock.extended)
    throw unsupported('a rule below days, or of another calendar than the Gregorian');
  const { rule, until } = first;
  refuseTimesOfDay(rule, clock.startLocal);
  const pattern = buildPattern(rule, clock.startLocal);
  refuseOtherStart(rule, clock.startLocal);
  return {
    pattern: { ...pattern, interval: checkInterval(rule) },
    range: { ...buildRange(rule, until, clock.startLocal), recurrenceTimeZone: toRuleZone(start) },
  };
}

/** Returns the error. `what` completes its sentence. */
function unsupported(what: string): UnsupportedByProvider {
  return new UnsupportedByProvider(
    'recurrence_not_supported_by_provider',
    `Outlook cannot repeat an event by ${what}`,
    'recurrence',
  );
}

function checkInterval({ interval }: Rule): number {
  if (interval > MAX_INTERVAL) throw unsupported(`an interval over ${MAX_INTERVAL}`);
  return interval;
}

/** Accepts parts that only repeat the time of DTSTART. */
function refuseTimesOfDay({ byHour, byMinute, bySecond }: Rule, startLocal: LocalMs): void {
  const seconds = Math.floor((startLocal - dayOfLocal(startLocal) * DAY) / 1000);
  const startTime = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const ruleTime = [byHour, byMinute, bySecond];
  if (ruleTime.some((list, index) => list.length > 0 && (list.length > 1 || list[0] !== startTime[index])))
    throw unsupported('times of day other than that of its start (BYHOUR, BYMINUTE, BYSECOND)');
}

/** Refuses a start outside of the pattern: Exchange would move it to the first day that matches, RFC 5545 keeps it. */
function refuseOtherStart(rule: Rule, startLocal: LocalMs): void {
  const unended = { ...rule, count: undefined, until: undefined };
  const [first] = expandRule(
    unended,
    startLocal,
    { from: startLocal, to: startLocal + DAY },
    recurrenceBudget(),
  );
  if (first !== startLocal) throw unsupported('a rule that does not name its first day');
}

const toDayOfWeek = (weekday: number): DayOfWeek => WEEKDAYS[weekday] ?? 'monday';

function buildPattern(rule: Rule, startLocal: LocalMs): RecurrencePattern {
  if (rule.byWeekNo.length > 0) throw unsupported('numbers of weeks (BYWEEKNO)');
  if (rule.byYearDay.length > 0) throw unsupported('days of the year (BYYEARDAY)');
  switch (rule.frequency) {
    case 'DAILY':
      return dailyPattern(rule, startLocal);
    case 'WEEKLY':
      return weeklyPattern(rule, startLocal);
    case 'MONTHLY':
      if (rule.byMonth.length > 0) throw unsupported('some months only of a monthly rule (BYMONTH)');
      return monthPattern(rule, startLocal, undefined);
    case 'YEARLY':
      return monthPattern(rule, startLocal, findMonth(rule, startLocal));
  }
}

function dailyPattern(rule: Rule, startLocal: LocalMs): RecurrencePattern {
  const { interval, byMonth, byMonthDay, byDay, bySetPos } = rule;
  if ([byMonth, byMonthDay, bySetPos].some((list) => list.length > 0) || (byDay.length > 0 && interval > 1))
    throw unsupported('some days only of a daily rule');
  // Daily on some weekdays is the same as weekly on them.
  return byDay.length > 0 ? weeklyPattern(rule, startLocal) : { type: 'daily' };
}

function weeklyPattern({ byMonth, byMonthDay, byDay, bySetPos, weekStart }: Rule, startLocal: LocalMs) {
  if ([byMonth, byMonthDay, bySetPos].some((list) => list.length > 0))
    throw unsupported('months, days of the month or positions in a weekly rule');
  const days = byDay.length > 0 ? byDay.map(({ weekday }) => weekday) : [weekdayOf(dayOfLocal(startLocal))];
  return {
    type: 'weekly' as const,
    daysOfWeek: [...new Set(days)].sort((a, b) => a - b).map(toDayOfWeek),
    firstDayOfWeek: toDayOfWeek(weekStart),
  };
}

/** Returns the month. Without BYMONTH, RFC 5545 counts the days of a yearly rule in every month or in the year. */
function findMonth({ byMonth, byMonthDay, byDay }: Rule, startLocal: LocalMs): number {
  const [month] = byMonth;
  if (byMonth.length > 1) throw unsupported('several months of a year');
  if (month !== undefined) return month;
  if (byMonthDay.length + byDay.length > 0) throw unsupported('days of a year without their month');
  return toCivil(dayOfLocal(startLocal)).month;
}

/** Returns the pattern for every month, or for `month` in every year. */
function monthPattern(rule: Rule, startLocal: LocalMs, month: number | undefined): RecurrencePattern {
  if (rule.byDay.length > 0) {
    if (rule.byMonthDay.length > 0) throw unsupported('weekdays on certain days of the month');
    const place = parseWeekdayPosition(rule);
    return month === undefined
      ? { type: 'relativeMonthly', ...place }
      : { type: 'relativeYearly', month, ...place };
  }
  const dayOfMonth = monthDay(rule, toCivil(dayOfLocal(startLocal)).day, month);
  return month === undefined
    ? { type: 'absoluteMonthly', dayOfMonth }
    : { type: 'absoluteYearly', month, dayOfMonth };
}

/** Converts `2MO`, or one BYSETPOS among weekdays. */
function parseWeekdayPosition({ byDay, bySetPos }: Rule): Pick<RecurrencePattern, 'daysOfWeek' | 'index'> {
  const numbered = byDay.filter(({ ordinal }) => ordinal !== 0);
  if (numbered.length > 0 && (byDay.length > 1 || bySetPos.length > 0))
    throw unsupported('several numbered weekdays of a month');
  const positions = numbered.length > 0 ? numbered.map(({ ordinal }) => ordinal) : bySetPos;
  const [index] = POSITIONS.find(([, position]) => position === positions[0]) ?? [];
  if (positions.length !== 1 || index === undefined)
    throw unsupported(
      'weekdays of a month other than the first, second, third, fourth or last (BYDAY, BYSETPOS)',
    );
  return { daysOfWeek: byDay.map(({ weekday }) => toDayOfWeek(weekday)), index };
}

/**
 * Returns the day. In a month without it Outlook takes the last day, iCalendar skips the month. So `31` alone is
 * another series, but "the last of the 28th to 31st" is the same.
 */
function monthDay({ byMonthDay, bySetPos }: Rule, startDay: number, month: number | undefined): number {
  const days = byMonthDay.length > 0 ? byMonthDay : [startDay];
  const [day = startDay] = days;
  if (bySetPos.length > 0) {
    const isLastOf = days.length > 1 && days.every((each, index) => each === 28 + index);
    if (bySetPos.length > 1 || bySetPos[0] !== -1 || !isLastOf)
      throw unsupported('positions among the days of a month (BYSETPOS)');
    return 27 + days.length;
  }
  if (days.length > 1) throw unsupported('several days of a month (BYMONTHDAY)');
  if (day === -1) return 31;
  if (day < 0) throw unsupported('days counted from the end of a month (BYMONTHDAY)');
  // 2027 is not a leap year: 29 February is not in every year.
  if (day > (month === undefined ? 28 : daysInMonth(2027, month)))
    throw unsupported(
      `only day ${day}: in a shorter month, Outlook would use the last day instead of skipping the month`,
    );
  return day;
}

/** Returns the range. Its last day is inclusive, in the zone of the series. */
function buildRange({ count }: Rule, until: LocalMs | undefined, startLocal: LocalMs): RecurrenceRange {
  const startDate = formatDate(dayOfLocal(startLocal));
  if (count !== undefined) {
    if (count > MAX_OCCURRENCES) throw unsupported(`a count over ${MAX_OCCURRENCES}`);
    return { type: 'numbered', startDate, numberOfOccurrences: count };
  }
  if (until === undefined) return { type: 'noEnd', startDate };
  const timeOfDay = startLocal - dayOfLocal(startLocal) * DAY;
  // If UNTIL is before the time of day of the series, it excludes that day.
  const lastDay = dayOfLocal(until - timeOfDay);
  if (lastDay < dayOfLocal(startLocal)) throw unsupported('a rule that ends before its first day');
  return { type: 'endDate', startDate, endDate: formatDate(lastDay) };
}
