/** Graph's times as ours: a date, or a wall-clock time in a zone. */
import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';

import { resolveZone } from '../../lib/icalendar/zone-resolver.ts';
import { dayOfLocal, formatDate, formatLocal, parseLocal } from '../../lib/recurrence/civil.ts';
import type { EventTime, Zone } from '../../lib/recurrence/event-time.ts';
import { instantOfLocal, localOfInstant } from '../../lib/recurrence/zone.ts';

/** A Windows zone that came with rules of its own, which Graph does not tell. */
const CUSTOM_ZONE = 'tzone://Microsoft/Custom';

type ZoneName = string | null | undefined;

/** The zone of the first name that is one: Windows', IANA's or what programs write for them. */
export function zoneNamed(...names: readonly ZoneName[]): Zone | undefined {
  for (const name of names) {
    const zone = name && name !== CUSTOM_ZONE ? resolveZone(name, undefined) : undefined;
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/**
 * A `dateTimeTimeZone` in the zone its event is meant in; of an all-day event the date as written. `undefined` when
 * it cannot be read.
 */
export function timeOf(
  time: DateTimeTimeZone | null | undefined,
  isAllDay: boolean,
  zone: Zone,
): EventTime | undefined {
  const local = localOf(time?.dateTime);
  if (local === undefined) return undefined;
  if (isAllDay) return { type: 'date', date: formatDate(dayOfLocal(local)) };
  // UTC is what was asked for.
  return zonedTime(instantOfLocal(zoneNamed(time?.timeZone) ?? 'UTC', local), zone);
}

/** An instant (epoch milliseconds) on the wall clock of a zone. */
export const zonedTime = (instant: number, zone: Zone): EventTime => ({
  type: 'zoned',
  local: formatLocal(localOfInstant(zone, instant)),
  zone,
});

/** Epoch milliseconds of a stamp of Graph's, which is always in UTC whether it says so or not. */
export const stampOf = (text: string | null | undefined): number | undefined => localOf(text);

/** The wall-clock time written, its up to seven digits of a second cut off. */
function localOf(text: string | null | undefined): number | undefined {
  const [, local] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(text ?? '') ?? [];
  return local === undefined ? undefined : parseLocal(local);
}
