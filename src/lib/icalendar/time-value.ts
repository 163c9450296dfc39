/** Dates, times and durations as iCalendar writes them, RFC 5545 §3.3.4 to §3.3.6 and §3.3.9. */
import {
  DAY,
  dayNumberOf,
  dayOfLocal,
  formatDate,
  type LocalMs,
  parseLocal,
  timeOfDay,
} from '../recurrence/civil.ts';
import { localOf, timeLike, zoneOf } from '../recurrence/event-instant.ts';
import type { EventTime, Zone } from '../recurrence/event-time.ts';
import { instantOfLocal, localOfInstant } from '../recurrence/zone.ts';
import { type ContentLine, parameterOf } from './content-line.ts';

/** The zone a TZID stands for; without one, the zone of floating times. `undefined` leaves the time floating. */
export type ZoneOf = (tzid: string | undefined) => Zone | undefined;

/** A year is left at either end of the four digits, so that ends and offsets can still be written. */
const EARLIEST = dayNumberOf(2, 1, 1) * DAY;
const LATEST = dayNumberOf(9998, 12, 31) * DAY;

/** Whether a local time is of the years that are read and written. */
export const isWritable = (local: LocalMs): boolean => local >= EARLIEST && local <= LATEST;

/** The time a property's value is, or one of its values; `undefined` when it is none. */
export function parseTime(text: string, property: ContentLine, zoneOf: ZoneOf): EventTime | undefined {
  const [, year, month, day, time, hour = '', minute = '', second = '', utc] =
    /^\s*(\d{4})-?(\d\d)-?(\d\d)(T(\d\d):?(\d\d):?(\d\d)?(?:[.,]\d+)?(Z?))?\s*$/i.exec(text) ?? [];
  const midnight = parseLocal(`${year}-${month}-${day}`);
  if (midnight === undefined || !isWritable(midnight)) return undefined;
  const isDate = parameterOf(property, 'VALUE')?.toUpperCase() === 'DATE';
  if (time === undefined || isDate) return { type: 'date', date: formatDate(dayOfLocal(midnight)) };
  const sinceMidnight = timeOfDay(hour, minute, second);
  if (sinceMidnight === undefined) return undefined;
  const local = midnight + sinceMidnight;
  if (utc !== undefined && utc !== '') return timeLike({ type: 'zoned', local: '', zone: 'UTC' }, local);
  const zone = zoneOf(parameterOf(property, 'TZID'));
  if (zone === undefined) return timeLike({ type: 'floating', local: '' }, local);
  return timeLike({ type: 'zoned', local: '', zone }, local);
}

/** Days are nominal, milliseconds exact (RFC 5545 §3.3.6). */
export type Duration = { readonly days: number; readonly milliseconds: number };

/** `undefined` for what is no duration, and for a negative one. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, weeks, days, hours, minutes, seconds] =
    /^\s*([+-]?)P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})S)?)?\s*$/i.exec(
      text,
    ) ?? [];
  const parts = [weeks, days, hours, minutes, seconds];
  if (sign === undefined || sign === '-' || parts.every((part) => part === undefined)) return undefined;
  const [week = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0));
  return { days: week * 7 + day, milliseconds: ((hour * 60 + minute) * 60 + second) * 1000 };
}

/** `start` moved by the duration, in its own type and zone; `undefined` past the years that can be written. */
export function addDuration(start: EventTime, { days, milliseconds }: Duration): EventTime | undefined {
  const local = localOf(start);
  if (!isWritable(local + days * DAY + milliseconds)) return undefined;
  if (start.type === 'date') return timeLike(start, local + (days + Math.ceil(milliseconds / DAY)) * DAY);
  if (milliseconds === 0) return timeLike(start, local + days * DAY);
  const zone = zoneOf(start, 'UTC');
  const end = instantOfLocal(zone, local + days * DAY) + milliseconds;
  return timeLike(start, localOfInstant(zone, end));
}

/** Epoch milliseconds of a property that is in UTC by definition, whatever it says. */
export function parseInstant(property: ContentLine | undefined): number | undefined {
  const time = property && parseTime(property.value, property, () => 'UTC');
  return time && localOf(time);
}
