/** VTIMEZONE (RFC 5545 §3.6.5) of an IANA zone: its yearly rules where it has such, else its coming changes one by one. */
import type { Component } from '../../src/lib/icalendar/component.ts';
import { civilOf, DAY, daysInMonth, formatLocal, weekdayOf } from '../../src/lib/recurrence/civil.ts';

/** When a clock is set: from one offset to another, in milliseconds east of UTC. */
type Change = { readonly at: number; readonly before: number; readonly after: number };

const YEARS = 12;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** As it holds from the year before `from`, epoch milliseconds. */
export function vtimezoneOf(timeZone: string, from: number): Component {
  const start = Date.UTC(new Date(from).getUTCFullYear() - 1, 0, 1);
  const changes = changesIn(timeZone, start, start + YEARS * 366 * DAY);
  const offset =
    Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e6;
  const first: Change = { at: start, before: offset, after: offset };
  return {
    name: 'VTIMEZONE',
    lines: [`TZID:${timeZone}`],
    components: [
      observance(first, 'STANDARD'),
      ...(yearly(changes) ?? changes.map((change) => observance(change))),
    ],
  };
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

/** One observance for each of two changes a year, when one rule says all that follow it. */
function yearly(changes: readonly Change[]): Component[] | undefined {
  const springs = changes.filter(({ before, after }) => after > before);
  const autumns = changes.filter(({ before, after }) => after < before);
  const rules = [springs, autumns].map(ruleOf);
  if (springs.length < YEARS - 2 || autumns.length < YEARS - 2) return undefined;
  return [springs, autumns].every((_, index) => rules[index] !== undefined)
    ? [springs, autumns].flatMap(([change], index) =>
        change === undefined ? [] : observance(change, undefined, [`RRULE:${rules[index]}`]),
      )
    : undefined;
}

/** The weekday of a month, counted from its beginning or its end, that all of them fall on at one time of day. */
function ruleOf(changes: readonly Change[]): string | undefined {
  const seen = changes.map(({ at, before, after }) => {
    const local = at + before;
    const { year, month, day } = civilOf(Math.floor(local / DAY));
    const fromEnd = Math.ceil((daysInMonth(year, month) - day + 1) / 7);
    const weekday = WEEKDAYS[weekdayOf(Math.floor(local / DAY))];
    const same = [month, weekday, ((local % DAY) + DAY) % DAY, before, after].join();
    return { month, weekday, fromStart: Math.ceil(day / 7), fromEnd, same };
  });
  const [first] = seen;
  if (first === undefined || seen.some(({ same }) => same !== first.same)) return undefined;
  const ordinal = [
    seen.every(({ fromEnd }) => fromEnd === first.fromEnd) && -first.fromEnd,
    seen.every(({ fromStart }) => fromStart === first.fromStart) && first.fromStart,
  ].find((found) => found !== false);
  return ordinal === undefined
    ? undefined
    : `FREQ=YEARLY;BYMONTH=${first.month};BYDAY=${ordinal}${first.weekday}`;
}

function observance({ at, before, after }: Change, kind?: string, more: readonly string[] = []): Component {
  const onset = formatLocal(at + before).replace(/[-:]/g, '');
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
