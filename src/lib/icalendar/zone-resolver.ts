/**
 * What a TZID means. Names are tried in order of how sure they are: IANA, Windows, what a VTIMEZONE or the TZID's own path says
 * it is, then the VTIMEZONE's rules: the IANA zone that has them, or else the rules themselves. An IANA name wins over a
 * VTIMEZONE that contradicts it: rules change, and copies of them are old.
 */
import { costOfZone } from '../recurrence/custom-zone.ts';
import type { CustomZone, Zone } from '../recurrence/event-time.ts';
import { ianaZone } from '../recurrence/zone.ts';
import { resourceBudget, spend } from './resource-budget.ts';
import { parseOffset, type VTimezone } from './vtimezone.ts';
import { COST_OF_MATCH, matchingZone, WINDOWS_ZONES } from './zone-match.ts';

/**
 * The zone of a TZID, given the VTIMEZONE of that name if there is one. `undefined` for an unknown one: such times
 * are floating, in the calendar's zone, which is the likeliest. Throws TooComplexError.
 */
export function resolveZone(
  tzid: string,
  vtimezone: VTimezone | undefined,
  budget = resourceBudget(),
): Zone | undefined {
  const name = tzid.trim().slice(0, LONGEST_NAME);
  const zone = namedZone(name) ?? (vtimezone?.location && namedZone(vtimezone.location)) ?? zoneInPath(name);
  if (zone) return zone;
  if (vtimezone !== undefined && vtimezone.observances.length > 0) {
    const custom: CustomZone = { tzid: name, observances: vtimezone.observances };
    spend(budget, 'steps', costOfZone(custom) + COST_OF_MATCH);
    return matchingZone(custom) ?? custom;
  }
  return zoneOfCity(name) ?? fixedOffset(name);
}

/** No program gives zones longer names. */
const LONGEST_NAME = 500;

function namedZone(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  return ianaZone(WINDOWS_ZONES.get(name.toLowerCase()) ?? name);
}

/** `/freeassociation.sourceforge.net/Tzfile/Europe/Brussels`, `/mozilla.org/20050126_1/America/Argentina/Salta`. */
function zoneInPath(name: string): string | undefined {
  const segments = name.split('/', 20);
  if (segments.length < 3) return undefined;
  for (const length of [3, 2, 1]) {
    const zone = ianaZone(segments.slice(-length).join('/'));
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** Windows shows its zones as `(UTC+01:00) Amsterdam, Berlin, Bern, Rome`, and some writers take that for the name. */
function zoneOfCity(name: string): string | undefined {
  const [, cities] = /^\((?:UTC|GMT)[^)]{0,10}\)\s*(.{1,200})$/i.exec(name) ?? [];
  for (const city of cities?.split(/[,/]/) ?? []) {
    const zone = ZONES_OF_CITIES.get(city.trim().toLowerCase().replaceAll(' ', '_'));
    if (zone !== undefined) return zone;
  }
  return undefined;
}

const ZONES_OF_CITIES = new Map(
  Intl.supportedValuesOf('timeZone').map((zone) => [zone.split('/').at(-1)?.toLowerCase(), zone] as const),
);

/** `GMT+0100`, `UTC-03:30`, `+02:00`. */
function fixedOffset(name: string): CustomZone | undefined {
  const offset = parseOffset(name.replace(/^\(?(?:UTC|GMT)\s*/i, '').replace(/\).*$/, ''));
  if (offset === undefined) return undefined;
  const start = '1970-01-01T00:00:00';
  return {
    tzid: name,
    observances: [{ start, offsetFrom: offset, offsetTo: offset, rrules: [], rdates: [] }],
  };
}
