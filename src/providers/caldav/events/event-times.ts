/** Writes the times of an event as lines of its VEVENT, and moves overrides with their series. */
import type { EventChange } from '../../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import { parseProperties } from '../../../lib/icalendar/component.ts';
import { type ContentLine, parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { linesNamed, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import { endAfter as endOfDuration, readDuration, readEnd } from '../../../lib/icalendar/event-end.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import {
  endLine,
  instanceLine,
  movement,
  recurrenceLines,
  type TzidOf,
  timeLine,
  withStart,
  withUntilLike,
} from '../../../lib/icalendar/write-time.ts';
import { DAY } from '../../../lib/recurrence/civil.ts';
import {
  isSameStart,
  isSameTimeType,
  timeLike,
  toInstant,
  toLocalMs,
  toOriginalStart,
} from '../../../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../../../lib/recurrence/event-time.ts';
import { expand } from '../../../lib/recurrence/expand.ts';
import {
  RecurrenceBudgetError,
  recurrenceBudget,
  STEPS_PER_MS,
} from '../../../lib/recurrence/expand-rule.ts';
import { measureLength } from '../../../lib/recurrence/master-clock.ts';
import type { CalendarObject, EventEdit } from './calendar-object.ts';

export const RECURRENCE_NAMES: readonly string[] = ['RRULE', 'RDATE', 'EXDATE', 'EXRULE'];

/** The times of an event. `recurrence` has the DURATION of a series, if any, and its RDATEs that are periods. */
type Times = {
  readonly start: EventTime;
  readonly end: EventTime;
  readonly recurrence?: Partial<Recurrence>;
};

/** Returns the DTSTART; an empty one for an override that has none. */
export function readDtstart(lines: readonly string[]): ContentLine {
  const [line = ''] = linesNamed(lines, 'DTSTART');
  return parseContentLine(line) ?? { name: 'DTSTART', parameters: new Map(), value: '' };
}

/** Returns the lines with the times and the recurrence of a change. The dates of a recurrence move with the series. */
export function withTimes(
  { component, event }: ReadEvent,
  change: EventChange,
  tzidOf: TzidOf,
): readonly string[] {
  const { start, end } = timesAfter(event, change);
  const starts = isSame(start, event.start) ? undefined : timeLine('DTSTART', start, tzidOf);
  let lines = withStart(component.lines, event, tzidOf);
  if (starts !== undefined) lines = replaceLines(lines, ['DTSTART'], [starts]);
  // DTEND takes the place of DURATION: a VEVENT has one of them (RFC 5545 §3.6.1).
  if ((starts !== undefined || !isSame(end, event.end)) && !endsThere(lines, { start, end }))
    lines = replaceLines(lines, ['DTEND', 'DURATION'], [endLine({ start, end }, tzidOf)]);
  const recurrence = recurrenceAfter(event, start, change);
  if (recurrence === undefined) return lines;
  if (change.recurrence === undefined) refuseExceptionRules(lines);
  return replaceLines(lines, RECURRENCE_NAMES, recurrenceLines(recurrence, readDtstart(lines), start));
}

/** EXRULE, which RFC 5545 removed, is not evaluated, and so cannot be moved. */
function refuseExceptionRules(lines: readonly string[]): void {
  if (linesNamed(lines, 'EXRULE').length === 0) return;
  const message =
    'The series has an exception rule (EXRULE), so it cannot be moved: send a new recurrence or delete it';
  throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'start');
}

/** Returns whether the lines state this end without a DTEND: by their DURATION, or by no end. */
function endsThere(lines: readonly string[], { start, end }: Times): boolean {
  if (linesNamed(lines, 'DTEND').length > 0) return false;
  const stated = readEnd(start, durationsIn(lines), () => undefined);
  return isSameInstant(stated, end);
}

const durationsIn = (lines: readonly string[]) =>
  parseProperties({ name: 'VEVENT', lines: linesNamed(lines, 'DURATION'), components: [] });

function withDuration({ start, end }: Times, lines: readonly string[]): Times {
  const duration = endsThere(lines, { start, end })
    ? readDuration(start, end, durationsIn(lines))
    : undefined;
  return { start, end, ...(duration && { recurrence: { duration } }) };
}

function timesAfter(before: Times, change: EventChange): Times {
  const { start, end } = { start: change.start ?? before.start, end: change.end ?? before.end };
  if (isSameTimeType(start, end)) return { start, end };
  const message = 'Start and end must both be days, or both be times';
  throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'end');
}

/** Returns `undefined` if the lines of the recurrence stay as they are. */
function recurrenceAfter(event: VEvent, start: EventTime, change: EventChange): Recurrence | undefined {
  if (change.recurrence !== undefined) return change.recurrence ?? { rrules: [], rdates: [], exdates: [] };
  const { rrules, rdates, exdates } = event.recurrence;
  const isSeries = rrules.length + rdates.length + exdates.length > 0;
  if (!isSeries || isSame(start, event.start)) return undefined;
  const move = movement(event, start);
  const moveLocal = (local: number) => toLocalMs(move(timeLike(event.start, local)));
  return {
    rrules: rrules.map((rrule) => withUntilLike(rrule, start, { from: event.start, move: moveLocal })),
    rdates: rdates.map((rdate) => ({ start: move(rdate.start), ...(rdate.end && { end: move(rdate.end) }) })),
    exdates: exdates.map(move),
  };
}

/** Returns start and end of one occurrence by the series' rules. An RDATE that is a period has its own end. */
export function occurrenceTimes(series: Times, instance: EventTime): Omit<Times, 'recurrence'> {
  const start = toOriginalStart(series.start, instance, 'UTC');
  const rdate = series.recurrence?.rdates?.findLast((date) =>
    isSameInstant(toOriginalStart(series.start, date.start, 'UTC'), start),
  );
  if (rdate?.end === undefined || start.type === 'date') return { start, end: endAfter(start, series) };
  const length = Math.max(0, toInstant(rdate.end, 'UTC') - toInstant(start, 'UTC'));
  return { start, end: endOfDuration(start, { days: 0, milliseconds: length }) ?? start };
}

/** Returns the end that gives `start` the length of another event. */
export function endAfter(start: EventTime, other: Times): EventTime {
  const length = other.recurrence?.duration ?? measureLength(other.start, other.end, 'UTC');
  return endOfDuration(start, length) ?? start;
}

export const originalOf = ({ recurrenceId, start }: VEvent): EventTime => recurrenceId ?? start;

export type Series = Pick<CalendarObject, 'overrides' | 'zones'> & { readonly master: ReadEvent };

/**
 * Returns the overrides of a changed series. An override that started with its occurrence moves with it, and takes the
 * new length if it had the old one; any other keeps its time. Overrides of occurrences that the series no longer has
 * are removed; those that its rules never named stay. `dtstart` is the new one.
 */
export function movedOverrides(
  { master, overrides, zones }: Series,
  change: EventChange,
  dtstart: ContentLine,
): EventEdit[] {
  const before: Times = master.event;
  const after = withDuration(timesAfter(before, change), master.component.lines);
  const moves = !isSame(after.start, before.start);
  const lengthens = !isSame(after.end, before.end);
  const move = movement(master.event, after.start);
  const originals = overrides.map(({ event }) => originalOf(event));
  const recurrence = change.recurrence === null ? null : recurrenceAfter(master.event, after.start, change);
  const isInstance =
    recurrence === undefined ? () => true : createInstanceTest(after.start, recurrence, originals.map(move));
  const wasInstance = recurrence
    ? createInstanceTest(before.start, master.event.recurrence, originals)
    : () => true;
  return overrides.map((override): EventEdit => {
    const { event, component } = override;
    const original = toOriginalStart(before.start, originalOf(event), 'UTC');
    const start = move(original);
    if (!isInstance(start) && wasInstance(original)) return { event: override, lines: undefined };
    if (!moves && !lengthens) return { event: override, lines: component.lines };
    const hasSeriesLength = isSameInstant(event.end, endAfter(original, before));
    const times = { start, end: endAfter(start, hasSeriesLength ? after : event) };
    const lines = withTimes(override, isSameInstant(event.start, original) ? times : {}, zones.tzidOf);
    if (!moves) return { event: override, lines };
    const line = instanceLine('RECURRENCE-ID', dtstart, after.start, start);
    const recurrenceId = event.thisAndFuture
      ? line.replace(/^RECURRENCE-ID/, 'RECURRENCE-ID;RANGE=THISANDFUTURE')
      : line;
    return { event: override, lines: replaceLines(lines, ['RECURRENCE-ID'], [recurrenceId]) };
  });
}

/** Limits the search for the occurrences of a changed rule, in milliseconds. */
const MOST_MS = 20;

/** Tests whether a series has an occurrence at one of `starts`: yes if its rule cannot be evaluated that far. */
function createInstanceTest(
  seriesStart: EventTime,
  recurrence: Recurrence | null,
  starts: readonly EventTime[],
): (start: EventTime) => boolean {
  if (recurrence === null) return () => false;
  if (starts.length === 0) return () => true;
  const instants = starts.map((start) => toInstant(start, 'UTC'));
  const [first = 0, last = 0] = [least(instants), -least(instants.map((at) => -at))];
  const window = { start: first - DAY, end: last + DAY };
  const unlimited = { ...recurrence, exdates: [] };
  const master = { start: seriesStart, end: seriesStart, recurrence: unlimited, payload: undefined };
  const budget = recurrenceBudget(100_000, MOST_MS * STEPS_PER_MS);
  try {
    const { instances, unsupported } = expand({ master, overrides: [] }, window, 'UTC', budget);
    const instanceStarts = new Set(instances.map(({ originalStart }) => toInstant(originalStart, 'UTC')));
    return (start) => unsupported || instanceStarts.has(toInstant(start, 'UTC'));
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return () => true;
    throw error;
  }
}

const least = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

const isSameInstant = (one: EventTime, other: EventTime): boolean => isSameStart(one, other, 'UTC');

const isSame = (one: EventTime, other: EventTime): boolean =>
  one === other || JSON.stringify(toFields(one)) === JSON.stringify(toFields(other));

const toFields = (time: EventTime): unknown[] =>
  time.type === 'date' ? [time.date] : [time.local, time.type === 'zoned' ? time.zone : null];
