/** Reads the zone of a calendar from its calendar-timezone property (RFC 4791 §5.2.2). */
import { parseComponents } from '../../../lib/icalendar/component.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { resourceBudget } from '../../../lib/icalendar/resource-budget.ts';
import { readVTimezone } from '../../../lib/icalendar/vtimezone.ts';
import { resolveZone } from '../../../lib/icalendar/zone-resolver.ts';

/** Ten times the largest that programs write. */
const LONGEST = 200_000;

/** Returns an IANA name; `undefined` if the text describes no zone, or one that matches none. */
export function parseTimeZone(icalendar = ''): string | undefined {
  if (icalendar.length > LONGEST) return undefined;
  try {
    return zoneIn(icalendar);
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
    return undefined; // Servers keep whatever clients wrote. A broken zone counts as none.
  }
}

function zoneIn(icalendar: string): string | undefined {
  const budget = resourceBudget();
  for (const { components } of parseComponents(icalendar, budget)) {
    for (const component of components) {
      const described = component.name === 'VTIMEZONE' ? readVTimezone(component, budget) : undefined;
      const zone = described && resolveZone(described.tzid, described, budget);
      if (typeof zone === 'string') return zone;
    }
  }
  return undefined;
}
