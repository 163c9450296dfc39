/** Writes dates, times and recurrences, RFC 5545 §3.3.4, §3.3.5, §3.3.10 and §3.8.5. */
import { DAY, dayOfLocal, formatDate, formatLocal, type LocalMs, parseLocal } from '../recurrence/civil.ts';
import { timeLike, toInstant, toLocalMs, toOriginalStart } from '../recurrence/event-instant.ts';
import type { EventTime, Recurrence, Zone } from '../recurrence/event-time.ts';
import { createShift, shiftWithSeries } from '../recurrence/shift-series.ts';
import { instantOfLocal, localOfInstant } from '../recurrence/zone.ts';
import { type ContentLine, findParameter } from './content-line.ts';
import { linesNamed, replaceLines } from './edit-lines.ts';
import { contentLine } from './write-lines.ts';

/** Converts a date or time with dashes and colons to `20261128` or `20261128T080000`. */
export const compact = (text: string): string => text.replace(/[-:]/g, '');

/** Formats epoch milliseconds as `20261128T080000Z`. */
export const utcText = (instant: number): string => `${compact(formatLocal(instant))}Z`;

/** Returns a calendar's name of a zone: its TZID. `undefined` if the calendar has not named that zone so far. */
export type TzidOf = (zone: Zone) => string | undefined;

/** Writes a property that is one time. A zone without a name in the calendar keeps its own name. */
export function timeLine(name: string, time: EventTime, tzidOf: TzidOf): string {
  if (time.type === 'date') return contentLine(name, { VALUE: 'DATE' }, compact(time.date));
  if (time.type === 'floating') return contentLine(name, {}, compact(time.local));
  const { zone, local } = time;
  if (zone === 'UTC') return contentLine(name, {}, `${compact(local)}Z`);
  const tzid = typeof zone === 'string' ? zone : zone.tzid;
  return contentLine(name, { TZID: tzidOf(zone) ?? tzid }, compact(local));
}

/** Writes DTEND, which is later than DTSTART (RFC 5545 §3.8.2.2), or a zero DURATION: some servers require an end. */
export function endLine({ start, end }: Record<'start' | 'end', EventTime>, tzidOf: TzidOf): string {
  const isEmpty = start.type !== 'date' && toInstant(start, 'UTC') === toInstant(end, 'UTC');
  return isEmpty ? 'DURATION:PT0S' : timeLine('DTEND', end, tzidOf);
}

/** Returns the lines of an event with a DTSTART and an end; unchanged if they have a DTSTART. */
export function withStart(
  lines: readonly string[],
  times: Record<'start' | 'end', EventTime>,
  tzidOf: TzidOf,
): readonly string[] {
  if (linesNamed(lines, 'DTSTART').length > 0) return lines;
  const stated = [timeLine('DTSTART', times.start, tzidOf), endLine(times, tzidOf)];
  return replaceLines(lines, ['DTEND', 'DURATION'], stated);
}

/** Writes RECURRENCE-ID, EXDATE or RDATE. `time` gets the type, zone and TZID of the series' DTSTART (§3.8.4.4). */
export function instanceLine(name: string, dtstart: ContentLine, start: EventTime, time: EventTime): string {
  const original = toOriginalStart(start, time, 'UTC');
  if (original.type === 'date') return contentLine(name, { VALUE: 'DATE' }, compact(original.date));
  const isUtc = /Z\s*$/i.test(dtstart.value);
  return contentLine(
    name,
    { TZID: findParameter(dtstart, 'TZID') },
    compact(original.local) + (isUtc ? 'Z' : ''),
  );
}

/** Writes RRULE, RDATE and EXDATE of a series that starts at `start`; one value per line suits all readers. */
export function recurrenceLines(recurrence: Recurrence, dtstart: ContentLine, start: EventTime): string[] {
  const rdates = recurrence.rdates.map(({ start: rdate, end }) => {
    const line = instanceLine('RDATE', dtstart, start, rdate);
    if (end === undefined || start.type === 'date') return line;
    const until = /:(\w+)$/.exec(instanceLine('RDATE', dtstart, start, end))?.[1] ?? '';
    return `${line.replace(/^RDATE/, 'RDATE;VALUE=PERIOD')}/${until}`;
  });
  return [
    ...recurrence.rrules.map((rrule) => contentLine('RRULE', {}, withUntilLike(rrule, start))),
    ...rdates,
    ...recurrence.exdates.map((exdate) => instanceLine('EXDATE', dtstart, start, exdate)),
  ];
}

/**
 * Returns the rule with an UNTIL of DTSTART's type, in UTC if DTSTART has a zone (§3.3.10). A date includes its whole
 * day. For a series that moved to `start`, `from` is its old start, and `move` shifts UNTIL.
 */
export function withUntilLike(
  rrule: string,
  start: EventTime,
  { from, move } = { from: start, move: (local: LocalMs) => local },
): string {
  return rrule.replace(/(^|;)\s*UNTIL\s*=\s*([^;]*)/i, (part, before: string, text: string) => {
    const until = readUntil(text, from);
    if (until === undefined) return part;
    const last = move(until.isDay ? until.local + DAY - 1000 : until.local);
    return `${before}UNTIL=${untilText(last, until.isDay, start)}`;
  });
}

/** Returns the last time on the clock of `start`. */
function readUntil(text: string, start: EventTime): { local: number; isDay: boolean } | undefined {
  const [, year, month, day, time, hour = '00', minute = '00', second = '00', utc] =
    /^\s*(\d{4})-?(\d\d)-?(\d\d)(T(\d\d):?(\d\d):?(\d\d)(Z?))?\s*$/i.exec(text) ?? [];
  const local = parseLocal(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  if (local === undefined) return undefined;
  if (time === undefined) return { local, isDay: true };
  const isUtc = utc !== undefined && utc !== '';
  // A UTC time in a series of days means the day it names.
  if (start.type !== 'zoned' || !isUtc) return { local, isDay: false };
  return { local: localOfInstant(start.zone, local), isDay: false };
}

function untilText(local: number, isDay: boolean, start: EventTime): string {
  if (start.type === 'date') return compact(formatDate(dayOfLocal(local)));
  const wasDate = isDay ? dayOfLocal(local) * DAY + DAY - 1000 : local;
  if (start.type === 'floating') return compact(formatLocal(wasDate));
  return utcText(instantOfLocal(start.zone, wasDate));
}

/** Returns where instances go if the series starts at `to` (shiftWithSeries). Rules that name days keep their days. */
export function movement(
  series: { readonly start: EventTime; readonly recurrence: Recurrence },
  to: EventTime,
): (original: EventTime) => EventTime {
  const before = series.start;
  const local = toLocalMs(to);
  const days = dayOfLocal(toLocalMs(before)) - dayOfLocal(local);
  const after = namesDays(series.recurrence) ? timeLike(to, local + days * DAY) : to;
  const shift = createShift(series, { before, after, floatingZone: 'UTC' });
  return (original) => shiftWithSeries(original, shift);
}

const namesDays = ({ rrules }: Recurrence): boolean =>
  rrules.some((rrule) => /\bBY(?!HOUR|MINUTE|SECOND)\w+=/i.test(rrule));
