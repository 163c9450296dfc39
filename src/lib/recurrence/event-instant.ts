/** Event times as instants. */
import { DAY, dayOfLocal, formatDate, formatLocal, type LocalMs, parseLocal } from './civil.ts';
import type { EventTime, Zone } from './event-time.ts';
import { instantOfLocal, localOfInstant } from './zone.ts';

/**
 * Returns the instant in epoch milliseconds. A date is midnight UTC (docs/wire.md 1.11); a floating time is in
 * `floatingZone`. Throws RangeError for an invalid time.
 */
export function toInstant(time: EventTime, floatingZone: string): number {
  return instantOfLocal(resolveClockZone(time, floatingZone), toLocalMs(time));
}

/** Returns whether both are dates, or neither is. */
export const isSameTimeType = (time: EventTime, other: EventTime): boolean =>
  (time.type === 'date') === (other.type === 'date');

export const isSameStart = (time: EventTime, other: EventTime, floatingZone: string): boolean =>
  isSameTimeType(time, other) && toInstant(time, floatingZone) === toInstant(other, floatingZone);

export function resolveClockZone(time: EventTime, floatingZone: string): Zone {
  if (time.type === 'date') return 'UTC';
  return time.type === 'zoned' ? time.zone : floatingZone;
}

export function toLocalMs(time: EventTime): LocalMs {
  const text = time.type === 'date' ? time.date : time.local;
  const local = parseLocal(text);
  if (local === undefined) throw new RangeError(`Not a date or time: ${text}`);
  return local;
}

/** Returns the wall-clock time `local` in the type and zone of `model`. */
export function timeLike(model: EventTime, local: LocalMs): EventTime {
  if (model.type === 'date') return { type: 'date', date: formatDate(dayOfLocal(local)) };
  return { ...model, local: formatLocal(local) };
}

/** Returns an instant (epoch milliseconds) on the clock of `zone`, or in UTC if it is the second one with its local time. */
export function exactTime(instant: number, zone: Zone): EventTime {
  const local = localOfInstant(zone, instant);
  const isFirst = instantOfLocal(zone, local) === instant;
  return { type: 'zoned', local: formatLocal(isFirst ? local : instant), zone: isFirst ? zone : 'UTC' };
}

/** Returns the end of an event whose start becomes another one: a series begins at the first of two equal local times. */
export function movedEnd(end: EventTime, from: EventTime, start: EventTime): EventTime {
  const distance = toInstant(start, 'UTC') - toInstant(from, 'UTC');
  const isMoved = start.type === 'zoned' && distance !== 0;
  return isMoved ? exactTime(toInstant(end, 'UTC') + distance, start.zone) : end;
}

/** Returns a time on the clock of `model`: a RECURRENCE-ID in UTC names an instance in Paris. Dates keep the day. */
export function localOn(model: EventTime, time: EventTime, floatingZone: string): LocalMs {
  if (time.type === 'date') return toLocalMs(time);
  const local = model.type === 'date' ? allDayStart(time, floatingZone) : undefined;
  if (local !== undefined) return local;
  const zone = resolveClockZone(model, floatingZone);
  if (zone === resolveClockZone(time, floatingZone)) return toLocalMs(time);
  return localOfInstant(zone, toInstant(time, floatingZone));
}

/** Returns the original start that `named` means, like `start`. A date in a timed series has its time of day. */
export function toOriginalStart(start: EventTime, named: EventTime, floatingZone: string): EventTime {
  const local = localOn(start, named, floatingZone);
  if (named.type !== 'date' || start.type === 'date') return timeLike(start, local);
  const startLocal = toLocalMs(start);
  return timeLike(start, local + startLocal - dayOfLocal(startLocal) * DAY);
}

/** Returns a time's day at local midnight for an all-day series. Only midnight UTC means its UTC day. */
export function allDayStart(time: EventTime, floatingZone: string): LocalMs {
  const local = toLocalMs(time);
  const isUtc = time.type === 'zoned' && time.zone === 'UTC';
  const displayed = isUtc && local % DAY !== 0 ? localOfInstant(floatingZone, local) : local;
  return dayOfLocal(displayed) * DAY;
}

/** Returns the id of an occurrence: main event's id and original start. A floating start is read in `zone`. */
export function formatInstanceId(masterId: string, originalStart: EventTime, zone: string): string {
  const instant = toInstant(originalStart, zone);
  const text = originalStart.type === 'date' ? formatDate(dayOfLocal(instant)) : `${formatLocal(instant)}Z`;
  return `${masterId}_${text.replace(/[-:]/g, '')}`;
}

export type InstanceId = {
  readonly masterId: string;
  /** In UTC, or a date. */
  readonly originalStart: EventTime;
};

/** Parses an occurrence id. A main event's own id may look like one, so look for that exact id first. */
export function parseInstanceId(id: string): InstanceId | undefined {
  const parts = /^(.+)_(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/su.exec(id);
  if (parts === null) return undefined;
  const [, masterId = '', year, month, day, hour, minute, second] = parts;
  const date = `${year}-${month}-${day}`;
  const local = `${date}T${hour}:${minute}:${second}`;
  if (parseLocal(hour === undefined ? date : local) === undefined) return undefined;
  if (hour === undefined) return { masterId, originalStart: { type: 'date', date } };
  return { masterId, originalStart: { type: 'zoned', local, zone: 'UTC' } };
}
