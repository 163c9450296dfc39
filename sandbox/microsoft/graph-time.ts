/**
 * Graph's `dateTimeTimeZone`: a wall-clock time and the name of a zone, a Windows or an IANA one. Times are kept
 * in IANA zones, since that is what recurrences run in, next to the name the organizer wrote.
 */
import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';
import { findWindows } from 'windows-iana';

import { resolveZone } from '../../src/lib/icalendar/zone-resolver.ts';
import { DAY, dayOfLocal, formatDate, formatLocal, parseLocal } from '../../src/lib/recurrence/civil.ts';
import type { EventTime, LocalDateTime } from '../../src/lib/recurrence/event-time.ts';
import { instantOfLocal, localOfInstant } from '../../src/lib/recurrence/zone.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

export type StoredTime = {
  readonly local: LocalDateTime;
  /** IANA. */
  readonly zone: string;
};

/** The name Exchange gives a zone that came with rules of its own. */
export const CUSTOM_ZONE = 'tzone://Microsoft/Custom';

/** The IANA zone of a Windows or IANA name; `undefined` for any other. */
export function zoneOfName(name: string): string | undefined {
  const zone = resolveZone(name, undefined);
  return typeof zone === 'string' ? zone : undefined;
}

/** The Windows name, in which Exchange keeps zones; the IANA name where Windows has none. */
export function windowsNameOf(zone: string): string {
  return findWindows(zone)[0] ?? zone;
}

/** Years that Exchange can keep a time in. No source confirms them. */
const FIRST_YEAR = 1601;
const LAST_YEAR = 4500;

/** Reads `dateTimeTimeZone` of a request, with the name of its zone as written. Throws a 400. */
export function readTime(
  property: string,
  time: DateTimeTimeZone | null | undefined,
): StoredTime & { readonly name: string } {
  const { dateTime, timeZone } = time ?? {};
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(?:\.\d{1,7})?(Z)?$/.exec(dateTime ?? '');
  const local = `${parts?.[1]}${parts?.[2] ?? ':00'}`;
  const year = Number(local.slice(0, 4));
  if (parts === null || parseLocal(local) === undefined || year < FIRST_YEAR || year > LAST_YEAR) {
    throw new SandboxRefusal(
      400,
      'ErrorPropertyValidationFailure',
      `At least one property failed validation: ${property}.dateTime.`,
    );
  }
  const name = timeZone ?? 'UTC';
  const zone = zoneOfName(name);
  if (zone === undefined) throw unknownZone(name);
  // A `Z` makes it an instant in the zone named beside it. No source confirms that.
  const inZone = parts[3] === undefined ? local : formatLocal(localOfInstant(zone, parseLocal(local) ?? 0));
  return { local: inZone, zone, name };
}

/** For a zone that Graph does not know. No source confirms the code. */
export function unknownZone(name: string): SandboxRefusal {
  return new SandboxRefusal(
    400,
    'TimeZoneNotSupportedException',
    `A valid TimeZone value must be specified. The following TimeZone value is not supported: '${name}'.`,
  );
}

/** Epoch milliseconds. */
export function instantOfTime({ local, zone }: StoredTime): number {
  return instantOfLocal(zone, localMs(local));
}

export function localMs(local: LocalDateTime): number {
  const ms = parseLocal(local);
  // readTime and formatLocal are the only makers of stored times.
  if (ms === undefined) throw new RangeError(`Not a local time: ${local}`);
  return ms;
}

/** For expanding: an all-day event has dates, whatever its zone. */
export function eventTimeOf({ local, zone }: StoredTime, isAllDay: boolean): EventTime {
  return isAllDay ? { type: 'date', date: local.slice(0, 10) } : { type: 'zoned', local, zone };
}

/** As Graph shows an instant to a client that prefers this zone. */
export function graphTime(instant: number, zoneName: string): DateTimeTimeZone {
  const zone = zoneOfName(zoneName) ?? 'UTC';
  return { dateTime: `${formatLocal(localOfInstant(zone, instant))}.0000000`, timeZone: zoneName };
}

/** Midnight of an all-day event's date, whatever zone the client prefers. No source confirms that. */
export function graphDate(midnightUtc: number, zoneName: string): DateTimeTimeZone {
  return { dateTime: `${formatDate(dayOfLocal(midnightUtc))}T00:00:00.0000000`, timeZone: zoneName };
}

/** Graph's `DateTimeOffset` for stamps: seven digits of a second. */
export const stampOf = (instant: number): string =>
  new Date(instant).toISOString().replace(/\.(\d{3})Z$/, '.$10000Z');

/**
 * `startDateTime` and `endDateTime` of a view: ISO 8601 with or without an offset; without one they are UTC. Throws a 400.
 */
export function readInstant(name: string, text: string | null): number {
  const value = text ?? '';
  const valid = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,7})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(value);
  const whole = /T.*(Z|[+-]\d\d:\d\d)$/.test(value)
    ? value
    : `${value.length === 10 ? `${value}T00:00` : value}Z`;
  const instant = valid ? Date.parse(whole) : Number.NaN;
  if (Number.isNaN(instant)) {
    throw new SandboxRefusal(
      400,
      'ErrorInvalidParameter',
      `The value '${value}' of parameter '${name}' is invalid.`,
    );
  }
  return instant;
}

export const isMidnight = (local: LocalDateTime): boolean => localMs(local) % DAY === 0;
