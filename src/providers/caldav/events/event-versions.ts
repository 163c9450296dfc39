/** Which VEVENTs of a resource count: it has one UID (RFC 4791 §4.1), and one VEVENT for each instance. */
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../../lib/icalendar/v-event.ts';

/**
 * The events with the UID of the first master, or else of the first event. Of several versions of one event only the
 * newest: by SEQUENCE, then by time, then by position.
 */
export function latestVersions(events: readonly ReadEvent[]): ReadEvent[] {
  const main = events.find(({ event }) => event.recurrenceId === undefined) ?? events[0];
  const latest = new Map<string, ReadEvent>();
  for (const read of events) {
    if (read.event.uid !== main?.event.uid) continue;
    const key = JSON.stringify(read.event.recurrenceId ?? null);
    const other = latest.get(key);
    if (other === undefined || isAsNew(read.event, other.event)) latest.set(key, read);
  }
  return [...latest.values()];
}

function isAsNew(event: VEvent, other: VEvent): boolean {
  if (event.sequence !== other.sequence) return event.sequence > other.sequence;
  return (modifiedAt(event) ?? 0) >= (modifiedAt(other) ?? 0);
}

/** Without a METHOD, DTSTAMP says the same as LAST-MODIFIED (RFC 5545 §3.8.7.2). */
export const modifiedAt = ({ lastModified, dtstamp }: VEvent): number | undefined => lastModified ?? dtstamp;
