/** Converts Graph's recurrence to an RRULE (RFC 5545 §3.3.10) on the clock of the series. */
import type {
  DayOfWeek,
  PatternedRecurrence,
  RecurrencePattern,
  RecurrenceRange,
  WeekIndex,
} from '@microsoft/microsoft-graph-types';

import { dayOfLocal, toCivil, weekdayOf } from '../../lib/recurrence/civil.ts';
import { toLocalMs } from '../../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../../lib/recurrence/event-time.ts';

/** The beginning of an empty date in Graph. */
const NO_YEAR = '0001-';

export const POSITIONS: readonly (readonly [index: WeekIndex, position: number])[] = [
  ['first', 1],
  ['second', 2],
  ['third', 3],
  ['fourth', 4],
  ['last', -1],
];

/** The weekdays, Monday first as in RFC 5545. */
export const WEEKDAYS: readonly DayOfWeek[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];

/**
 * Converts a recurrence; `undefined` if the type of its pattern is unknown. `deletedDays` are days of deleted
 * occurrences. Parts that follow from `start` are left out, so that the series follows its start to another day.
 */
export function toRecurrence(
  { pattern, range }: PatternedRecurrence,
  deletedDays: readonly string[],
  start?: EventTime,
): Recurrence | undefined {
  const parts = pattern ? (renderImplied(start, pattern) ?? renderPattern(pattern)) : undefined;
  if (parts === undefined) return undefined;
  const interval = (pattern?.interval ?? 1) > 1 ? [`INTERVAL=${pattern?.interval}`] : [];
  return {
    rrules: [[...parts, ...interval, ...renderEnd(range ?? {})].join(';')],
    rdates: [],
    // A date excludes that day's occurrence at any time.
    exdates: deletedDays.map((date) => ({ type: 'date', date })),
  };
}

/** Returns only the frequency if the pattern names the day of the start; otherwise `undefined`. */
function renderImplied(start: EventTime | undefined, pattern: RecurrencePattern): string[] | undefined {
  if (start === undefined) return undefined;
  const { type, daysOfWeek, dayOfMonth, month } = pattern;
  const startDay = dayOfLocal(toLocalMs(start));
  const startDate = toCivil(startDay);
  // Later days are not in every month, where Outlook and iCalendar differ.
  const isStartDay = dayOfMonth === startDate.day && startDate.day <= 28;
  if (type === 'absoluteMonthly') return isStartDay ? ['FREQ=MONTHLY'] : undefined;
  if (type === 'absoluteYearly') return isStartDay && month === startDate.month ? ['FREQ=YEARLY'] : undefined;
  const [day, ...others] = daysOfWeek ?? [];
  const isStartWeekday = others.length === 0 && day?.toLowerCase() === WEEKDAYS[weekdayOf(startDay)];
  return type === 'weekly' && isStartWeekday ? ['FREQ=WEEKLY'] : undefined;
}

/** Returns the RRULE parts. Graph sends every member of a pattern, even if its type does not use it. */
function renderPattern(pattern: RecurrencePattern): string[] | undefined {
  const { type, dayOfMonth = 1, month = 1, firstDayOfWeek } = pattern;
  switch (type) {
    case 'daily':
      return ['FREQ=DAILY'];
    case 'weekly':
      return ['FREQ=WEEKLY', ...renderWeekdays(pattern), `WKST=${toShortDay(firstDayOfWeek ?? 'sunday')}`];
    case 'absoluteMonthly':
      return ['FREQ=MONTHLY', ...renderDayOfMonth(dayOfMonth)];
    case 'relativeMonthly':
      return ['FREQ=MONTHLY', ...renderWeekdayPosition(pattern)];
    case 'absoluteYearly':
      return ['FREQ=YEARLY', `BYMONTH=${month}`, ...renderDayOfMonth(dayOfMonth)];
    case 'relativeYearly':
      return ['FREQ=YEARLY', `BYMONTH=${month}`, ...renderWeekdayPosition(pattern)];
    default:
      return undefined;
  }
}

/** In a month without that day Outlook takes the last day; iCalendar would skip the month. */
function renderDayOfMonth(day: number): string[] {
  if (day <= 28) return [`BYMONTHDAY=${day}`];
  const days = Array.from({ length: day - 27 }, (_, index) => 28 + index);
  return [`BYMONTHDAY=${days}`, 'BYSETPOS=-1'];
}

/** > If daysOfWeek specifies more than one day, the event falls on the first day that satisfies the pattern. */
function renderWeekdayPosition(pattern: RecurrencePattern): string[] {
  const [, position] = POSITIONS.find(([index]) => index === pattern.index) ?? ['first', 1];
  return [...renderWeekdays(pattern), `BYSETPOS=${position}`];
}

function renderWeekdays({ daysOfWeek }: RecurrencePattern): string[] {
  return daysOfWeek?.length ? [`BYDAY=${daysOfWeek.map(toShortDay)}`] : [];
}

const toShortDay = (day: DayOfWeek): string => day.slice(0, 2).toUpperCase();

/** Returns COUNT or UNTIL. The last day is inclusive, in the zone of the series. */
function renderEnd({ type, endDate, numberOfOccurrences }: RecurrenceRange): string[] {
  if (type === 'numbered' && numberOfOccurrences) return [`COUNT=${numberOfOccurrences}`];
  if (type === 'endDate' && endDate && !endDate.startsWith(NO_YEAR)) {
    return [`UNTIL=${endDate.slice(0, 10).replaceAll('-', '')}`];
  }
  return [];
}
