/** The zone of a calendar: what its calendar-timezone property (RFC 4791 §5.2.2) describes. */
import { parseComponents } from '../../../lib/icalendar/component.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { resourceBudget } from '../../../lib/icalendar/resource-budget.ts';
import { readVTimezone } from '../../../lib/icalendar/vtimezone.ts';
import { resolveZone } from '../../../lib/icalendar/zone-resolver.ts';

/** The largest that programs write have a tenth of this. */
const LONGEST = 200_000;

/** An IANA name; `undefined` when the text describes no zone, or one that matches none. */
export function timeZoneOf(icalendar = ''): string | undefined {
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
