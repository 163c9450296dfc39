/** Event times as instants. */
import { DAY, dayOfLocal, formatDate, formatLocal, type LocalMs, parseLocal } from './civil.ts';
import type { EventTime, Zone } from './event-time.ts';
import { instantOfLocal, localOfInstant } from './zone.ts';

/**
 * Returns the instant of an event time, in epoch milliseconds. A date is midnight UTC, which is how all-day events are
 * written on the wire (docs/wire.md 1.11); a floating time is read in `floatingZone`. Throws RangeError for an invalid
 * time.
 */
export function instantOf(time: EventTime, floatingZone: string): number {
  return instantOfLocal(zoneOf(time, floatingZone), localOf(time));
}

/** Returns the zone of the time's wall clock. */
export function zoneOf(time: EventTime, floatingZone: string): Zone {
  if (time.type === 'date') return 'UTC';
  return time.type === 'zoned' ? time.zone : floatingZone;
}

export function localOf(time: EventTime): LocalMs {
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

/**
 * The local time at which an event time falls on the clock of another: a RECURRENCE-ID, RDATE or EXDATE in UTC
 * names the instance of a series in Paris. A date keeps its day, in either direction.
 */
export function localOn(model: EventTime, time: EventTime, floatingZone: string): LocalMs {
  if (time.type === 'date') return localOf(time);
  const local = model.type === 'date' ? allDayStart(time, floatingZone) : undefined;
  if (local !== undefined) return local;
  const zone = zoneOf(model, floatingZone);
  if (zone === zoneOf(time, floatingZone)) return localOf(time);
  return localOfInstant(zone, instantOf(time, floatingZone));
}

/**
 * Returns the original start that a RECURRENCE-ID, RDATE or EXDATE names, in the type and zone of the main event's
 * start. A date in a timed series names the occurrence at the series' own time of day.
 */
export function originalStartOf(start: EventTime, named: EventTime, floatingZone: string): EventTime {
  const local = localOn(start, named, floatingZone);
  if (named.type !== 'date' || start.type === 'date') return timeLike(start, local);
  const startLocal = localOf(start);
  return timeLike(start, local + startLocal - dayOfLocal(startLocal) * DAY);
}

/**
 * Local midnight of the day that a time means for an all-day series: midnight UTC means its UTC day, any other time its
 * day in the zone.
 */
export function allDayStart(time: EventTime, floatingZone: string): LocalMs {
  const local = localOf(time);
  const isUtc = time.type === 'zoned' && time.zone === 'UTC';
  const displayed = isUtc && local % DAY !== 0 ? localOfInstant(floatingZone, local) : local;
  return dayOfLocal(displayed) * DAY;
}

/**
 * Returns the id of an occurrence on the wire: the main event's id and its original start. A floating start is read in
 * `zone`.
 */
export function instanceIdOf(masterId: string, originalStart: EventTime, zone: string): string {
  const instant = instantOf(originalStart, zone);
  const text = originalStart.type === 'date' ? formatDate(dayOfLocal(instant)) : `${formatLocal(instant)}Z`;
  return `${masterId}_${text.replace(/[-:]/g, '')}`;
}

export type InstanceId = {
  readonly masterId: string;
  /** In UTC, or a date. */
  readonly originalStart: EventTime;
};

/**
 * Parses an occurrence id; `undefined` if the text is none. A main event's own id may look like one, so look for an
 * event with that exact id first.
 */
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
