/**
 * Resolves a TZID (docs/calendars.md). Names are tried in order of certainty: IANA; Windows; the name in a VTIMEZONE or
 * in the TZID's own path; then the VTIMEZONE's rules, as the IANA zone that has them or as custom rules; without a
 * VTIMEZONE, display names. An IANA name wins over a VTIMEZONE that contradicts it, because rules change and copies of
 * them are old.
 */

import type { CustomZone, Zone } from '../recurrence/event-time.ts';
import { costOfZone, ianaZone } from '../recurrence/zone.ts';
import { zoneOfDisplayName } from './display-name.ts';
import { resourceBudget, spend } from './resource-budget.ts';
import { parseNamedOffset, type VTimezone } from './vtimezone.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';
import { COST_OF_MATCH, isSame, matchingZone, zoneOfOffset } from './zone-match.ts';

/** Returns the zone of a TZID with its VTIMEZONE, if any; `undefined` if unknown. Throws TooComplexError. */
export function resolveZone(
  tzid: string,
  vtimezone: VTimezone | undefined,
  budget = resourceBudget(),
): Zone | undefined {
  const name = tzid.trim().slice(0, LONGEST_NAME);
  const zone = namedZone(name) ?? (vtimezone?.location && namedZone(vtimezone.location)) ?? zoneInPath(name);
  if (zone) return zone;
  const displayZone = zoneOfDisplayName(name);
  if (vtimezone === undefined || vtimezone.observances.length === 0) return displayZone ?? fixedOffset(name);
  const custom: CustomZone = { tzid: name, observances: vtimezone.observances };
  spend(budget, 'steps', costOfZone(custom) + COST_OF_MATCH);
  // Windows applies today's rules to the whole past, so an old copy of the zone is recognized by its name and today's
  // rules.
  if (displayZone !== undefined && isSame(custom, displayZone)) return displayZone;
  return matchingZone(custom, vtimezone.usedFrom?.()) ?? custom;
}

/** No program uses longer zone names. */
const LONGEST_NAME = 500;

function namedZone(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  return ianaZone(WINDOWS_ZONES.get(name.toLowerCase()) ?? name);
}

/** Returns the zone in a path such as `/mozilla.org/20050126_1/America/Argentina/Salta`. */
function zoneInPath(name: string): string | undefined {
  const segments = name.split('/', 20);
  if (segments.length < 3) return undefined;
  for (const length of [3, 2, 1]) {
    const zone = ianaZone(segments.slice(-length).join('/'));
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** Parses `GMT+0100`, `UTC-03:30`, `+02:00`, and any name in Windows' style that begins with an offset. */
function fixedOffset(name: string): Zone | undefined {
  const offset = parseNamedOffset(name);
  if (offset === undefined) return undefined;
  const start = '1970-01-01T00:00:00';
  const observance = { start, offsetFrom: offset, offsetTo: offset, rrules: [], rdates: [] };
  return zoneOfOffset(offset * 1000) ?? { tzid: name, observances: [observance] };
}
