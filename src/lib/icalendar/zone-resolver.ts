/**
 * Resolves a TZID (docs/calendars.md). Names are tried in order of certainty: IANA; Windows; the name in a VTIMEZONE or
 * in the TZID's own path; then the VTIMEZONE's rules, as the IANA zone that has them or as custom rules; without a
 * VTIMEZONE, display names. An IANA name wins over a VTIMEZONE that contradicts it, because rules change and copies of
 * them are old.
 */

import { DAY, toDayNumber } from '../recurrence/civil.ts';
import type { CustomZone, Zone } from '../recurrence/event-time.ts';
import { costOfZone, customOffsets, ianaZone, offsetAt, spanAt, spanIn } from '../recurrence/zone.ts';
import { zoneOfDisplayName } from './display-name.ts';
import { resourceBudget, spend } from './resource-budget.ts';
import { parseNamedOffset, type VTimezone } from './vtimezone.ts';
import { windowsZones } from './windows-zones.ts';

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
  return ianaZone(windowsZones().get(name.toLowerCase()) ?? name);
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

/** The start of the comparison for a zone without events. */
const TODAY = toDayNumber(2025, 1, 1) * DAY;
/** Tables that list each change end in 2037, so the year before is the last one that all of them contain. */
const LAST = toDayNumber(2037, 1, 1) * DAY;
const LAST_YEAR = toDayNumber(2036, 1, 1) * DAY;
/** For a series that begins later, the comparison covers this period after its first event. */
const YEARS_AFTER = 10 * 366 * DAY;

/** The cost of looking for a match, in steps of a RecurrenceBudget. */
export const COST_OF_MATCH = 4000;

/**
 * Returns the zone with the same offsets as these rules for every instant from `usedFrom` (epoch milliseconds) to 2037
 * and for at least ten years: an IANA name, the best known if there are several. A single offset identifies no country:
 * in whole hours it is `Etc/GMT+4` (four hours west) or UTC. `undefined` if no zone matches; the rules apply then.
 */
export function matchingZone(zone: CustomZone, usedFrom = TODAY): string | undefined {
  const offset = onlyOffset(zone, usedFrom);
  if (offset !== undefined) return zoneOfOffset(offset);
  return zonesBySeasons()
    .get(toSeasonKey(zone))
    ?.find((name) => isSame(zone, name, usedFrom));
}

/** Returns whether a zone has the same offsets as these rules from `usedFrom` on, by default in a future year. */
export function isSame(zone: CustomZone, name: string, usedFrom = LAST_YEAR): boolean {
  // A distant start is compared at once and only in its own years: the centuries between would take long.
  const isSoon = usedFrom + YEARS_AFTER <= LAST;
  return (
    isSameIn(zone, name, { from: Math.min(usedFrom, LAST_YEAR), to: LAST }) &&
    (isSoon || isSameIn(zone, name, { from: usedFrom, to: usedFrom + YEARS_AFTER }))
  );
}

function isSameIn(
  zone: CustomZone,
  name: string,
  years: { readonly from: number; readonly to: number },
): boolean {
  const spans = customOffsets(zone);
  let at = years.from;
  while (at < years.to) {
    const ours = spanIn(spans, at);
    const theirs = spanAt(name, at);
    if (ours === undefined || ours.offset !== theirs.offset) return false;
    at = Math.min(ours.to, theirs.to);
  }
  return true;
}

/** Returns milliseconds east of UTC, if the rules have no other offset from then on. */
function onlyOffset(zone: CustomZone, usedFrom: number): number | undefined {
  const spans = customOffsets(zone);
  const offset = spans.at(-1)?.offset;
  const lastOther = spans.findLast((span) => span.offset !== offset && span.from < span.to);
  return lastOther === undefined || lastOther.to <= usedFrom ? offset : undefined;
}

const HOUR = 3_600_000;

/** Returns the name of a zone that always has this offset (milliseconds east of UTC). Only whole hours have one. */
export function zoneOfOffset(offset: number): string | undefined {
  const hours = offset / HOUR;
  if (hours === 0) return 'UTC';
  if (!Number.isInteger(hours) || hours < -12 || hours > 14) return undefined;
  // The signs of these names are POSIX's: west is positive.
  return `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`;
}

/** Returns the offsets of winter and summer: zones that differ there need not be compared. */
const toSeasonKey = (zone: Zone): string =>
  [LAST_YEAR + 14 * DAY, LAST_YEAR + 196 * DAY].map((at) => offsetAt(zone, at)).join();

let knownZones: ReadonlyMap<string, readonly string[]> | undefined;

/** Zones that Windows maps to come first: they are the best known. */
function zonesBySeasons(): ReadonlyMap<string, readonly string[]> {
  if (knownZones !== undefined) return knownZones;
  const names = [...windowsZones().values(), ...Intl.supportedValuesOf('timeZone')];
  const zones = new Set(names.map((name) => ianaZone(name)).filter((name) => name !== undefined));
  knownZones = Map.groupBy(zones, toSeasonKey);
  return knownZones;
}
