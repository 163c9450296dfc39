/** Selects the VEVENTs of a resource that count: one UID (RFC 4791 §4.1), and one VEVENT for each occurrence. */

import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import { DAY, dayOfLocal } from '../../../lib/recurrence/civil.ts';
import { toInstant, toLocalMs, toOriginalStart } from '../../../lib/recurrence/event-instant.ts';
import type { EventTime, Zone } from '../../../lib/recurrence/event-time.ts';

/**
 * Returns the events with the UID of the first master, or else of the first event; of each event only the newest
 * version: by SEQUENCE, then by time, then by position. An override is also older than the EXDATE of its occurrence in
 * a master with a higher SEQUENCE.
 */
export function latestVersions(events: readonly ReadEvent[]): ReadEvent[] {
  const main = events.find(({ event }) => event.recurrenceId === undefined) ?? events[0];
  const latest = new Map<string, ReadEvent>();
  const toKey = instanceKeys();
  for (const read of events) {
    if (read.event.uid !== main?.event.uid) continue;
    const key = toKey(alignToMaster(main.event, read.event.recurrenceId));
    const other = latest.get(key);
    if (other === undefined || isAsNew(read.event, other.event)) latest.set(key, read);
  }
  const versions = [...latest.values()];
  const isRemoved = removedOverrides(versions);
  return versions.filter((read) => !isRemoved(read));
}

/** A RECURRENCE-ID may be in any zone. Floating times stay: only the calendar's zone relates them to others. */
function alignToMaster({ start, recurrenceId }: VEvent, named: EventTime | undefined): EventTime | undefined {
  if (named === undefined || recurrenceId !== undefined) return named;
  return (start.type === 'floating') === (named.type === 'floating')
    ? toOriginalStart(start, named, 'UTC')
    : named;
}

/** Tests whether the master excluded an occurrence after its override was created; one for all later ones stays. */
function removedOverrides(versions: readonly ReadEvent[]): (read: ReadEvent) => boolean {
  const master = versions.find(({ event }) => event.recurrenceId === undefined)?.event;
  const isOlder = ({ event }: ReadEvent): boolean =>
    master !== undefined &&
    event.recurrenceId !== undefined &&
    !event.thisAndFuture &&
    event.sequence < master.sequence;
  if (master === undefined || master.recurrence.exdates.length === 0 || !versions.some(isOlder))
    return () => false;
  const isExcluded = exclusionBy(master);
  return (read) => {
    const { recurrenceId } = read.event;
    return recurrenceId !== undefined && isOlder(read) && isExcluded(recurrenceId);
  };
}

/**
 * Tests whether EXDATE excludes an occurrence of the master; a date excludes its whole day. Floating times are compared
 * as if they were UTC, since the calendar's zone is unknown here.
 */
export function exclusionBy({ start, recurrence }: Pick<VEvent, 'start' | 'recurrence'>) {
  const instants = new Set<number>();
  const days = new Set<number>();
  for (const exdate of recurrence.exdates) {
    if (exdate.type === 'date') days.add(toLocalMs(exdate) / DAY);
    else instants.add(toInstant(toOriginalStart(start, exdate, 'UTC'), 'UTC'));
  }
  return (occurrence: EventTime): boolean => {
    const original = toOriginalStart(start, occurrence, 'UTC');
    return days.has(dayOfLocal(toLocalMs(original))) || instants.has(toInstant(original, 'UTC'));
  };
}

/** Returns equal texts for equal times. A custom zone is long, so it is rendered once for each object. */
function instanceKeys(): (time: EventTime | undefined) => string {
  const names = new Map<Zone, string>();
  const zoneName = (zone: Zone): string => {
    const name = names.get(zone) ?? JSON.stringify(zone);
    names.set(zone, name);
    return name;
  };
  const numbers = new Map<string, number>();
  return (time) => {
    if (time?.type !== 'zoned') return JSON.stringify(time ?? null);
    const name = zoneName(time.zone);
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return `${time.local} ${number}`;
  };
}

function isAsNew(event: VEvent, other: VEvent): boolean {
  if (event.sequence !== other.sequence) return event.sequence > other.sequence;
  return (modifiedAt(event) ?? 0) >= (modifiedAt(other) ?? 0);
}

/** Without a METHOD, DTSTAMP has the meaning of LAST-MODIFIED (RFC 5545 §3.8.7.2). */
export const modifiedAt = ({ lastModified, dtstamp }: VEvent): number | undefined => lastModified ?? dtstamp;
