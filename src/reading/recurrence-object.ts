/**
 * The rules of a series as an answer tells them: wire 1.10's object, and beside it what calendars say that the
 * object of a request cannot. Instants are UTC, as everywhere on the wire.
 */

import { instantText } from '../lib/instant-text.ts';
import { formatLocal } from '../lib/recurrence/civil.ts';
import { instantOf, originalStartOf, zoneOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { parseRule, type Rule, WEEKDAYS } from '../lib/recurrence/rule.ts';
import { instantOfLocal } from '../lib/recurrence/zone.ts';

export type RecurrenceObject = {
  /** Absent where the calendar has no rule, or none that can be followed: `rrules` has the text then. */
  readonly frequency?: Rule['frequency'];
  readonly interval?: number;
  readonly count?: number;
  /** `YYYYMMDDTHHMMSSZ`, inclusive; of an all-day series at midnight of its last date. */
  readonly until?: string;
  readonly byDay?: readonly string[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  /** Absent when weeks begin on Monday. */
  readonly weekStart?: string;
  /** Starts that the rule names and that do not take place, and further ones it does not name. */
  readonly exDates?: readonly string[];
  readonly rDates?: readonly string[];
  /** The rules as iCalendar has them, where they are more than one or one that cannot be followed. */
  readonly rrules?: readonly string[];
};

/** `start` is the master's; floating times are read in `calendarZone`. */
export function recurrenceObject(
  { rrules, rdates, exdates }: Recurrence,
  start: EventTime,
  calendarZone: string,
): RecurrenceObject {
  const [first = ''] = rrules;
  const rule = parseRule(first);
  const startText = (named: EventTime) =>
    instantText(instantOf(originalStartOf(start, named, calendarZone), calendarZone));
  const isSaid = rrules.length === 0 || (rrules.length === 1 && rule !== undefined && !hasTimes(rule));
  return {
    ...(rule && ruleObject(rule, start, calendarZone)),
    ...(exdates.length === 0 ? {} : { exDates: exdates.map(startText) }),
    ...(rdates.length === 0 ? {} : { rDates: rdates.map((rdate) => startText(rdate.start)) }),
    ...(isSaid ? {} : { rrules }),
  };
}

const hasTimes = ({ byHour, byMinute, bySecond }: Rule): boolean =>
  byHour.length + byMinute.length + bySecond.length > 0;

function ruleObject(rule: Rule, start: EventTime, calendarZone: string): RecurrenceObject {
  const { frequency, interval, count, byMonthDay, byMonth, bySetPos, byYearDay, byWeekNo, weekStart } = rule;
  const list = <K extends string, V>(name: K, values: readonly V[]) =>
    values.length === 0 ? {} : { [name]: values };
  const byDay = rule.byDay.map(({ ordinal, weekday }) => `${ordinal || ''}${WEEKDAYS[weekday]}`);
  const until = rule.until && untilText(rule.until, start, calendarZone);
  return {
    frequency,
    interval,
    ...(count === undefined ? {} : { count }),
    ...(until === undefined ? {} : { until }),
    ...list('byDay', byDay),
    ...list('byMonthDay', byMonthDay),
    ...list('byMonth', byMonth),
    ...list('bySetPos', bySetPos),
    ...list('byYearDay', byYearDay),
    ...list('byWeekNo', byWeekNo),
    ...(weekStart === 0 ? {} : { weekStart: WEEKDAYS[weekStart] ?? 'MO' }),
  };
}

const LAST_SECOND = 86_399_000;

/** A date on a timed series lets that whole day in. */
function untilText(
  { form, local }: NonNullable<Rule['until']>,
  start: EventTime,
  calendarZone: string,
): string {
  const isDate = start.type === 'date';
  const last = form === 'date' && !isDate ? local + LAST_SECOND : local;
  const zone = form === 'utc' || isDate ? 'UTC' : zoneOf(start, calendarZone);
  return `${formatLocal(instantOfLocal(zone, last)).replace(/[-:]/g, '')}Z`;
}
