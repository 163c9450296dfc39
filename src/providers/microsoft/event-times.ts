/** Parses Graph's times: a date, or a local time in a zone. */
import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';

import { resolveZone } from '../../lib/icalendar/zone-resolver.ts';
import { dayOfLocal, formatDate, formatLocal, parseLocal } from '../../lib/recurrence/civil.ts';
import { exactTime } from '../../lib/recurrence/event-instant.ts';
import type { EventTime, Zone } from '../../lib/recurrence/event-time.ts';
import { instantOfLocal, localOfInstant } from '../../lib/recurrence/zone.ts';

/** The name of a zone with custom rules, which Graph does not return. */
const CUSTOM_ZONE = 'tzone://Microsoft/Custom';

type ZoneName = string | null | undefined;

/** Returns the zone of the first known name: of Windows, of IANA, or a common variant. */
export function resolveFirstZone(...names: readonly ZoneName[]): Zone | undefined {
  for (const name of names) {
    const zone = name && name !== CUSTOM_ZONE ? resolveZone(name, undefined) : undefined;
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** Parses a time: see `exactTime`. An all-day event has the date as written. Returns `undefined` if it is unreadable. */
export function parseGraphTime(
  time: DateTimeTimeZone | null | undefined,
  isAllDay: boolean,
  zone: Zone,
): EventTime | undefined {
  const local = parseLocalTime(time?.dateTime);
  if (local === undefined) return undefined;
  if (isAllDay) return { type: 'date', date: formatDate(dayOfLocal(local)) };
  // UTC was requested.
  return exactTime(instantOfLocal(resolveFirstZone(time?.timeZone) ?? 'UTC', local), zone);
}

/** Returns an instant (epoch milliseconds) as a local time in a zone. */
export const toZonedTime = (instant: number, zone: Zone): EventTime => ({
  type: 'zoned',
  local: formatLocal(localOfInstant(zone, instant)),
  zone,
});

/** Parses a timestamp to epoch milliseconds. Graph's are always in UTC, even without `Z`. */
export const parseTimestamp = (text: string | null | undefined): number | undefined => parseLocalTime(text);

/** Parses the local time as written, without fractions of a second. */
function parseLocalTime(text: string | null | undefined): number | undefined {
  const [, local] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(text ?? '') ?? [];
  return local === undefined ? undefined : parseLocal(local);
}
