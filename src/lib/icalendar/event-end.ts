/** When an event ends, RFC 5545 §3.6.1: by DTEND, by DURATION, or by neither. */
import { DAY, dayOfLocal } from '../recurrence/civil.ts';
import { instantOf, localOf, timeLike } from '../recurrence/event-instant.ts';
import type { EventTime } from '../recurrence/event-time.ts';
import type { ContentLine } from './content-line.ts';
import { addDuration, parseDuration, parseTime, type ZoneOf } from './time-value.ts';

/**
 * The end in the start's type, exclusive. An end before the start, which some writers produce, counts as none: then
 * > For cases where a "VEVENT" calendar component specifies a "DTSTART" property with a DATE value type but no
 * > "DTEND" nor "DURATION" property, the event's duration is taken to be one day. […] with a DATE-TIME value type
 * > […] the event ends on the same calendar date and time of day.
 */
export function readEnd(
  start: EventTime,
  properties: ReadonlyMap<string, readonly ContentLine[]>,
  zoneOf: ZoneOf,
): EventTime {
  const dtend = properties.get('DTEND')?.[0];
  const dtendTime = dtend && parseTime(dtend.value, dtend, zoneOf);
  const duration = parseDuration(properties.get('DURATION')?.[0]?.value ?? '');
  const end = dtendTime === undefined ? duration && addDuration(start, duration) : inTypeOf(start, dtendTime);
  if (start.type === 'date') {
    return end !== undefined && localOf(end) > localOf(start) ? end : timeLike(start, localOf(start) + DAY);
  }
  return end !== undefined && instantOf(end, 'UTC') > instantOf(start, 'UTC') ? end : start;
}

function inTypeOf(start: EventTime, end: EventTime): EventTime {
  if (start.type === end.type) return end;
  const local = localOf(end);
  // A time on the last day takes that day in; midnight ends the day before.
  if (start.type === 'date') return timeLike(start, dayOfLocal(local + DAY - 1) * DAY);
  return timeLike(start, local);
}
