/** Builds times and recurrences for Google. Fails as UnsupportedByProvider if Google cannot represent them. */
import type { calendar_v3 } from '@googleapis/calendar';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { formatLocal } from '../../lib/recurrence/civil.ts';
import { toInstant, toLocalMs } from '../../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../../lib/recurrence/event-time.ts';
import { localOfInstant, offsetAt } from '../../lib/recurrence/zone.ts';
import { unsupportedField } from '../unsupported-field.ts';

type GoogleTime = calendar_v3.Schema$EventDateTime;
export type Side = 'start' | 'end';

/** Returns a date, or an instant in its zone. A repeated local time is the first; a skipped one moves by the gap. */
export function toGoogleTime(time: EventTime, side: Side): GoogleTime {
  if (time.type === 'date') return { date: time.date };
  const timeZone = requireZoneName(time, side);
  return { dateTime: withOffset(toInstant(time, timeZone), timeZone), timeZone };
}

/** Returns the same as a patch, which removes a former time of the other kind. */
export function toGoogleTimePatch(time: EventTime, side: Side): GoogleTime {
  const googleValue = toGoogleTime(time, side);
  return time.type === 'date'
    ? { ...googleValue, dateTime: null, timeZone: null }
    : { ...googleValue, date: null };
}

/** Refuses a skipped start: Google stores an instant, so the whole series would move to another time of day. */
export function refuseSkippedStart(start: EventTime): void {
  if (start.type === 'date') return;
  const zone = requireZoneName(start, 'start');
  if (localOfInstant(zone, toInstant(start, zone)) === toLocalMs(start)) return;
  const message = 'A series at Google cannot start at a local time that does not exist on its first day';
  throw new UnsupportedByProvider('recurrence_not_supported_by_provider', message, 'start');
}

function requireZoneName(time: Exclude<EventTime, { type: 'date' }>, field: string): string {
  if (time.type === 'zoned' && typeof time.zone === 'string') return time.zone;
  throw unsupportedField(field, 'Google supports only IANA time zones');
}

function withOffset(instant: number, zone: string): string {
  const offset = offsetAt(zone, instant);
  const local = formatLocal(instant + offset);
  // Offsets of the nineteenth century have seconds, which RFC 3339 cannot express.
  if (offset === 0 || offset % 60_000 !== 0) return `${formatLocal(instant)}Z`;
  const minutes = Math.abs(offset / 60_000);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Returns RRULE, RDATE and EXDATE lines (RFC 5545 §3.8.5). */
export function renderRecurrenceLines({ rrules, rdates, exdates }: Recurrence): string[] {
  if (rdates.some(({ end }) => end !== undefined)) {
    const message = 'Google does not support added dates with their own duration';
    throw new UnsupportedByProvider('recurrence_not_supported_by_provider', message, 'recurrence');
  }
  const added = rdates.map(({ start }) => start);
  return [...rrules.map((rule) => `RRULE:${rule}`), ...lines('RDATE', added), ...lines('EXDATE', exdates)];
}

/** Returns one line for all times of a zone. */
function lines(name: string, times: readonly EventTime[]): string[] {
  const properties = times.map((time) => property(name, time));
  const grouped = Map.groupBy(properties, ([head]) => head);
  return [...grouped].map(([head, members]) => `${head}:${members.map(([, value]) => value).join(',')}`);
}

function property(name: string, time: EventTime): [head: string, value: string] {
  if (time.type === 'date') return [`${name};VALUE=DATE`, compact(time.date)];
  const zone = requireZoneName(time, 'recurrence');
  return zone === 'UTC' ? [name, `${compact(time.local)}Z`] : [`${name};TZID=${zone}`, compact(time.local)];
}

const compact = (text: string): string => text.replace(/[-:]/g, '');
