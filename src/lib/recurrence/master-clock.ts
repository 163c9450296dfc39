/** A master prepared for arithmetic: parsed rules, length and zone. */
import { DAY, formatLocal, type LocalMs } from './civil.ts';
import {
  allDayStart,
  exactTime,
  localOn,
  resolveClockZone,
  timeLike,
  toInstant,
  toLocalMs,
} from './event-instant.ts';
import type { Duration, EventTime, Zone } from './event-time.ts';
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
