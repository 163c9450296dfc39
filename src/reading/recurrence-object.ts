/** Renders the rules of a series as the object of responses (docs/wire.md 1.10). */
import { formatLocal } from '../lib/recurrence/civil.ts';
import { resolveClockZone, toInstant, toOriginalStart } from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { isExtended, parseRule, type Rule, WEEKDAYS } from '../lib/recurrence/rule.ts';
import { instantOfLocal } from '../lib/recurrence/zone.ts';
import { instantText } from '../lib/rendered-json.ts';

/** The rules of a series as in docs/wire.md 1.10, plus parts that a request cannot contain. Instants are UTC. */
export type RecurrenceObject = {
  /** Absent without a rule, and if only `rrules` can express it. */
  readonly frequency?: Rule['frequency'];
  readonly interval?: number;
  readonly count?: number;
  /** `YYYYMMDDTHHMMSSZ`, inclusive; for an all-day series midnight of its last date. */
  readonly until?: string;
  readonly byDay?: readonly string[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  /** Absent if weeks begin on Monday. */
  readonly weekStart?: string;
  /** Starts of the rule that are cancelled, and additional starts. */
  readonly exDates?: readonly string[];
  readonly rDates?: readonly string[];
  /** iCalendar rules, if there are several, or if the object cannot fully express the rule. */
  readonly rrules?: readonly string[];
};

/** Returns the rules as an object. `start` is the master's; floating times are in `calendarZone`. */
export function recurrenceObject(
  { rrules, rdates, exdates }: Recurrence,
  start: EventTime,
  calendarZone: string,
): RecurrenceObject {
  const [first = ''] = rrules;
  const parsed = parseRule(first);
  const rule = parsed === undefined || isExtended(parsed) ? undefined : parsed;
  const startText = (named: EventTime) =>
    instantText(toInstant(toOriginalStart(start, named, calendarZone), calendarZone));
  const isSaid = rrules.length === 0 || (rrules.length === 1 && rule !== undefined && !saysMore(rule));
  return {
    ...(rule && ruleObject(rule, start, calendarZone)),
    ...(exdates.length === 0 ? {} : { exDates: exdates.map(startText) }),
    ...(rdates.length === 0 ? {} : { rDates: rdates.map((rdate) => startText(rdate.start)) }),
    ...(isSaid ? {} : { rrules }),
  };
}

/** Returns whether the text has parts that the object lacks: times of day, and parts that could not be read. */
const saysMore = ({ byHour, byMinute, bySecond, leftOut }: Rule): boolean =>
  byHour.length + byMinute.length + bySecond.length + leftOut.length > 0;

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

/** Returns the end of a rule. In a timed series, a date includes that whole day. */
function untilText(
  { form, local }: NonNullable<Rule['until']>,
  start: EventTime,
  calendarZone: string,
): string {
  const isDate = start.type === 'date';
  const last = form === 'date' && !isDate ? local + LAST_SECOND : local;
  const zone = form === 'utc' || isDate ? 'UTC' : resolveClockZone(start, calendarZone);
  return `${formatLocal(instantOfLocal(zone, last)).replace(/[-:]/g, '')}Z`;
}
