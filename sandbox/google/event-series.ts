/** The instances of stored events. */
import { parseContentLine } from '../../src/lib/icalendar/content-line.ts';
import { parseTime } from '../../src/lib/icalendar/time-value.ts';
import { formatInstanceId, toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../../src/lib/recurrence/event-time.ts';
import type { Instance, TimeWindow } from '../../src/lib/recurrence/series.ts';
import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import { instancesIn } from '../core/instances.ts';
import { isIn } from '../core/occurrences.ts';
import { readRule } from '../core/rule-times.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { GoogleCalendar, StoredEvent } from './google-store.ts';

export const isMaster = ({ recurrence }: StoredEvent): boolean =>
  recurrence !== undefined && recurrence.length > 0;

/** Reads the lines of an event's `recurrence`; throws if one cannot be followed. */
export function readRecurrence(lines: readonly string[], calendarZone: string): Recurrence {
  const rrules: string[] = [];
  const dates: { rdate: EventTime[]; exdate: EventTime[] } = { rdate: [], exdate: [] };
  for (const text of lines) {
    const line = parseContentLine(text);
    const times = line?.value
      .split(',')
      .map((value) => parseTime(value, line, (tzid) => (tzid === undefined ? calendarZone : ianaZone(tzid))));
    const readable = times?.filter((time) => time !== undefined) ?? [];
    if (line?.name === 'RRULE' && isFollowed(line.value)) rrules.push(line.value);
    // EXRULE, which Google accepts as well, is deprecated by RFC 5545 and not supported here.
    else if (line?.name === 'RDATE' && readable.length === times?.length) dates.rdate.push(...readable);
    else if (line?.name === 'EXDATE' && readable.length === times?.length) dates.exdate.push(...readable);
    else throw new SandboxRefusal(400, 'invalid', 'Invalid recurrence rule.');
  }
  return { rrules, rdates: dates.rdate.map((start) => ({ start })), exdates: dates.exdate };
}

/** Returns whether every part can be read. RFC 5545's frequencies below a day are not supported here. */
const isFollowed = (rrule: string): boolean =>
  /FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)/i.test(rrule) && readRule(rrule, () => 1) !== undefined;

/**
 * Returns those of a single event or a master that overlap the window. An exception replaces the occurrence with its
 * id; a cancelled one without such an occurrence is ignored.
 */
export function instancesOf(
  calendar: GoogleCalendar,
  event: StoredEvent,
  window: TimeWindow,
): readonly Instance<StoredEvent>[] {
  const exceptions = exceptionsOf(calendar, event.id);
  const replaced = new Set(exceptions.map(({ id }) => id));
  const pattern = patternOf(calendar, event, window).filter(
    ({ originalStart }) => !replaced.has(formatInstanceId(event.id, originalStart, calendar.timeZone)),
  );
  const live = exceptions
    .flatMap((exception) => exceptionInstance(calendar, exception))
    .filter((instance) => isIn(instance, window.start, window.end));
  return [...pattern, ...live].sort((a, b) => a.startsAt - b.startsAt);
}

/** Returns the instances of the rule alone, before changes and cancellations. */
export function patternOf(
  calendar: GoogleCalendar,
  event: StoredEvent,
  window: TimeWindow,
): readonly Instance<StoredEvent>[] {
  const { start, end, recurrence: lines } = event;
  const recurrence = lines && readRecurrence(lines, calendar.timeZone);
  const master = { start, end, recurrence, payload: event };
  return instancesIn({ master, overrides: [] }, window, calendar.timeZone);
}

/** Returns the pattern's instance with that original start, or `undefined` if the rule has none. */
export function patternInstanceAt(
  calendar: GoogleCalendar,
  master: StoredEvent,
  originalStart: EventTime,
): Instance<StoredEvent> | undefined {
  if (originalStart.type !== master.start.type) return undefined;
  const start = toInstant(originalStart, calendar.timeZone);
  return patternOf(calendar, master, { start, end: start + 1 }).find(({ startsAt }) => startsAt === start);
}

export function exceptionsOf({ exceptions, events }: GoogleCalendar, masterId: string): StoredEvent[] {
  const ids = [...(exceptions.get(masterId) ?? [])];
  return ids.map((id) => events.get(id)).filter((event) => event !== undefined);
}

function exceptionInstance({ timeZone }: GoogleCalendar, event: StoredEvent): Instance<StoredEvent>[] {
  const { instanceOf, start, end, status } = event;
  if (instanceOf === undefined || status === 'cancelled') return [];
  const startsAt = toInstant(start, timeZone);
  const endsAt = Math.max(startsAt, toInstant(end, timeZone));
  return [{ startsAt, endsAt, originalStart: instanceOf.original, payload: event, isOverride: true }];
}
