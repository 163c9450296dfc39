/**
 * Graph's `patternedRecurrence`: what it may say, and the rule of RFC 5545 that has the same occurrences. Graph
 * always answers every member of a pattern, with zeros where one means nothing; clients have to look at `type`.
 */
import type {
  DayOfWeek,
  PatternedRecurrence,
  RecurrencePattern,
  RecurrenceRange,
  WeekIndex,
} from '@microsoft/microsoft-graph-types';

import { formatDate, parseLocal } from '../../src/lib/recurrence/civil.ts';
import { readRule, timesOf } from '../core/rule-times.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

/** Complete, as Graph answers it. */
export type StoredRecurrence = {
  readonly pattern: Required<RecurrencePattern>;
  readonly range: Required<RecurrenceRange>;
};

const NO_DATE = '0001-01-01';
const WEEKDAYS: readonly DayOfWeek[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];
const INDEXES: readonly WeekIndex[] = ['first', 'second', 'third', 'fourth', 'last'];

/** Completes what a client wrote. `zoneName` is that of the event's start. Throws a 400. */
export function readRecurrence(
  recurrence: PatternedRecurrence,
  startDate: string,
  zoneName: string,
): StoredRecurrence {
  const pattern = readPattern(recurrence.pattern ?? {});
  const { type, endDate, numberOfOccurrences } = recurrence.range ?? {};
  if (type === 'endDate' && (!isDate(endDate) || endDate < startDate)) throw invalid('range.endDate');
  if (type === 'numbered' && !inRange(numberOfOccurrences, 1, 999))
    throw invalid('range.numberOfOccurrences');
  if (type !== 'endDate' && type !== 'numbered' && type !== 'noEnd') throw invalid('range.type');
  if (!isDate(recurrence.range?.startDate)) throw invalid('range.startDate');
  const range: Required<RecurrenceRange> = {
    type,
    startDate,
    endDate: type === 'endDate' && endDate ? endDate : NO_DATE,
    recurrenceTimeZone: recurrence.range?.recurrenceTimeZone || zoneName,
    numberOfOccurrences: type === 'numbered' ? (numberOfOccurrences ?? 0) : 0,
  };
  return { pattern, range };
}

function readPattern(pattern: RecurrencePattern): Required<RecurrencePattern> {
  const { type, interval = 1, daysOfWeek, dayOfMonth, month, index } = pattern;
  if (!inRange(interval, 1, 999)) throw invalid('pattern.interval');
  const base: Required<RecurrencePattern> = {
    type: type ?? null,
    interval,
    month: 0,
    dayOfMonth: 0,
    daysOfWeek: [],
    firstDayOfWeek: pattern.firstDayOfWeek ?? 'sunday',
    index: 'first',
  };
  const days = () => {
    if (!daysOfWeek?.length || daysOfWeek.some((day) => !WEEKDAYS.includes(day)))
      throw invalid('pattern.daysOfWeek');
    return [...new Set(daysOfWeek)];
  };
  const day = () => (inRange(dayOfMonth, 1, 31) ? dayOfMonth : refuse('pattern.dayOfMonth'));
  const monthOfYear = () => (inRange(month, 1, 12) ? month : refuse('pattern.month'));
  const position = () =>
    index == null ? 'first' : INDEXES.includes(index) ? index : refuse('pattern.index');
  switch (type) {
    case 'daily':
      return base;
    case 'weekly':
      return { ...base, daysOfWeek: days() };
    case 'absoluteMonthly':
      return { ...base, dayOfMonth: day() };
    case 'relativeMonthly':
      return { ...base, daysOfWeek: days(), index: position() };
    case 'absoluteYearly':
      return { ...base, dayOfMonth: day(), month: monthOfYear() };
    case 'relativeYearly':
      return { ...base, daysOfWeek: days(), index: position(), month: monthOfYear() };
    default:
      throw invalid('pattern.type');
  }
}

/** The RRULE value with the same occurrences, on the clock of the series. */
export function ruleOf({ pattern, range }: StoredRecurrence): string {
  const { type, interval } = pattern;
  const end =
    range.type === 'numbered'
      ? [`COUNT=${range.numberOfOccurrences}`]
      : range.type === 'endDate'
        ? [`UNTIL=${range.endDate?.replaceAll('-', '')}`]
        : [];
  const days = (pattern.daysOfWeek ?? []).map(shortDay).join(',');
  const position = pattern.index === 'last' ? -1 : INDEXES.indexOf(pattern.index ?? 'first') + 1;
  const parts = {
    daily: ['FREQ=DAILY'],
    weekly: ['FREQ=WEEKLY', `BYDAY=${days}`, `WKST=${shortDay(pattern.firstDayOfWeek ?? 'sunday')}`],
    absoluteMonthly: ['FREQ=MONTHLY', ...dayOfMonthParts(pattern.dayOfMonth)],
    relativeMonthly: ['FREQ=MONTHLY', `BYDAY=${days}`, `BYSETPOS=${position}`],
    absoluteYearly: ['FREQ=YEARLY', `BYMONTH=${pattern.month}`, ...dayOfMonthParts(pattern.dayOfMonth)],
    relativeYearly: ['FREQ=YEARLY', `BYMONTH=${pattern.month}`, `BYDAY=${days}`, `BYSETPOS=${position}`],
  }[type ?? 'daily'];
  return [...parts, `INTERVAL=${interval}`, ...end].join(';');
}

/** In a month without that day, Outlook takes the month's last one. No source confirms that. */
function dayOfMonthParts(day: number): string[] {
  if (day < 29) return [`BYMONTHDAY=${day}`];
  const days = Array.from({ length: day - 27 }, (_, index) => 28 + index);
  return [`BYMONTHDAY=${days.join(',')}`, 'BYSETPOS=-1'];
}

const shortDay = (day: DayOfWeek): string => day.slice(0, 2).toUpperCase();

/**
 * The first start the pattern names on or after `startLocal`, a local time in milliseconds; `undefined` when the range
 * holds none. Exchange moves a series there whose start is no day of its
 * pattern; no source confirms that.
 */
export function firstStart(recurrence: StoredRecurrence, startLocal: number): number | undefined {
  // No pattern waits longer: a leap day every 999 years is beyond what its own interval allows to be shown.
  const first = startsOf(recurrence, startLocal, startLocal + 10 * 366 * 86_400_000)[0];
  const { type, endDate } = recurrence.range;
  if (first === undefined) return undefined;
  return type === 'endDate' && formatDate(Math.floor(first / 86_400_000)) > (endDate ?? '')
    ? undefined
    : first;
}

/** The shortest time between the starts of two occurrences, in milliseconds; infinite when three years hold but one. */
export function shortestGap(recurrence: StoredRecurrence, startLocal: number): number {
  const starts = startsOf(recurrence, startLocal, startLocal + 3 * 366 * 86_400_000);
  return Math.min(...starts.slice(1).map((start, index) => start - (starts[index] ?? 0)));
}

/** The starts that the pattern names from a local time to another, whatever its range. */
function startsOf({ pattern, range }: StoredRecurrence, startLocal: number, to: number): number[] {
  const rule = readRule(ruleOf({ pattern, range: { ...range, type: 'noEnd' } }), () => to);
  return rule === undefined ? [] : timesOf(rule, startLocal, to).filter((start) => start < to);
}

const isDate = (text: string | null | undefined): text is string =>
  typeof text === 'string' && text.length === 10 && parseLocal(text) !== undefined;

const inRange = (value: number | undefined, least: number, most: number): value is number =>
  value !== undefined && Number.isInteger(value) && value >= least && value <= most;

function invalid(property: string): SandboxRefusal {
  return new SandboxRefusal(
    400,
    'ErrorPropertyValidationFailure',
    `At least one property failed validation: recurrence.${property}.`,
  );
}

function refuse(property: string): never {
  throw invalid(property);
}
