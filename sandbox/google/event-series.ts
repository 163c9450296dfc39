/** The instances of stored events. */
import { parseContentLine } from '../../src/lib/icalendar/content-line.ts';
import { parseTime } from '../../src/lib/icalendar/time-value.ts';
import { instantOf } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../../src/lib/recurrence/event-time.ts';
import { expand } from '../../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../src/lib/recurrence/expand-rule.ts';
import { parseRule } from '../../src/lib/recurrence/rule.ts';
import type { Instance, SeriesOverride, TimeWindow } from '../../src/lib/recurrence/series.ts';
import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { GoogleCalendar, StoredEvent } from './google-store.ts';

/** Series of real calendars stay far below; a window that needs more is refused by the engine. */
const MOST_INSTANCES = 20_000;

export const isMaster = ({ recurrence }: StoredEvent): boolean =>
  recurrence !== undefined && recurrence.length > 0;

/** The lines of an event's `recurrence`; refused when one cannot be followed. */
export function readRecurrence(lines: readonly string[], calendarZone: string): Recurrence {
  const rrules: string[] = [];
  const dates: { rdate: EventTime[]; exdate: EventTime[] } = { rdate: [], exdate: [] };
  for (const text of lines) {
    const line = parseContentLine(text);
    const times = line?.value
      .split(',')
      .map((value) => parseTime(value, line, (tzid) => (tzid === undefined ? calendarZone : ianaZone(tzid))));
    const readable = times?.filter((time) => time !== undefined) ?? [];
    if (line?.name === 'RRULE' && parseRule(line.value)?.leftOut.length === 0) rrules.push(line.value);
    // EXRULE, which Google takes as well, is deprecated by RFC 5545 and not supported here.
    else if (line?.name === 'RDATE' && readable.length === times?.length) dates.rdate.push(...readable);
    else if (line?.name === 'EXDATE' && readable.length === times?.length) dates.exdate.push(...readable);
    else throw new SandboxRefusal(400, 'invalid', 'Invalid recurrence rule.');
  }
  return { rrules, rdates: dates.rdate.map((start) => ({ start })), exdates: dates.exdate };
}

/** Those of a single event or a master that overlap the window, its exceptions in their places. */
export function instancesOf(
  calendar: GoogleCalendar,
  event: StoredEvent,
  window: TimeWindow,
): readonly Instance<StoredEvent>[] {
  const overrides = exceptionsOf(calendar, event.id).flatMap(overrideOf);
  return expanded(calendar, { event, overrides }, window);
}

/** What the rule alone says, as if nothing had been changed or cancelled. */
export function patternOf(
  calendar: GoogleCalendar,
  event: StoredEvent,
  window: TimeWindow,
): readonly Instance<StoredEvent>[] {
  return expanded(calendar, { event, overrides: [] }, window);
}

/** The pattern's instance of that original start; `undefined` when the rule names none. */
export function patternInstanceAt(
  calendar: GoogleCalendar,
  master: StoredEvent,
  originalStart: EventTime,
): Instance<StoredEvent> | undefined {
  if (originalStart.type !== master.start.type) return undefined;
  const start = instantOf(originalStart, calendar.timeZone);
  return patternOf(calendar, master, { start, end: start + 1 }).find(({ startsAt }) => startsAt === start);
}

function expanded(
  { timeZone }: GoogleCalendar,
  { event, overrides }: { event: StoredEvent; overrides: readonly SeriesOverride<StoredEvent>[] },
  window: TimeWindow,
): readonly Instance<StoredEvent>[] {
  const { start, end, recurrence } = event;
  const rules = recurrence === undefined ? undefined : readRecurrence(recurrence, timeZone);
  const master = { start, end, recurrence: rules, payload: event };
  return expand({ master, overrides }, window, timeZone, recurrenceBudget(MOST_INSTANCES)).instances;
}

export function exceptionsOf({ exceptions, events }: GoogleCalendar, masterId: string): StoredEvent[] {
  const ids = [...(exceptions.get(masterId) ?? [])];
  return ids.map((id) => events.get(id)).filter((event) => event !== undefined);
}

function overrideOf(event: StoredEvent): SeriesOverride<StoredEvent>[] {
  const { instanceOf, start, end, status } = event;
  if (instanceOf === undefined) return [];
  return [
    { recurrenceId: instanceOf.original, start, end, cancelled: status === 'cancelled', payload: event },
  ];
}
