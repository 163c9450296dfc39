/** The end of an event, RFC 5545 §3.6.1: from DTEND, from DURATION, or from neither. */
import { DAY, dayOfLocal } from '../recurrence/civil.ts';
import { timeLike, toInstant, toLocalMs } from '../recurrence/event-instant.ts';
import type { Duration, EventTime } from '../recurrence/event-time.ts';
import { endLasting, measureLength } from '../recurrence/master-clock.ts';
import type { ContentLine } from './content-line.ts';
import { addDuration, parseDuration, parseTime, type ZoneOf } from './time-value.ts';

/**
 * Returns the end in the start's type, exclusive. An end before the start, which some programs write, counts as none:
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
  const end = dtendTime === undefined ? duration && endAfter(start, duration) : toStartType(start, dtendTime);
  if (start.type === 'date') {
    return end !== undefined && toLocalMs(end) > toLocalMs(start)
      ? end
      : timeLike(start, toLocalMs(start) + DAY);
  }
  return end !== undefined && toInstant(end, 'UTC') >= toInstant(start, 'UTC') ? end : start;
}

/** Returns the end, `undefined` beyond the writable years. The second of two equal local times is in UTC. */
export function endAfter(start: EventTime, duration: Duration): EventTime | undefined {
  const end = addDuration(start, duration);
  return end === undefined || start.type !== 'zoned' ? end : endLasting(start, duration, 'UTC');
}

/** Returns DURATION if start and end do not imply it: over a DST change `P1DT2H` is not `PT26H`, nor `PT24H` a day. */
export function readDuration(
  start: EventTime,
  end: EventTime,
  properties: ReadonlyMap<string, readonly ContentLine[]>,
): Duration | undefined {
  const text = properties.has('DTEND') ? undefined : properties.get('DURATION')?.[0]?.value;
  const duration = text === undefined ? undefined : parseDuration(text);
  // A duration in days is implied, and one without a writable end is ignored.
  if (duration === undefined || duration.milliseconds === 0 || start.type === 'date' || end === start)
    return undefined;
  // The zone of a floating time, and so the time until its end, is not known yet.
  if (start.type === 'floating') return duration;
  const { days, milliseconds } = measureLength(start, end, 'UTC');
  return days === duration.days && milliseconds === duration.milliseconds ? undefined : duration;
}

function toStartType(start: EventTime, end: EventTime): EventTime {
  if (start.type === end.type) return end;
  const local = toLocalMs(end);
  // A time includes its day; midnight ends the day before.
  if (start.type === 'date') return timeLike(start, dayOfLocal(local + DAY - 1) * DAY);
  return timeLike(start, local);
}
