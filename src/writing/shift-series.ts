/** Rules of a series that begins at another time: what names single instances moves with them. */
import { formatLocal, type LocalMs, parseLocal } from '../lib/recurrence/civil.ts';
import {
  instantOf,
  localOf,
  localOn,
  originalStartOf,
  timeLike,
  zoneOf,
} from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { parseRule } from '../lib/recurrence/rule.ts';
import { instantOfLocal } from '../lib/recurrence/zone.ts';

/** The rules of a series whose start moves from `before` to `after`. */
export function shiftedRecurrence(
  recurrence: Recurrence,
  before: EventTime,
  after: EventTime,
  calendarZone: string,
): Recurrence {
  if (JSON.stringify(before) === JSON.stringify(after)) return recurrence;
  const move = (time: EventTime) => shifted(time, before, after, calendarZone);
  return {
    rrules: recurrence.rrules.map((rule) => shiftedRule(rule, before, after, calendarZone)),
    rdates: recurrence.rdates.map(({ start, end }) =>
      end === undefined ? { start: move(start) } : { start: move(start), end: move(end) },
    ),
    exdates: recurrence.exdates.map(move),
  };
}

/** Where an instance that began at `time` begins, by the wall clock, once its series moves so. */
export function shifted(
  time: EventTime,
  before: EventTime,
  after: EventTime,
  calendarZone: string,
): EventTime {
  const shift = localOf(after) - localOn(after, before, calendarZone);
  const own = originalStartOf(before, time, calendarZone);
  return timeLike(after, localOn(after, own, calendarZone) + shift);
}

/** A rule whose UNTIL names the same instance as before. */
function shiftedRule(rule: string, before: EventTime, after: EventTime, calendarZone: string): string {
  const until = parseRule(rule)?.until;
  if (until === undefined) return rule;
  // Only what was written in the form of the series' own start can be moved without guessing.
  if (until.form === 'date' && before.type !== 'date') return rule;
  const time: EventTime =
    until.form === 'utc'
      ? { type: 'zoned', local: formatLocal(until.local), zone: 'UTC' }
      : timeLike(before, until.local);
  return withUntil(rule, shifted(time, before, after, calendarZone), calendarZone);
}

/** The rule with this end in the place of whatever end it has; UNTIL has the type of the start (RFC 5545 §3.3.10). */
export function withUntil(rule: string, last: EventTime, calendarZone: string): string {
  return `${withoutEnd(rule)};UNTIL=${untilText(last, calendarZone)}`;
}

export const withoutEnd = (rule: string): string =>
  rule.replace(/;?\b(?:UNTIL|COUNT)=[^;]*/gi, '').replace(/^;/, '');

function untilText(last: EventTime, calendarZone: string): string {
  if (last.type === 'date') return last.date.replaceAll('-', '');
  if (last.type === 'floating') return basic(localOf(last));
  return `${basic(instantOf(last, calendarZone))}Z`;
}

const basic = (local: LocalMs): string => formatLocal(local).replace(/[-:]/g, '');

/** The moment before `start` in which a series before it ends: a second earlier, or the day before. */
export function justBefore(start: EventTime, calendarZone: string): EventTime {
  if (start.type === 'date') return timeLike(start, localOf(start) - 86_400_000);
  if (start.type === 'floating') return timeLike(start, localOf(start) - 1000);
  const instant = instantOfLocal(zoneOf(start, calendarZone), parseLocal(start.local) ?? 0) - 1000;
  return { type: 'zoned', local: formatLocal(instant), zone: 'UTC' };
}
