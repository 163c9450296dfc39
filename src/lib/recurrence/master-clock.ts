/** A master prepared for arithmetic: parsed rules, length and zone. */
import { DAY, formatLocal, type LocalMs } from './civil.ts';
import { allDayStart, instantOf, localOf, localOn, zoneOf } from './event-instant.ts';
import type { EventTime, Zone } from './event-time.ts';
import { parseRule, type Rule, type Until } from './rule.ts';
import type { SeriesMaster } from './series.ts';
import { instantOfLocal } from './zone.ts';

/** A rule with its UNTIL on the clock of the series, inclusive. */
export type MasterRule = { readonly rule: Rule; readonly until: LocalMs | undefined };

export type MasterClock = {
  readonly start: EventTime;
  readonly startLocal: LocalMs;
  readonly zone: Zone;
  readonly rules: readonly MasterRule[];
  /** A rule is left out because it cannot be followed. */
  readonly unsupported: boolean;
};

export function masterClock({ start, recurrence }: SeriesMaster<unknown>, calendarZone: string): MasterClock {
  const zone = zoneOf(start, calendarZone);
  const parsed = (recurrence?.rrules ?? []).map(parseRule);
  const rules = parsed
    .filter((rule) => rule !== undefined)
    .map((rule) => ({ rule, until: untilOnClock(start, rule.until, calendarZone) }));
  const unsupported = rules.length < parsed.length;
  return { start, startLocal: localOf(start), zone, rules, unsupported };
}

/**
 * UNTIL has DTSTART's type by RFC 5545 §3.3.10, but some programs mix them: a date on a timed series
 * includes that whole day, a time on an all-day series its date.
 */
function untilOnClock(start: EventTime, until: Until | undefined, calendarZone: string): LocalMs | undefined {
  if (until === undefined) return undefined;
  const { form, local } = until;
  if (form === 'date') return start.type === 'date' ? local : local + DAY - 1;
  if (form === 'local') return local;
  const utc: EventTime = { type: 'zoned', local: formatLocal(local), zone: 'UTC' };
  return start.type === 'date' ? allDayStart(utc, calendarZone) : localOn(start, utc, calendarZone);
}

/**
 * How long an instance lasts. Whole days by the clock stay whole days over a DST change; any other length is
 * exact, as RFC 5545 §3.3.6 and §3.8.2.2 have it.
 */
export type Length = { readonly days: number } | { readonly exact: number };

export function lengthOf(start: EventTime, end: EventTime, calendarZone: string): Length {
  const byClock = localOn(start, end, calendarZone) - localOf(start);
  if (byClock >= 0 && byClock % DAY === 0) return { days: byClock / DAY };
  return { exact: Math.max(0, instantOf(end, calendarZone) - instantOf(start, calendarZone)) };
}

/** When an instance starts: `startsAt` is the instant of `local` in the zone, epoch milliseconds. */
export type PlacedStart = { readonly zone: Zone; readonly local: LocalMs; readonly startsAt: number };

/** The end of an instance, epoch milliseconds. */
export function endOf({ zone, local, startsAt }: PlacedStart, length: Length): number {
  if ('exact' in length) return startsAt + length.exact;
  return length.days === 0 ? startsAt : Math.max(startsAt, instantOfLocal(zone, local + length.days * DAY));
}

/** An upper bound on the length in milliseconds: a day can have more than 24 hours. */
export const longestOf = (length: Length): number =>
  'exact' in length ? length.exact : (length.days + 1) * DAY;
