/** Dates, times and durations as iCalendar writes them, RFC 5545 §3.3.4 to §3.3.6 and §3.3.9. */
import {
  DAY,
  dayOfLocal,
  formatDate,
  type LocalMs,
  parseLocal,
  timeOfDay,
  toDayNumber,
} from '../recurrence/civil.ts';
import { exactTime, resolveClockZone, timeLike, toLocalMs } from '../recurrence/event-instant.ts';
import type { EventTime, Zone } from '../recurrence/event-time.ts';
import { instantOfLocal, localOfInstant } from '../recurrence/zone.ts';
import { type ContentLine, findParameter } from './content-line.ts';

/** Returns the zone of a TZID, or that of floating times. `undefined` leaves the time floating. */
export type ZoneOf = (tzid: string | undefined) => Zone | undefined;

/** The writable range leaves out a year at each end of four digits, so that ends and offsets can be written too. */
const EARLIEST = toDayNumber(2, 1, 1) * DAY;
const LATEST = toDayNumber(9998, 12, 31) * DAY;

/** Whether a local time is in the years that are read and written. */
export const isWritable = (local: LocalMs): boolean => local >= EARLIEST && local <= LATEST;

/**
 * Parses a property's value, or one of its values; `undefined` if it is no time. Some programs write what RFC 5545
 * §3.3.5 forbids: an offset, which states the instant in the zone of TZID or in UTC, or another T at the end, which is
 * ignored.
 */
export function parseTime(text: string, property: ContentLine, zoneOf: ZoneOf): EventTime | undefined {
  const [, year, month, day, time, hour = '', minute = '', second = '', suffix = ''] =
    /^\s*(\d{4})-?(\d\d)-?(\d\d)(T(\d\d):?(\d\d):?(\d\d)?(?:[.,]\d+)?([ZT]|[+-][0-2]\d:?[0-5]\d)?)?\s*$/i.exec(
      text,
    ) ?? [];
  const midnight = parseLocal(`${year}-${month}-${day}`);
  if (midnight === undefined || !isWritable(midnight)) return undefined;
  const isDate = findParameter(property, 'VALUE')?.toUpperCase() === 'DATE';
  if (time === undefined || isDate) return { type: 'date', date: formatDate(dayOfLocal(midnight)) };
  const sinceMidnight = timeOfDay(hour, minute, second);
  if (sinceMidnight === undefined) return undefined;
  const local = midnight + sinceMidnight;
  if (/z/i.test(suffix)) return timeLike(IN_UTC, local);
  const tzid = findParameter(property, 'TZID');
  if (/^[+-]/.test(suffix)) return exactTime(local - parseUtcOffset(suffix), (tzid && zoneOf(tzid)) || 'UTC');
  const zone = zoneOf(tzid);
  if (zone === undefined) return timeLike({ type: 'floating', local: '' }, local);
  return timeLike({ type: 'zoned', local: '', zone }, local);
}

const IN_UTC: EventTime = { type: 'zoned', local: '', zone: 'UTC' };

/** Parses an offset from UTC, `+0100` or `+01:00`, into milliseconds. */
function parseUtcOffset(text: string): number {
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return (text.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Days are nominal, milliseconds exact (RFC 5545 §3.3.6). */
export type Duration = { readonly days: number; readonly milliseconds: number };

/** Parses a duration; `undefined` for other text and for a negative one. Some programs write a week as `PT1W`. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, weeks, days, hours, minutes, seconds] =
    /^\s*([+-]?)P(?:T?(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})S)?)?\s*$/i.exec(
      text,
    ) ?? [];
  const parts = [weeks, days, hours, minutes, seconds];
  if (sign === undefined || sign === '-' || parts.every((part) => part === undefined)) return undefined;
  const [week = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0));
  return { days: week * 7 + day, milliseconds: ((hour * 60 + minute) * 60 + second) * 1000 };
}

/** Returns `start` moved by the duration, in its type and zone; `undefined` beyond the writable years. */
export function addDuration(start: EventTime, { days, milliseconds }: Duration): EventTime | undefined {
  const local = toLocalMs(start);
  if (!isWritable(local + days * DAY + milliseconds)) return undefined;
  if (start.type === 'date') return timeLike(start, local + (days + Math.ceil(milliseconds / DAY)) * DAY);
  if (milliseconds === 0) return timeLike(start, local + days * DAY);
  const zone = resolveClockZone(start, 'UTC');
  const end = instantOfLocal(zone, local + days * DAY) + milliseconds;
  return timeLike(start, localOfInstant(zone, end));
}

/** Parses a property that is in UTC by definition, whatever it says, into epoch milliseconds. */
export function parseInstant(property: ContentLine | undefined): number | undefined {
  const time = property && parseTime(property.value, property, () => 'UTC');
  return time && toLocalMs(time);
}
