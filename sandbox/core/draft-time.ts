/** Times of stored events as drafts, and drafts compared and moved. */
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import type { DraftTime } from './provider-sandbox.ts';

/** Returns a floating time, or one of a custom zone, in UTC. */
export function toDraftTime(time: EventTime): DraftTime {
  if (time.type === 'date') return { date: time.date };
  if (time.type === 'zoned' && typeof time.zone === 'string')
    return { dateTime: time.local, timeZone: time.zone };
  return { dateTime: new Date(toInstant(time, 'UTC')).toISOString().slice(0, 19), timeZone: 'UTC' };
}

/** Returns epoch milliseconds; for a date midnight UTC. */
export function readInstant(time: DraftTime): number {
  if ('date' in time) return Date.parse(time.date);
  return Temporal.PlainDateTime.from(time.dateTime).toZonedDateTime(time.timeZone).epochMilliseconds;
}

/** Moves a wall-clock time by minutes, and a date by whole days. */
export function movedBy(time: DraftTime, minutes: number): DraftTime {
  if ('date' in time) return { date: Temporal.PlainDate.from(time.date).add({ minutes }).toString() };
  const moved = Temporal.PlainDateTime.from(time.dateTime).add({ minutes });
  return { dateTime: moved.toString({ smallestUnit: 'second' }), timeZone: time.timeZone };
}
