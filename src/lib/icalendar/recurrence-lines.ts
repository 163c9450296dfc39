/** Recurrence lines without a component (RFC 5545 §3.8.5), as Google sends them. */
import type { Recurrence, Zone } from '../recurrence/event-time.ts';
import { parseProperties } from './component.ts';
import { resourceBudget, spend } from './resource-budget.ts';
import { readRecurrence } from './v-event.ts';
import { resolveZone } from './zone-resolver.ts';

/** Parses valid RRULE, RDATE and EXDATE lines. `zone` is for times without a known zone. Throws TooComplexError. */
export function parseRecurrence(lines: readonly string[], zone: Zone): Recurrence {
  const budget = resourceBudget();
  spend(budget, 'lines', lines.length);
  for (const line of lines) spend(budget, 'characters', line.length);
  const properties = parseProperties({ name: 'VEVENT', lines, components: [] }, budget);
  const zones = new Map<string, Zone>();
  const lookUpZone = (tzid: string | undefined): Zone => {
    if (tzid === undefined) return zone;
    const cached = zones.get(tzid);
    if (cached !== undefined) return cached;
    spend(budget, 'zones');
    const resolved = resolveZone(tzid, undefined, budget) ?? zone;
    zones.set(tzid, resolved);
    return resolved;
  };
  return readRecurrence(properties, lookUpZone, budget);
}
