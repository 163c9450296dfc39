/** Recurrence lines without a component (RFC 5545 §3.8.5), as Google sends them. */
import type { Recurrence, Zone } from '../recurrence/event-time.ts';
import { propertiesOf } from './component.ts';
import { dateCount, readRecurrence } from './v-event.ts';
import { resolveZone } from './zone-resolver.ts';

/**
 * What RRULE, RDATE and EXDATE lines say; other lines, and what cannot be read, are left out. `zone` is that of times
 * without one, and of those in an unknown zone. Throws ICalendarError for more than 100,000 dates.
 */
export function parseRecurrence(lines: readonly string[], zone: Zone): Recurrence {
  const properties = propertiesOf({ name: 'VEVENT', lines, components: [] });
  const zoneOf = (tzid: string | undefined): Zone =>
    tzid === undefined ? zone : (resolveZone(tzid, undefined) ?? zone);
  return readRecurrence(properties, zoneOf, dateCount());
}
