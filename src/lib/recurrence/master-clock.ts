/** A master prepared for arithmetic: parsed rules, length and zone. */
import { DAY, dayOfLocal, formatLocal, type LocalMs, toCivil, toDayNumber } from './civil.ts';
import {
  allDayStart,
  exactTime,
  isSameStart,
  localOn,
  resolveClockZone,
  timeLike,
  toInstant,
  toLocalMs,
  toOriginalStart,
} from './event-instant.ts';
import type { Duration, EventTime, Recurrence, Zone } from './event-time.ts';
import { isExtended, parseRule, type Rule, type Until } from './rule.ts';
import type { SeriesMaster } from './series.ts';
import { instantOfLocal, localOfInstant } from './zone.ts';

/** A rule with its UNTIL on the clock of the series, inclusive. */
export type MasterRule = { readonly rule: Rule; readonly until: LocalMs | undefined };

export type MasterClock = {
  readonly start: EventTime;
  readonly startLocal: LocalMs;
  readonly zone: Zone;
  readonly rules: readonly MasterRule[];
  /** Whether DTSTART is an instance: not if all rules ended before it. */
  readonly hasStart: boolean;
  /** Whether a rule is left out because it cannot be followed. */
  readonly unsupported: boolean;
  /** Whether a rule goes beyond docs/wire.md 1.10 (`isExtended`). */
  readonly extended: boolean;
};

export function masterClock({ start, recurrence }: SeriesMaster<unknown>, calendarZone: string): MasterClock {
  const zone = resolveClockZone(start, calendarZone);
  const startLocal = toLocalMs(start);
  const parsed = (recurrence?.rrules ?? []).map(parseRule).map((rule) => onDays(start, rule));
  const rules = parsed
    .filter((rule) => rule !== undefined)
    .map((rule) => ({
      rule: start.type === 'date' ? withoutTimes(rule) : rule,
      until: untilOnClock(start, rule.until, calendarZone),
    }));
  const unsupported = rules.length < parsed.length;
  const hasStart =
    parsed.length === 0 || unsupported || rules.some(({ until = startLocal }) => until >= startLocal);
  const extended = rules.some(({ rule }) => isExtended(rule));
  return { start, startLocal, zone, rules, hasStart, unsupported, extended };
}

/** Drops rules below a day for all-day series: a date has no hours. */
const onDays = (start: EventTime, rule: Rule | undefined): Rule | undefined =>
  start.type === 'date' && rule?.unit !== undefined ? undefined : rule;

/** RFC 5545 §3.3.10: parts for times "MUST be ignored" where DTSTART is a date. */
const withoutTimes = (rule: Rule): Rule => ({ ...rule, byHour: [], byMinute: [], bySecond: [] });

/** Returns UNTIL on the clock. In spite of RFC 5545 §3.3.10, programs mix dates and times: a date includes its day. */
function untilOnClock(start: EventTime, until: Until | undefined, calendarZone: string): LocalMs | undefined {
  if (until === undefined) return undefined;
  const { form, local } = until;
  if (form === 'date') return start.type === 'date' ? local : local + DAY - 1;
  if (form === 'local') return local;
  const utc: EventTime = { type: 'zoned', local: formatLocal(local), zone: 'UTC' };
  return start.type === 'date' ? allDayStart(utc, calendarZone) : localOn(start, utc, calendarZone);
}

/** Returns the length of an instance: its DURATION, or else from start to end. */
export const lengthOfInstances = (
  { start, end, recurrence }: SeriesMaster<unknown>,
  calendarZone: string,
): Duration => recurrence?.duration ?? measureLength(start, end, calendarZone);

/** Returns the length: whole days by the clock if possible, else exact milliseconds (RFC 5545 §3.8.2.2). */
export function measureLength(start: EventTime, end: EventTime, calendarZone: string): Duration {
  const local = localOn(start, end, calendarZone);
  const byClock = local - toLocalMs(start);
  const endsAt = toInstant(end, calendarZone);
  const hasDates = start.type === 'date' || end.type === 'date';
  // If the end is the second of two equal local times, its time on the clock means the first.
  const isByClock = () => hasDates || instantOfLocal(resolveClockZone(start, calendarZone), local) === endsAt;
  if (byClock >= 0 && byClock % DAY === 0 && isByClock()) return { days: byClock / DAY, milliseconds: 0 };
  return { days: 0, milliseconds: Math.max(0, endsAt - toInstant(start, calendarZone)) };
}

type Times = { readonly start: EventTime; readonly end: EventTime };

/** Returns whether the override has its series' time: equally long by the clock, or exactly, across a DST change. */
export function isUsual(
  event: Times & { readonly original: EventTime },
  series: Times,
  calendarZone: string,
): boolean {
  const exact = (times: Times) => toInstant(times.end, calendarZone) - toInstant(times.start, calendarZone);
  const byClock = (times: Times) => localOn(times.start, times.end, calendarZone) - toLocalMs(times.start);
  return (
    isSameStart(event.start, event.original, calendarZone) &&
    (exact(event) === exact(series) || byClock(event) === byClock(series))
  );
}

/** The start of an instance: `startsAt` is the instant of `local` in the zone, in epoch milliseconds. */
export type PlacedStart = { readonly zone: Zone; readonly local: LocalMs; readonly startsAt: number };

/** Returns the end of an instance in epoch milliseconds. */
export function toEndInstant(
  { zone, local, startsAt }: PlacedStart,
  { days, milliseconds }: Duration,
): number {
  if (days === 0) return startsAt + milliseconds;
  return Math.max(startsAt, instantOfLocal(zone, local + days * DAY) + milliseconds);
}

/** Returns the end in the type and zone of `start`, or in UTC if it is the second of two equal local times. */
export function endLasting(start: EventTime, length: Duration, calendarZone: string): EventTime {
  const zone = resolveClockZone(start, calendarZone);
  const endsAt = toEndInstant(
    { zone, local: toLocalMs(start), startsAt: toInstant(start, calendarZone) },
    length,
  );
  return start.type === 'zoned' ? exactTime(endsAt, zone) : timeLike(start, localOfInstant(zone, endsAt));
}

/** Returns an upper bound of the length in milliseconds: a day can have more than 24 hours. */
export const boundLength = ({ days, milliseconds }: Duration): number =>
  milliseconds + (days === 0 ? 0 : (days + 1) * DAY);

/** The old and the new start of a series, or of the first instance that moves. */
type Shift = {
  readonly before: EventTime;
  readonly after: EventTime;
  /** The zone of floating times; `UTC` for providers that have none. */
  readonly floatingZone: string;
};

/** `byMonth`: occurrences are whole months apart, on the day of the start, and so not equally many days apart. */
export type SeriesShift = Shift & { readonly byMonth: boolean };

/** Returns the shift of a series with these rules. */
export const createShift = (series: { readonly recurrence?: Recurrence }, shift: Shift): SeriesShift => ({
  ...shift,
  byMonth: isByMonth(series.recurrence?.rrules ?? []),
});

function isByMonth(rrules: readonly string[]): boolean {
  const rules = rrules.map(parseRule);
  return (
    rules.length > 0 &&
    rules.every((rule) => {
      if (rule === undefined || rule.scale !== undefined) return false;
      const { frequency, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule;
      const namesDays = [byMonth, byWeekNo, byYearDay, byMonthDay, byDay].some((part) => part.length > 0);
      return (frequency === 'MONTHLY' || frequency === 'YEARLY') && !namesDays;
    })
  );
}

/**
 * Returns the new start of the instance that began at `original`, in the type and zone of `after`. Its distance from
 * the series' start stays the same on the wall clock, in whole days to or from all-day. In a series by month it is
 * counted in the month of the instance; a day that the month lacks continues into the next, where the series has no
 * instance.
 */
export function shiftWithSeries(
  original: EventTime,
  { before, after, floatingZone, byMonth }: SeriesShift,
): EventTime {
  const clock = after.type === 'date' ? after : before;
  const local = localOn(clock, toOriginalStart(before, original, floatingZone), floatingZone);
  const [from, to] = [localOn(clock, before, floatingZone), toLocalMs(after)];
  const months = byMonth ? toMonthNumber(local) - toMonthNumber(from) : 0;
  return timeLike(after, monthsLater(to, months) + local - monthsLater(from, months));
}

function toMonthNumber(local: LocalMs): number {
  const { year, month } = toCivil(dayOfLocal(local));
  return year * 12 + month;
}

function monthsLater(local: LocalMs, months: number): LocalMs {
  const number = dayOfLocal(local);
  const { year, month, day } = toCivil(number);
  return local + (toDayNumber(year, month + months, 1) + day - 1 - number) * DAY;
}
