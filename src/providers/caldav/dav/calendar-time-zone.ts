/** The zone of a calendar: what its calendar-timezone property (RFC 4791 §5.2.2) describes. */
import { parseComponents } from '../../../lib/icalendar/component.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { readVTimezone } from '../../../lib/icalendar/vtimezone.ts';
import { resolveZone } from '../../../lib/icalendar/zone-resolver.ts';

/** An IANA name; `undefined` when the text describes no zone, or one that matches none. */
export function timeZoneOf(icalendar: string | undefined): string | undefined {
  for (const component of componentsOf(icalendar ?? '')) {
    const described = component.name === 'VTIMEZONE' ? readVTimezone(component) : undefined;
    const zone = described && resolveZone(described.tzid, described);
    if (typeof zone === 'string') return zone;
  }
  return undefined;
}

function componentsOf(icalendar: string) {
  try {
    return parseComponents(icalendar).flatMap(({ components }) => components);
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
    return []; // Servers keep whatever clients wrote. A broken zone counts as none.
  }
}
