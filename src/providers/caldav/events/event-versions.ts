/** Which VEVENTs of a resource count: it has one UID (RFC 4791 §4.1), and one VEVENT for each instance. */

import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../../lib/icalendar/v-event.ts';
import type { EventTime, Zone } from '../../../lib/recurrence/event-time.ts';

/**
 * The events with the UID of the first master, or else of the first event. Of several versions of one event only the
 * newest: by SEQUENCE, then by time, then by position.
 */
export function latestVersions(events: readonly ReadEvent[]): ReadEvent[] {
  const main = events.find(({ event }) => event.recurrenceId === undefined) ?? events[0];
  const latest = new Map<string, ReadEvent>();
  const keyOf = instanceKeys();
  for (const read of events) {
    if (read.event.uid !== main?.event.uid) continue;
    const key = keyOf(read.event.recurrenceId);
    const other = latest.get(key);
    if (other === undefined || isAsNew(read.event, other.event)) latest.set(key, read);
  }
  return [...latest.values()];
}

/** Equal texts for equal times. A zone of the calendar's own is long, so it is compared once for each object. */
function instanceKeys(): (time: EventTime | undefined) => string {
  const names = new Map<Zone, string>();
  const nameOf = (zone: Zone): string => {
    const name = names.get(zone) ?? JSON.stringify(zone);
    names.set(zone, name);
    return name;
  };
  const numbers = new Map<string, number>();
  return (time) => {
    if (time?.type !== 'zoned') return JSON.stringify(time ?? null);
    const name = nameOf(time.zone);
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return `${time.local} ${number}`;
  };
}

function isAsNew(event: VEvent, other: VEvent): boolean {
  if (event.sequence !== other.sequence) return event.sequence > other.sequence;
  return (modifiedAt(event) ?? 0) >= (modifiedAt(other) ?? 0);
}

/** Without a METHOD, DTSTAMP says the same as LAST-MODIFIED (RFC 5545 §3.8.7.2). */
export const modifiedAt = ({ lastModified, dtstamp }: VEvent): number | undefined => lastModified ?? dtstamp;
