/** Writes the VTIMEZONE (RFC 5545 §3.6.5) of a zone: single offset changes, then a yearly rule if they follow one. */
import { DAY, daysInMonth, formatLocal, toCivil, weekdayOf } from '../recurrence/civil.ts';
import type { CustomZone, Zone } from '../recurrence/event-time.ts';
import { WEEKDAYS } from '../recurrence/rule.ts';
import type { Component } from './component.ts';
import { contentLine, escapeText } from './write-lines.ts';
import { compact } from './write-time.ts';

/** A change of offset, in milliseconds east of UTC, at an instant. */
type Change = { readonly at: number; readonly before: number; readonly after: number };

/** How many years ahead the changes of a zone without a rule are listed. */
const YEARS = 12;
/** Changes in a row that make a rule. */
const ENOUGH_FOR_RULE = YEARS - 2;
const EARLIEST = Date.UTC(1970, 0, 1);

/** Builds the VTIMEZONE as valid from the year before `from`, 1970 at the earliest. Instants are epoch milliseconds. */
export function buildVtimezone(zone: Zone, from: number, now = from): Component {
  if (typeof zone !== 'string') return customTimezone(zone);
  const start = Math.max(EARLIEST, Date.UTC(new Date(from).getUTCFullYear() - 1, 0, 1));
  const end = Math.max(start, now) + YEARS * 366 * DAY;
  const changes = changesIn(zone, start, end);
  const offset =
    Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
  const first: Change = { at: start, before: offset, after: offset };
  const springs = changes.filter(({ before, after }) => after > before);
  const autumns = changes.filter(({ before, after }) => after < before);
  const rules = [splitAtRule(springs), splitAtRule(autumns)];
  // Both directions need a rule: a clock that is set forward is set back. A zone that gave summer time up has none.
  const isRuled =
    (changes.at(-1)?.at ?? 0) > end - 366 * DAY && rules.every(({ rule }) => rule !== undefined);
  const observances = isRuled ? rules.flatMap(ruleObservances) : changes.map((change) => observance(change));
  return {
    name: 'VTIMEZONE',
    lines: [contentLine('TZID', {}, escapeText(zone))],
    components: [observance(first, 'STANDARD'), ...observances],
  };
}

/** Returns a calendar's custom zone as that calendar described it. */
function customTimezone({ tzid, observances }: CustomZone): Component {
  const components = observances.map(({ start, offsetFrom, offsetTo, rrules, rdates }) => ({
    name: offsetTo > offsetFrom ? 'DAYLIGHT' : 'STANDARD',
    lines: [
      `DTSTART:${compact(start)}`,
      `TZOFFSETFROM:${offsetText(offsetFrom * 1000)}`,
      `TZOFFSETTO:${offsetText(offsetTo * 1000)}`,
      ...rrules.map((rrule) => contentLine('RRULE', {}, rrule)),
      ...rdates.map((rdate) => `RDATE:${compact(rdate)}`),
    ],
    components: [],
  }));
  return { name: 'VTIMEZONE', lines: [contentLine('TZID', {}, escapeText(tzid))], components };
}

function changesIn(timeZone: string, from: number, to: number): Change[] {
  const changes: Change[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= to) return changes;
    const before = next.subtract({ nanoseconds: 1 }).offsetNanoseconds / 1e6;
    changes.push({ at: next.epochMilliseconds, before, after: next.offsetNanoseconds / 1e6 });
    at = next;
  }
}

type DirectionChanges = {
  readonly single: readonly Change[];
  readonly following: readonly Change[];
  readonly rule: string | undefined;
};

/** Splits changes of one direction where the rule begins that all later ones follow. */
function splitAtRule(changes: readonly Change[]): DirectionChanges {
  for (let from = 0; from + ENOUGH_FOR_RULE <= changes.length; from += 1) {
    const rule = findYearlyRule(changes.slice(from));
    if (rule !== undefined) return { single: changes.slice(0, from), following: changes.slice(from), rule };
  }
  return { single: changes, following: [], rule: undefined };
}

function ruleObservances({ single, following: [first], rule }: DirectionChanges): Component[] {
  const before = single.map((change) => observance(change));
  return first === undefined ? before : [...before, observance(first, undefined, [`RRULE:${rule}`])];
}

/** Returns the yearly rule of all changes: one weekday of a month, from its start or end, at one time of day. */
function findYearlyRule(changes: readonly Change[]): string | undefined {
  const occurrences = changes.map(({ at, before, after }) => {
    const local = at + before;
    const { year, month, day } = toCivil(Math.floor(local / DAY));
    const fromEnd = Math.ceil((daysInMonth(year, month) - day + 1) / 7);
    const weekday = WEEKDAYS[weekdayOf(Math.floor(local / DAY))];
    const same = [month, weekday, ((local % DAY) + DAY) % DAY, before, after].join();
    return { month, weekday, fromStart: Math.ceil(day / 7), fromEnd, same };
  });
  const [first] = occurrences;
  if (first === undefined || occurrences.some(({ same }) => same !== first.same)) return undefined;
  const ordinal = [
    occurrences.every(({ fromEnd }) => fromEnd === first.fromEnd) && -first.fromEnd,
    occurrences.every(({ fromStart }) => fromStart === first.fromStart) && first.fromStart,
  ].find((candidate) => candidate !== false);
  return ordinal === undefined
    ? undefined
    : `FREQ=YEARLY;BYMONTH=${first.month};BYDAY=${ordinal}${first.weekday}`;
}

function observance({ at, before, after }: Change, kind?: string, more: readonly string[] = []): Component {
  const onset = compact(formatLocal(at + before));
  const lines = [`DTSTART:${onset}`, `TZOFFSETFROM:${offsetText(before)}`, `TZOFFSETTO:${offsetText(after)}`];
  return {
    name: kind ?? (after > before ? 'DAYLIGHT' : 'STANDARD'),
    lines: [...lines, ...more],
    components: [],
  };
}

function offsetText(offset: number): string {
  const seconds = Math.abs(offset) / 1000;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${hours}${minutes}${rest === '00' ? '' : rest}`;
}
