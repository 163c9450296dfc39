/** When an event takes place, as lines of its VEVENT; and where a series' exceptions go when the series moves. */
import type { EventChange } from '../../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../../calendars/unsupported.ts';
import type { Component } from '../../../lib/icalendar/component.ts';
import { type ContentLine, parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { linesNamed, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import {
  instanceLine,
  movement,
  recurrenceLines,
  type TzidOf,
  timeLine,
  withUntilLike,
} from '../../../lib/icalendar/write-time.ts';
import { DAY } from '../../../lib/recurrence/civil.ts';
import {
  instantOf,
  localOf,
  originalStartOf,
  timeLike,
  zoneOf,
} from '../../../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../../../lib/recurrence/event-time.ts';
import { expand } from '../../../lib/recurrence/expand.ts';
import { endOf, lengthOf } from '../../../lib/recurrence/master-clock.ts';
import { RecurrenceBudgetError, recurrenceBudget } from '../../../lib/recurrence/recurrence-budget.ts';
import { localOfInstant } from '../../../lib/recurrence/zone.ts';

const RECURRENCE = ['RRULE', 'RDATE', 'EXDATE', 'EXRULE'];

/** The line DTSTART, which every event that was read has. */
export function dtstartOf(lines: readonly string[]): ContentLine {
  const [line = ''] = linesNamed(lines, 'DTSTART');
  return parseContentLine(line) ?? { name: 'DTSTART', parameters: new Map(), value: '' };
}

/** The lines with the times and the recurrence a change names; a series that moves takes its dates along. */
export function withTimes(
  { component, event }: ReadEvent,
  change: EventChange,
  tzidOf: TzidOf,
): readonly string[] {
  const { start, end } = timesAfter(event, change);
  const starts = isSame(start, event.start) ? undefined : timeLine('DTSTART', start, tzidOf);
  let { lines } = component;
  if (starts !== undefined) lines = replaceLines(lines, ['DTSTART'], [starts]);
  // One end instead of a duration: a VEVENT has one of them (RFC 5545 §3.6.1).
  if (starts !== undefined || !isSame(end, event.end))
    lines = replaceLines(lines, ['DTEND', 'DURATION'], [timeLine('DTEND', end, tzidOf)]);
  const recurrence = recurrenceAfter(event, start, change);
  if (recurrence === undefined) return lines;
  return replaceLines(lines, RECURRENCE, recurrenceLines(recurrence, dtstartOf(lines), start));
}

function timesAfter(event: VEvent, change: EventChange): { start: EventTime; end: EventTime } {
  const { start, end } = { start: change.start ?? event.start, end: change.end ?? event.end };
  if ((start.type === 'date') === (end.type === 'date')) return { start, end };
  const message = 'Start and end are both days, or both times';
  throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'end');
}

/** `undefined` when its lines stay as they are. */
function recurrenceAfter(event: VEvent, start: EventTime, change: EventChange): Recurrence | undefined {
  if (change.recurrence !== undefined) return change.recurrence ?? { rrules: [], rdates: [], exdates: [] };
  const { rrules, rdates, exdates } = event.recurrence;
  const isSeries = rrules.length + rdates.length + exdates.length > 0;
  if (!isSeries || isSame(start, event.start)) return undefined;
  const move = movement(event.start, start, keepsDays(event.recurrence));
  const moveLocal = (local: number) => localOf(move(timeLike(event.start, local)));
  return {
    rrules: rrules.map((rrule) => withUntilLike(rrule, start, event.start, moveLocal)),
    rdates: rdates.map((rdate) => ({ start: move(rdate.start), ...(rdate.end && { end: move(rdate.end) }) })),
    exdates: exdates.map(move),
  };
}

/** A rule that names its days keeps them when the start goes to another day. */
const keepsDays = ({ rrules }: Recurrence): boolean =>
  rrules.some((rrule) => /\bBY(?!HOUR|MINUTE|SECOND)\w+=/i.test(rrule));

/** Start and end of one occurrence as the series has it. */
export function occurrenceTimes(master: VEvent, instance: EventTime): { start: EventTime; end: EventTime } {
  const start = originalStartOf(master.start, instance, 'UTC');
  return { start, end: endAfter(start, master.start, master.end) };
}

/** The end that gives `start` the length of another event. */
function endAfter(start: EventTime, otherStart: EventTime, otherEnd: EventTime): EventTime {
  const length = lengthOf(otherStart, otherEnd, 'UTC');
  const zone = zoneOf(start, 'UTC');
  return timeLike(start, localOfInstant(zone, endOf(zone, localOf(start), instantOf(start, 'UTC'), length)));
}

export type MovedOverride = { readonly was: ReadEvent; readonly lines: readonly string[] };

/**
 * The overrides that a changed series still has, their RECURRENCE-IDs where its occurrences are now. Those that took place
 * at their time and for the series' length go along; what was moved by itself stays. A new rule drops the overrides
 * whose occurrences it does not have.
 */
export function movedOverrides(
  master: ReadEvent,
  changed: Component,
  overrides: readonly ReadEvent[],
  change: EventChange,
  tzidOf: TzidOf,
): MovedOverride[] {
  const { start, end } = timesAfter(master.event, change);
  const moves = !isSame(start, master.event.start);
  const lengthens = !isSame(end, master.event.end);
  const move = movement(master.event.start, start, keepsDays(master.event.recurrence));
  const dtstart = dtstartOf(changed.lines);
  const isKept =
    change.recurrence === undefined ? () => true : patternOf(start, end, change.recurrence, overrides, move);
  return overrides.flatMap((was): MovedOverride | [] => {
    const original = originalStartOf(master.event.start, was.event.recurrenceId ?? was.event.start, 'UTC');
    const moved = move(original);
    if (!isKept(moved)) return [];
    if (!moves && !lengthens) return { was, lines: was.component.lines };
    const follows = instantOf(was.event.start, 'UTC') === instantOf(original, 'UTC');
    const hasLength =
      instantOf(was.event.end, 'UTC') ===
      instantOf(endAfter(original, master.event.start, master.event.end), 'UTC');
    const times = !follows
      ? {}
      : {
          start: moved,
          end: hasLength ? endAfter(moved, start, end) : endAfter(moved, was.event.start, was.event.end),
        };
    const timed = withTimes(was, times, tzidOf);
    return {
      was,
      lines: moves
        ? replaceLines(timed, ['RECURRENCE-ID'], [recurrenceIdLine(was, dtstart, start, moved)])
        : timed,
    };
  });
}

function recurrenceIdLine(
  { event }: ReadEvent,
  dtstart: ContentLine,
  start: EventTime,
  moved: EventTime,
): string {
  const line = instanceLine('RECURRENCE-ID', dtstart, start, moved);
  return event.thisAndFuture ? line.replace(/^RECURRENCE-ID/, 'RECURRENCE-ID;RANGE=THISANDFUTURE') : line;
}

/** Whether a rule has an occurrence at an original start. A rule that cannot be followed, or not so far, keeps all. */
function patternOf(
  start: EventTime,
  end: EventTime,
  recurrence: Recurrence | null,
  overrides: readonly ReadEvent[],
  move: (original: EventTime) => EventTime,
): (original: EventTime) => boolean {
  if (recurrence === null) return () => false;
  if (overrides.length === 0) return () => true;
  const instants = overrides.map(({ event }) => instantOf(move(event.recurrenceId ?? event.start), 'UTC'));
  const window = { start: Math.min(...instants) - DAY, end: Math.max(...instants) + DAY };
  const master = { start, end: start, recurrence: { ...recurrence, exdates: [] }, payload: end };
  try {
    const { instances, unsupported } = expand(
      { master, overrides: [] },
      window,
      'UTC',
      recurrenceBudget(100_000, 10_000_000),
    );
    const named = new Set(instances.map(({ originalStart }) => instantOf(originalStart, 'UTC')));
    return (original) => unsupported || named.has(instantOf(original, 'UTC'));
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return () => true;
    throw error;
  }
}

/** The same time, in the same words. */
const isSame = (one: EventTime, other: EventTime): boolean =>
  one === other || JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));

const fieldsOf = (time: EventTime): unknown[] =>
  time.type === 'date' ? [time.date] : [time.local, time.type === 'zoned' ? time.zone : null];
