/** Parses Google's times: a date, or an instant with its zone. */
import type { calendar_v3 } from '@googleapis/calendar';

import { exactTime, timeLike } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { ianaZone, localOfInstant } from '../../lib/recurrence/zone.ts';
import { text } from '../json-value.ts';

/** Parses a time in its own zone, else in the calendar's, so that recurrences follow DST; undefined if unreadable. */
export function parseGoogleTime(
  eventDateTime: calendar_v3.Schema$EventDateTime | null | undefined,
  calendarZone: string,
): EventTime | undefined {
  const date = text(eventDateTime?.date);
  if (date !== undefined) return parseGoogleDate(date);
  const zone = ianaZone(text(eventDateTime?.timeZone) ?? '') ?? ianaZone(calendarZone) ?? 'UTC';
  const dateTime = text(eventDateTime?.dateTime) ?? '';
  const instant = parseDateTime(dateTime);
  if (instant !== undefined)
    return timeLike({ type: 'zoned', local: '', zone }, localOfInstant(zone, instant));
  // Without an offset it is a local time in the zone.
  const local = parseLocalDateTime(dateTime);
  return local === undefined ? undefined : timeLike({ type: 'zoned', local: '', zone }, local);
}

/** Parses a time other than the start of a series. In an hour that the clock repeats it is in UTC, as a zone is ambiguous. */
export function parseExactTime(
  eventDateTime: calendar_v3.Schema$EventDateTime | null | undefined,
  calendarZone: string,
): EventTime | undefined {
  const time = parseGoogleTime(eventDateTime, calendarZone);
  const instant = parseDateTime(text(eventDateTime?.dateTime) ?? '');
  return time?.type !== 'zoned' || instant === undefined ? time : exactTime(instant, time.zone);
}

/** Parses an RFC 3339 time to epoch milliseconds without fractions. The years 2 to 9998 leave room for zones. */
export function parseDateTime(dateTime: string): number | undefined {
  return within(() => Temporal.Instant.from(dateTime).epochMilliseconds);
}

function parseLocalDateTime(dateTime: string): number | undefined {
  return within(() => Temporal.PlainDateTime.from(dateTime).toZonedDateTime('UTC').epochMilliseconds);
}

function parseGoogleDate(date: string): EventTime | undefined {
  const local = within(
    () => Temporal.PlainDate.from(date).toZonedDateTime({ timeZone: 'UTC' }).epochMilliseconds,
  );
  return local === undefined ? undefined : timeLike({ type: 'date', date: '' }, local);
}

const EARLIEST = Temporal.Instant.from('0002-01-01T00:00:00Z').epochMilliseconds;
const LATEST = Temporal.Instant.from('9998-12-31T23:59:59Z').epochMilliseconds;

function within(read: () => number): number | undefined {
  try {
    const milliseconds = Math.floor(read() / 1000) * 1000;
    return milliseconds >= EARLIEST && milliseconds <= LATEST ? milliseconds : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
